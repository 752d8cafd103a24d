// What a name of another language or of a textbook stands for here: functions, constants, units, entries of simulate.
// Each gives the text of a help, or NULL.
#include <ctype.h>
#include <string.h>

#include "../base/library.h"
#include "elab.h"

// --- functions ---

// $1, $2, $3 stand for the arguments as they were written; the words for a function without them.
static const struct { const char *names, *help; } functions[] = {
  { "ln", "the natural logarithm is log($1)" },
  { "log10 lg", "log($1)/log(10)" },
  { "log2 ld", "log($1)/log(2)" },
  { "pow power", "a power is written $1^$2" },
  { "sqr square", "a power is written $1^2" },
  { "cube", "a power is written $1^3" },
  { "cbrt", "sign($1)*abs($1)^(1/3)" },
  { "hypot", "sqrt($1^2 + $2^2), or norm of a vector" },
  { "mod fmod rem modulo", "the remainder is $1 - $2*floor($1/$2)" },
  { "ceil ceiling", "-floor(-$1)" },
  { "round rint nint", "floor($1 + 1/2)" },
  { "trunc fix int", "sign($1)*floor(abs($1))" },
  { "heaviside step Heaviside unitstep", "if $1 > 0 then 1 else 0" },
  { "ifelse iif ite where cond", "if $1 then $2 else $3" },
  { "clip clamp saturate sat limit saturation limiter", "min(max($1, $2), $3)" },
  { "cot", "1/tan($1)" },
  { "sec", "1/cos($1)" },
  { "csc", "1/sin($1)" },
  { "deg2rad radians", "a number of degrees is 30 [deg]" },
  { "rad2deg degrees", "$1*180/pi" },
  { "vec vecprod outer_product", "the cross product of two vectors is cross($1, $2)" },
  { "rotx rotX", "rotation([1, 0, 0], $1)" },
  { "roty rotY", "rotation([0, 1, 0], $1)" },
  { "rotz rotZ", "rotation([0, 0, 1], $1)" },
  { "rot rot2 rotate", "rotation(axis, angle), in the plane rotation(angle)" },
  { "inner scalar", "the scalar product is dot($1, $2)" },
  { "length size numel len ndims", "a parameter holds the number: param n = 3; state x[n] = 0;" },
  { "zeros ones fill", "one number is the value of all elements: state x[3] = 0;" },
  { "eye unit_matrix", "the identity matrix is identity($1)" },
  { "ddt diff der ddot derivative D Dt", "the time derivative is $1'" },
  { "noEvent smooth homotopy noevent", "the value itself: $1" },
  { "tf ss zpk transfer transferfunction TransferFunction transferFunction",
    "a transfer function is its state equations, state x = 0; x' = (u - x)/T; or LowPass, Lead, PID of std/control" },
  { "V v voltage", "the voltage of a node is its name: $1; between two nodes $1 - g" },
  { "relay", "a relay is a set-valued law: multiplier u; relation N: u in -sgn($1); and u where it acts" },
  { "SIN SINE", "a source of time is an expression: 10 [V]*sin(2*pi*50 [Hz]*time)" },
  { "PULSE PWL", "a source of time: PWM of std/control, pulse of std/steps, or table(time, [0, 1 [s]], [0, 5])" },
  { "integral integrate int_t integrator Integrator", "an integral is a state: state s = 0; s' = $1;" },
  { "pi PI", "pi is a number and takes no parentheses" },
  { "inf", "inf is a number and takes no parentheses" },
  { "time t", "the time is the name time, without parentheses" },
  { "end last", "the value at the end is final($1)" },
  { "start first begin init", "the value at the start is initial($1)" },
  { "avg average", "the time average is mean($1)" },
  { "maximum", "the largest value is max($1)" },
  { "minimum", "the smallest value is min($1)" },
  { "pre previous", "assignments read the values before their block: n = n + 1 counts; further back is delay(x, T)" },
  { "sample", "what is sampled stands in a block: every 1 [ms] { u = -k*x; }" },
  { "edge change rising falling", "when x > 1 { ... } fires where its condition becomes true" },
  { "terminal", "what is asked at the end is an expect: expect final(x) < 1;" },
  { "random rand randn noise", "there are no random numbers: give them by parameters" },
  { "linspace arange range logspace", "the elements are written one by one: [0, 0.5, 1]" },
  { "read load csvread fopen open file import readtable",
    "a function of time from a file is table(\"f.csv\", \"column\"), a signal from outside is an input: input u;" },
  { "interp interp1 lookup piecewise interpolate pwl lut",
    "table($1, [0, 1, 2], [3, 4, 3]) is linear between points, spline(...) smooth; from a file "
    "table(\"f.csv\", \"column\", $1)" },
  { "dirac delta impulse pulse", "a short force: if 1 <= time and time < 1.01 then 100 else 0" },
  { "ramp", "max(0, $1)" },
  { "std rms var median variance", "the statistics are final, initial, min, max, mean, drift, gain, and at(x, t)" },
  { "between", "of shapes: contact c { between = $1, $2; with newton(0.5); }" },
  { "among", "of shapes: contact c { among = $1; with newton(0.5); }" },
  { "distance dist", "between two points norm($1 - $2); between shapes: contact c { between = $1, $2; with newton; }" },
  { "sgn0 signum", "sign($1), or sgn in a relation" },
};

static const char *argument(Elab *e, const Ast *call, int k) {
  return k < call->list.n ? ast_text(e, call->list.at[k]) : k == 0 ? "x" : k == 1 ? "y" : "z";
}

// An argument that stands in front of an operator.
static const char *factor(Elab *e, const Ast *call, int k) {
  const Ast *n = k < call->list.n ? call->list.at[k] : NULL;
  bool loose = n && (n->kind == AST_BINARY || n->kind == AST_UNARY || n->kind == AST_COND || n->kind == AST_SUM);
  return loose ? arena_printf(e->a, "(%s)", argument(e, call, k)) : argument(e, call, k);
}

const char *function_meant(Elab *e, const Ast *call) {
  const char *help = NULL;
  for (size_t i = 0; i < sizeof functions / sizeof *functions && !help; i++)
    if (list_has(functions[i].names, call->name, strlen(call->name))) help = functions[i].help;
  bool instant = help && strstr(help, "if $1 > 0") && call->list.n == 1 && call->list.at[0]->kind == AST_NUMBER;
  if (instant) help = "if time > $1 then 1 else 0";                   // step(1), of Simulink's block
  if (!help) return NULL;
  Text t = {0};
  for (const char *c = help; *c; c++) {
    bool inside = c > help && c[-1] == '(' && (c[2] == ')' || c[2] == ',');
    if (*c != '$') text_addc(&t, *c);
    else {
      text_add(&t, inside ? argument(e, call, c[1] - '1') : factor(e, call, c[1] - '1'));
      c++;
    }
  }
  const char *kept = arena_printf(e->a, "%s", text_str(&t));
  text_free(&t);
  return kept;
}

// --- entries of a body ---

static const struct { const char *names, *help; } body_entries[] = {
  { "planar plane 2d flat", "a body is planar when its position has two numbers: position = [0, 1] [m]" },
  { "fixed driven", "the words fixed and driven stand without a value: body floor { fixed, shape = halfspace }" },
  { "static immovable frozen", "a body that does not move is `fixed`" },
  { "kinematic prescribed moving moved",
    "a body that is moved in a given way is `driven`: position = [sin(time), 0, 0]" },
  { "friction mu restitution e bounce", "laws stand in the contact: contact c { between = a, b; with newton(0.5), "
                                        "coulomb(0.3); }, or by pairs of materials: material = steel" },
  { "geometry geom collision size radius extents mesh",
    "shape = sphere(0.1 [m]), box([0.1, 0.2, 0.3] [m]), cylinder(radius, length), convex(\"part.obj\")" },
  { "joint axis hinge freejoint connect parent",
    "a joint is a part between bodies: import \"std/joints.nsm\"; Hinge h(A = ground, B = arm, at = [0, 0, 0], axis = "
    "[0, 1, 0]); a body without one moves freely" },
  { "solref solimp margin condim",
    "contacts are rigid: their laws are newton(e), coulomb(mu) and others, without springs" },
  { "m M weight", "mass = 1 [kg]" },
  { "I J moment moments theta", "inertia = [0.1, 0.2, 0.3] [kg*m^2]" },
  { "pos r x origin center centre com place", "position = [0, 0, 1] [m]" },
  { "orientation rotation quaternion quat rot angle angles q R euler rpy axisangle",
    "attitude = rotation([0, 0, 1], 30 [deg]); planar: an angle" },
  { "v vel r0 speed linear_velocity", "velocity = [1, 0, 0] [m/s]" },
  { "omega w angular_velocity angvel rate", "spin = [0, 0, 1] [rad/s]" },
  { "gravity g", "gravity pulls all bodies, it stands in the model: gravity [0, 0, -9.81] [m/s^2];" },
  { "forces torque torques push", "forces stand in the model: force ball.r = [1, 0, 0] [N]; at a place of the body: "
                                       "force ball.point([0.1, 0, 0]) = ...; a torque: force ball.omega = ..." },
};

const char *body_entry_meant(const char *name) {
  for (size_t i = 0; i < sizeof body_entries / sizeof *body_entries; i++)
    if (list_has(body_entries[i].names, name, strlen(name))) return body_entries[i].help;
  return NULL;
}

// --- names of a body ---

// $ is the body as it was written; the words for a planar body where they differ.
static const struct { const char *names, *help, *planar; } body_parts[] = {
  { "position pos place origin center com", "its centre of mass is $.r, of a point of the body $.point([0.1, 0, 0])",
    "its centre of mass is $.r, of a point of the body $.point([0.1, 0])" },
  { "x rx px", "$.r[1]", NULL },
  { "y ry py", "$.r[2]", NULL },
  { "z rz pz", "$.r[3]", "a planar body has $.r[1] and $.r[2]" },
  { "v vel speed linear_velocity linvel", "the velocity of its centre of mass is $.r'; where the body passes the place "
    "x of the world it is $.velocity(x)", NULL },
  { "vx xdot", "$.r[1]'", NULL },
  { "vy ydot", "$.r[2]'", NULL },
  { "vz zdot", "$.r[3]'", "a planar body has $.r[1]' and $.r[2]'" },
  { "attitude orientation rotation rot quaternion quat p pose theta phi alpha angle",
    "$.R is its rotation matrix, $.q its quaternion; an angle is of planar bodies, or of a Hinge", "$.angle" },
  { "w rate angular_velocity angvel thetadot phidot", "$.spin in axes of the body, $.omega in those of the world",
    "$.omega" },
  { "shape geometry collision", "bodies whose shapes touch: contact c { between = $, other; with newton(0.5); }",
    NULL },
  { "q", "$.q", "a planar body has an angle: $.angle" },
  { "m M weight", "$.mass", NULL },
  { "I J", "$.inertia", NULL },
  { "a acc acceleration", "a velocity can jump; a force follows from impulses: contact_name.impulse($)", NULL },
  { "f F force forces torque",
    "a force on it is `force $.r = [1, 0, 0] [N];`, a torque `force $.omega = [0, 0, 1] [N*m];`, an impulse of a "
    "contact contact_name.impulse($)",
    "a force on it is `force $.r = [1, 0] [N];`, a torque `force $.angle = 1 [N*m];`, an impulse of a contact "
    "contact_name.impulse($)" },
};

const char *body_part_meant(Arena *a, const char *body, bool planar, const char *name) {
  const char *help = NULL;
  for (size_t i = 0; i < sizeof body_parts / sizeof *body_parts && !help; i++)
    if (list_has(body_parts[i].names, name, strlen(name)))
      help = planar && body_parts[i].planar ? body_parts[i].planar : body_parts[i].help;
  if (!help) return NULL;
  Text t = {0};
  for (const char *c = help; *c; c++) {
    if (*c == '$') text_add(&t, body);
    else text_addc(&t, *c);
  }
  const char *kept = arena_printf(a, "%s", text_str(&t));
  text_free(&t);
  return kept;
}

// --- names ---

static const struct { const char *names, *help; } constants[] = {
  { "PI Pi M_PI np.pi", "pi is written pi" },
  { "Inf INF Infinity infinity infty oo", "infinity is written inf" },
  { "Math math np numpy", "functions and constants have no prefix: sin(x), pi" },
  { "true True TRUE", "a switch is a number, 1 or 0: discrete on = 1; ... if on > 0 then ..." },
  { "false False FALSE", "a switch is a number, 1 or 0: discrete on = 1; ... if on > 0 then ..." },
  { "NaN nan", "there is no such value" },
  { "None none null NULL nil undefined", "every parameter has a number: param k = 1; --set k=2 gives another one" },
  { "end last", "the last index is the size, which a parameter holds: param n = 3; state x[n] = 0; ... x[n]" },
};

const char *name_meant(const Env *env, const char *name) {
  Elab *e = env->e;
  size_t n = strlen(name);
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
    if (list_has(constants[i].names, name, n)) return constants[i].help;
  if (n == 1 && strchr("ijk", *name) && env->array)
    return arena_printf(e->a, "the index of an element is declared with its array: %s[%s in 1:n] = ...",
                        env->array->name, name);
  if (n == 1 && strchr("ijk", *name))
    return arena_printf(e->a, "%san index runs in a loop or a sum: for %s in 1:n { ... } or sum(%s in 1:n) x[%s]",
                        *name == 'k' ? "declare it: param k = 2;  " : "", name, name, name);
  // xdot, x_dot, dx, dxdt, vx: the derivative of what is declared
  const char *inner = NULL;
  if (n > 4 && !strcmp(name + n - 4, "_dot")) inner = arena_strndup(e->a, name, n - 4);
  else if (n > 3 && !strcmp(name + n - 3, "dot")) inner = arena_strndup(e->a, name, n - 3);
  else if (n > 3 && name[0] == 'd' && !strcmp(name + n - 2, "dt")) inner = arena_strndup(e->a, name + 1, n - 3);
  else if (n > 1 && name[0] == 'd') inner = arena_strndup(e->a, name + 1, n - 1);
  if (inner && env->scope && scope_find(env->scope, intern(e->in, inner)))
    return arena_printf(e->a, "the time derivative of %s is %s'", inner, inner);
  // v or vx: a velocity; g: the one of the Earth
  const Symbol *moves = NULL;
  for (size_t i = 0; env->scope && i < map_size(env->scope->names) && n <= 2 && *name == 'v'; i++) {
    const Symbol *y = map_value_at(env->scope->names, i);
    bool named = n == 1 || (y->name[0] == name[1] && !y->name[1]);
    if (y->kind == SY_VARIABLE && y->var_kind == MV_COORD && named && !moves) moves = y;
  }
  if (moves) return arena_printf(e->a, "the velocity of %s is %s'", moves->name, moves->name);
  if (n == 1 && *name == 'g')
    return e->has_units ? "declare it: param g = 9.81 [m/s^2];" : "declare it: param g = 9.81;";
  Unit u;
  const char *bad;
  int length;
  if (n > 1 && unit_parse(name, &u, &bad, &length))
    return arena_printf(e->a, "if a unit is meant, it stands in brackets behind a number, 2 [%s], or behind a colon in "
                              "a declaration", name);
  return NULL;
}

// --- units ---

static const struct { const char *names, *unit; } units[] = {
  { "degC celsius Celsius C_deg", NULL },
  { "degF fahrenheit", NULL },
  { "Nm", "N*m" }, { "Nms", "N*m*s" }, { "Ns", "N*s" }, { "kNm", "kN*m" }, { "Ws", "W*s" }, { "kWh", "kW*h" },
  { "mps", "m/s" }, { "kmh kph", "km/h" }, { "rpm RPM", "rev/min" },
  { "sec secs second seconds Sec S_ec", "s" }, { "msec millisecond milliseconds", "ms" },
  { "minute minutes mins", "min" },
  { "hour hours hr hrs", "h" }, { "day days d", "24 h" },
  { "meter meters metre metres M", "m" }, { "millimeter millimeters millimetre", "mm" },
  { "kilometer kilometre", "km" },
  { "kilogram kilograms kilo Kg KG", "kg" }, { "gram grams gr", "g" }, { "ton tonne", "t" },
  { "newton Newton newtons", "N" }, { "joule Joule joules", "J" }, { "watt Watt watts", "W" },
  { "volt Volt volts", "V" }, { "ampere Ampere amp Amp amps", "A" }, { "hertz Hertz hz HZ", "Hz" },
  { "pascal Pascal pa", "Pa" }, { "farad Farad", "F" }, { "henry Henry", "H" }, { "Ohm OHM Ohms ohms", "ohm" },
  { "kelvin Kelvin", "K" }, { "coulomb Coulomb", "C" }, { "tesla Tesla", "T" },
  { "degree degrees Deg DEG", "deg" }, { "radian radians Rad", "rad" }, { "turn turns rot", "rev" },
  { "kOhm KOhm kOhms Kohm", "kohm" }, { "MOhm", "Mohm" }, { "mOhm", "mohm" },
  { "liter litre liters", "L" }, { "KHz", "kHz" }, { "Mhz", "MHz" }, { "KN", "kN" }, { "Km", "km" },
  { "inch in inches", "25.4 mm" }, { "ft foot feet", "304.8 mm" }, { "lb lbs pound pounds", "0.45359237 kg" },
  { "lbf", "4.4482216 N" }, { "mile miles mi", "1.609344 km" }, { "psi", "6894.757 Pa" }, { "kgf kp", "9.80665 N" },
  { "atm", "101325 Pa" }, { "hp", "745.7 W" }, { "cal", "4.1868 J" },
};

// m/s2 with its powers: m/s^2.
static const char *with_powers(Elab *e, const char *unit) {
  Text t = { 0 };
  for (const char *c = unit; *c; c++)
    text_printf(&t, "%s%c", isdigit((unsigned char)*c) && c > unit && isalpha((unsigned char)c[-1]) ? "^" : "", *c);
  const char *help = arena_printf(e->a, "a power is written with ^: %s", text_str(&t));
  text_free(&t);
  return help;
}

const char *unit_meant(Elab *e, const char *whole, const char *name, int n) {
  static const char *const types[] = { "float", "double", "real", "Real", "int", "integer", "Integer", "bool",
                                       "number" };
  if (name > whole && isdigit((unsigned char)*name) && isalpha((unsigned char)name[-1])) return with_powers(e, whole);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strlen(types[i]) == (size_t)n && !memcmp(types[i], name, (size_t)n))
      return "types are not written; behind the colon stands a unit, as in x : m = 1";
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (!list_has(units[i].names, name, (size_t)n)) continue;
    if (!units[i].unit)
      return "temperatures are in kelvin: 20 degrees Celsius are 293.15 [K], a difference of 20 is 20 [K]";
    const char *unit = units[i].unit;
    int number = (int)strcspn(unit, " ");
    if (unit[number]) return arena_printf(e->a, "1 %.*s is %.*s [%s]", n, name, number, unit, unit + number + 1);
    return arena_printf(e->a, "it is written %s", unit);
  }
  return NULL;
}

// --- laws ---

const char *law_meant(const char *name) {
  static const struct { const char *names, *help; } laws[] = {
    { "restitution e cor bounce impact", "the coefficient of restitution is that of newton(e)" },
    { "newtonImpact newtonImpactFriction NewtonImpactNSL NewtonImpactFrictionNSL newton_impact",
      "the laws stand side by side: with newton(e), coulomb(mu)" },
    { "Poisson", "it is written poisson(e)" },
    { "LZB", "it is written lzb(e, ratio, exponent)" },
    { "plastic rigid", "an impact without rebound is inelastic" },
    { "friction mu dry", "friction is coulomb(mu), with a slip velocity" },
    { "stick no_slip rough", "a contact that cannot slide is a constraint on its slip velocity" },
    { "hertz Hertz penalty compliant spring soft stiffness kelvin_voigt",
      "a compliant contact has its force in the gap: contact floor: z + floor.lambda/k >= 0" },
    { "stribeck Stribeck viscous", "a force that depends on the velocity is a force item: force x = -c*x'" },
    { "signorini Signorini unilateral", "it is what a contact says; its impact law is newton(e)" },
  };
  for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
    if (list_has(laws[i].names, name, strlen(name))) return laws[i].help;
  return NULL;
}

// --- entries of simulate ---

const char *entry_meant(const char *name) {
  static const struct { const char *names, *help; } other[] = {
    { "dt h delta MaxStep maxStep max_step dtmax FixedStep stepsize step_size timestep "
      "time_step hstep fixedStep interval Interval Ts",
      "the step is step = 5 [ms]" },
    { "T tend t_end tEnd tf tfinal t_final stop stopTime StopTime to end duration tmax final time",
      "the end time is until = 2 [s]" },
    { "t0 tstart t_start startTime StartTime from begin", "the start time is start = 0 [s]" },
    { "method integrator Algorithm algorithm integration", "the scheme is scheme = moreau(theta = 1/2)" },
    { "theta gamma", "theta and gamma belong to the scheme: scheme = moreau(theta = 1/2, gamma = 1)" },
    { "tol Tolerance eps epsilon rtol atol reltol", "the tolerance is tolerance = 1e-12" },
    { "every output record", "it is given on the command line: --every 10, --record a,b, -o FILE" },
    { "tspan t_span timespan time_span T_span", "start, end and step: start = 0 [s], until = 2 [s], step = 5 [ms]" },
    { "steps n N nsteps samples", "the step is given: step = 10 [ms]" },
    { "osns lcp", "the solver of the one-step problem is solver = auto" },
  };
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    if (list_has(other[i].names, name, strlen(name))) return other[i].help;
  return NULL;
}

// --- models ---

static const char *page_of(Elab *e, const char *name, bool function) {
  LibraryPart *part;
  int n = library_parts(e->a, e->opt ? e->opt->std_dir : NULL, &part);
  for (int i = 0; i < n; i++)
    if (part[i].function == function && !strcmp(part[i].name, name)) return part[i].page;
  return NULL;
}

const char *std_file_of(Elab *e, const char *model) { return page_of(e, model, false); }
const char *std_function(Elab *e, const char *name) { return page_of(e, name, true); }
