"""Machines between a circuit and a motion, against Runge-Kutta on equations written by hand, and against the law that
what leaves the circuit arrives at the shaft."""
import math

from circuits import run_of
from exact import runge_kutta
from suite import need

def head(text):
    """Both pages of mechanics have a Gear: one of them is imported."""
    mechanics = "joints" if "body wheel" in text else "mechanics1d"
    return f'import "std/{mechanics}.nsm";\nimport "std/electromechanics.nsm";\n' + text


def end_of(f, y, until, steps):
    for _ in range(steps):
        y = runge_kutta(f, y, until/steps)
    return y


def errors(text, columns, wanted, steps, *flags):
    """Largest relative error of the last row, for each length of the step."""
    found = []
    for h in steps:
        run, _ = run_of(head(text), "--step", f"{h!r}s", "--every", "1000000", *flags)
        found.append(max(abs(run[c][-1]/w - 1) for c, w in zip(columns, wanted)))
    return found


def falls(what, e, order, first):
    need(e[0] <= first, f"{what}: error {e[0]:.3g}, not {first:.3g}")
    for a, b in zip(e, e[1:]):
        need(abs(math.log2(a/b) - order) <= 0.08, f"{what}: order {math.log2(a/b):.3g}, not {order}: {e}")


# --- L i' = 12 V - R i - K w, J w' = K i ---

def machine(mechanics, angle, rate, J):
    return """model Machine {
  node gnd : V = 0, plus : V, a : V, b : V;
  VoltageSource battery(a = plus, b = gnd, V = 12 [V]);
  %s
  Resistor r(a = plus, b = a, R = 1 [ohm]);  Inductor l(a = a, b = b, L = 1 [mH]);
  Emf emf(a = b, b = gnd, phi = %s, K = 0.05 [V*s/rad]);
  output speed : rad/s = %s, i : A = l.i;
  simulate { until = 20 [ms], step = 0.2 [ms], scheme = moreau(theta = 1/2) } }""" % (mechanics, angle, rate), J


MACHINES = {
    "a shaft": machine("Shaft rotor(J = 1e-4 [kg*m^2]);", "rotor.phi", "rotor.phi'", 1e-4),
    "a shaft against another": machine("Shaft rotor(J = 1e-4 [kg*m^2]);  Shaft housing(J = 3e-4 [kg*m^2]);",
                                       "rotor.phi - housing.phi", "rotor.phi' - housing.phi'", 0.75e-4),
    "a hinge in space": machine(
        """body wheel { mass = 2 [kg], inertia = [2e-4, 1e-4, 2e-4] [kg*m^2] }
  Hinge h(A = ground, B = wheel, at = [0, 0, 0] [m], axis = [0, 1, 0]);""", "h.angle", "h.rate", 1e-4),
    "a pin in the plane": machine(
        """body wheel { mass = 2 [kg], inertia = 1e-4 [kg*m^2], position = [0, 0] [m] }
  Pin h(A = ground, B = wheel, at = [0, 0] [m]);""", "h.angle", "h.rate", 1e-4)}


def direct_current(what):
    text, J = MACHINES[what]
    wanted = end_of(lambda y: [(12 - y[0] - 0.05*y[1])/1e-3, 0.05*y[0]/J], [0, 0], 0.02, 8000)
    steps = (2e-4, 1e-4, 5e-5)
    falls(what, errors(text, ("i", "speed"), wanted, steps), 2, 3e-5)
    located = errors(text, ("i", "speed"), wanted, steps, "--scheme", "moreau(located = true)")
    falls(what + ", located", located, 2, 3e-5)
    falls(what + ", theta = 1", errors(text, ("i", "speed"), wanted, steps, "--scheme", "moreau(theta = 1)"), 1, 2e-2)


# --- a coil whose core moves: the force of its energy ---

SOLENOID = """model Solenoid {
  node gnd : V = 0, plus : V, a : V;
  VoltageSource battery(a = plus, b = gnd, V = 12 [V]);
  Resistor r(a = plus, b = a, R = 20 [ohm]);
  Mass core(m = 50 [g], x0 = 5 [mm]);  Spring back(stretch = core.x - 5 [mm], k = 500 [N/m], c = 0.5 [N*s/m]);
  MovingInductor coil(a = a, b = gnd, L = 0.1 [H]/(1 + core.x/(1 [mm])));
  simulate { until = 20 [ms], step = 0.2 [ms] } }"""


BY_CURRENT = SOLENOID.replace("MovingInductor coil(a = a, b = gnd, L = 0.1 [H]/(1 + core.x/(1 [mm])));",
                              """var L = 0.1 [H]/(1 + core.x/(1 [mm]));
  state psi : V*s = 0;  algebraic i : A;  psi' = a - gnd;  psi = L*i;  flow a to gnd = i;
  force core.x = -i^2/2*100 [H/m]/(1 + core.x/(1 [mm]))^2;""")


def moving_core():
    """Order 2, and in the ledger nothing is left: what the circuit feeds is the energy of the field and the motion."""
    def f(y):
        psi, x, v = y
        i = psi*(1 + x/1e-3)/0.1
        return [12 - 20*i, v, (-500*(x - 5e-3) - 0.5*v - i*i/2*100/(1 + x/1e-3)**2)/0.05]
    psi, x, v = end_of(f, [0, 5e-3, 0], 0.02, 4000)
    columns, wanted = ("coil.psi", "core.x", "core.x'", "coil.i"), (psi, x, v, psi*(1 + x/1e-3)/0.1)
    falls("a moving core", errors(SOLENOID, columns, wanted, (2e-4, 1e-4, 5e-5)), 2, 3e-4)
    falls("psi = L(x) i", errors(BY_CURRENT, ("psi", "core.x", "core.x'", "i"), wanted, (2e-4, 1e-4, 5e-5)), 2, 3e-4)
    run, _ = run_of(head(SOLENOID), "--record", "energy,energy.residue")
    left = max(map(abs, run["energy.residue"]))
    need(left <= 1e-15*max(run["energy"]), f"the ledger misses {left:.3g} J of {max(run['energy']):.3g} J")


# --- electromotive forces that depend on the angle ---

PHASES = """model Phases {
  param K = 0.05 [V*s/rad];
  node gnd : V = 0, s1 : V, s2 : V, a1 : V, a2 : V, b1 : V, b2 : V;
  Shaft rotor(J = 1e-4 [kg*m^2], w0 = 100 [rad/s]);
  """ + "".join("""VoltageSource u%d(a = s%d, b = gnd, V = 6 [V]*sin(100*time/(1 [s]) - %d*pi/2 + 0.5));
  Resistor r%d(a = s%d, b = a%d, R = 0.5 [ohm]);  Inductor l%d(a = a%d, b = b%d, L = 1 [mH]);
  Emf e%d(a = b%d, b = gnd, phi = rotor.phi, K = K*sin(rotor.phi/(1 [rad]) - %d*pi/2));
  """ % ((k,)*12) for k in (1, 2)) + """simulate { until = 30 [ms], step = 0.1 [ms] } }"""


PHASES_AS_FAMILY = """model Phases {
  param K = 0.05 [V*s/rad];
  node gnd : V = 0, s[2] : V, a[2] : V, b[2] : V;
  Shaft rotor(J = 1e-4 [kg*m^2], w0 = 100 [rad/s]);
  VoltageSource u[k in 1:2](a = s[k], b = gnd, V = 6 [V]*sin(100*time/(1 [s]) - k*pi/2 + 0.5));
  Resistor r[k in 1:2](a = s[k], b = a[k], R = 0.5 [ohm]);  Inductor l[k in 1:2](a = a[k], b = b[k], L = 1 [mH]);
  Emf e[k in 1:2](a = b[k], b = gnd, phi = rotor.phi, K = K*sin(rotor.phi/(1 [rad]) - k*pi/2));
  simulate { until = 30 [ms], step = 0.1 [ms] } }"""


def two_phases():
    """As parts, whose unknowns the compiler eliminates, and as a family, whose unknowns are left."""
    def f(y):
        p, w, t = y[2:]
        e = [math.sin(p - k*math.pi/2) for k in (1, 2)]
        di = [(6*math.sin(100*t - k*math.pi/2 + 0.5) - 0.5*y[k-1] - 0.05*e[k-1]*w)/1e-3 for k in (1, 2)]
        return di + [w, 0.05*(e[0]*y[0] + e[1]*y[1])/1e-4, 1]
    wanted = end_of(f, [0, 0, 0, 100, 0], 0.03, 6000)[:4]
    columns = ("l1.i", "l2.i", "rotor.phi", "rotor.phi'")
    falls("two phases", errors(PHASES, columns, wanted, (1e-4, 5e-5, 2.5e-5)), 2, 2e-4)
    columns = ("l[1].i", "l[2].i", "rotor.phi", "rotor.phi'")
    falls("a family of phases", errors(PHASES_AS_FAMILY, columns, wanted, (1e-4, 5e-5, 2.5e-5)), 2, 2e-4)


# --- nothing is lost between circuit and shaft ---

LOSSLESS = """model Lossless {
  node gnd : V = 0, p : V, q : V;
  Capacitor c(a = p, b = gnd, C = 10 [mF], u0 = 5 [V]);
  Inductor l(a = p, b = q, L = 1 [mH]);
  Emf m(a = q, b = gnd, phi = rotor.phi, K = 0.05 [V*s/rad]);
  Shaft rotor(J = 1e-4 [kg*m^2]);  TorsionSpring s(stretch = rotor.phi, k = 0.5 [N*m/rad]);
  TorsionStop stop(gap = 0.3 [rad] - rotor.phi, e = 1);
  output E : J = rotor.J*rotor.phi'^2/2 + s.k*rotor.phi^2/2 + c.C*c.u^2/2 + l.L*l.i^2/2;
  simulate { until = 1 [s], step = 0.2 [ms], scheme = moreau(theta = 1/2) } }"""
PIEZO = """model Crystal {
  node gnd : V = 0, p : V;
  Capacitor c(a = p, b = gnd, C = 1 [uF]);  Piezo crystal(a = p, b = gnd, x = m.x, alpha = 0.1 [N/V]);
  Mass m(m = 10 [g], x0 = 1 [mm]);  Spring s(stretch = m.x, k = 1e4 [N/m]);
  output E : J = m.m*m.x'^2/2 + s.k*m.x^2/2 + c.C*c.u^2/2;
  simulate { until = 0.1 [s], step = 20 [us], scheme = moreau(theta = 1/2) } }"""
FAMILY = """model Row { param n = 3;
  node gnd : V = 0, bus : V, q[n] : V;
  Capacitor c(a = bus, b = gnd, C = 10 [mF], u0 = 5 [V]);
  Inductor l[i in 1:n](a = bus, b = q[i], L = 1 [mH]);
  Emf m[i in 1:n](a = q[i], b = gnd, phi = rotor[i].phi, K = 0.05 [V*s/rad]);
  Shaft rotor[i in 1:n](J = 1e-4 [kg*m^2]*i);
  output E : J = sum(i in 1:3) 1e-4 [kg*m^2]*i*rotor[i].phi'^2/2 + c.C*c.u^2/2 + sum(i in 1:3) 1e-3 [H]*l[i].i^2/2;
  simulate { until = 0.2 [s], step = 0.2 [ms], scheme = moreau(theta = 1/2) } }"""


def keeps_energy(what, text, *flags):
    """Coils, capacitors, springs and inertias, with impacts: theta = 1/2 keeps the sum of all energies to round-off."""
    run, said = run_of(head(text), *flags)
    E = run["E"]
    need(max(E) - min(E) <= 4e-14*E[0], f"{what}: the energy moves by {(max(E) - min(E))/E[0]:.3g} of itself")
    need(max(abs(x - y) for x, y in zip(E, E[1:])) <= 4e-15*E[0], f"{what}: by more than rounding in a step")
    need(what != "a machine, impacts" or "14 impacts" in said, f"no impacts: {said}")


def ideal_drive():
    """A machine without resistance follows its source: K w = u, and the current is what that takes (index 2)."""
    run, _ = run_of(head("""model Ideal { node gnd : V = 0, a : V;
  VoltageSource u(a = a, b = gnd, V = 12 [V]*time/(1 [s]));
  Emf m(a = a, b = gnd, phi = rotor.phi, K = 0.05 [V*s/rad]);  Shaft rotor(J = 1e-4 [kg*m^2]);
  simulate { until = 40 [ms], step = 1 [ms] } }"""))
    for k in range(1, len(run["time"])):
        t = run["time"][k]
        need(abs(run["rotor.phi'"][k] - 240*t) <= 1e-11 and abs(run["m.i"][k] - 0.48) <= 1e-11, f"not ideal at {t}")


def bridge_on_generator():
    """Two nodes of a generator hang on diodes alone; the bridge draws as a resistor does. gamma = 1/2: order 2."""
    text = """model Fed { node gnd : V = 0, a : V, b : V, c : V, p : V;
  Shaft rotor(J = 1e-4 [kg*m^2], w0 = 200 [rad/s]);  TorsionSpring s(stretch = rotor.phi, k = 1 [N*m/rad]);
  Emf emf(a = a, b = b, phi = rotor.phi, K = 0.05 [V*s/rad]);
  Inductor l(a = a, b = c, L = 1 [mH]);  Resistor load(a = p, b = gnd, R = 2 [ohm]);
  Diode d1(a = c, b = p);  Diode d2(a = b, b = p);  Diode d3(a = gnd, b = c);  Diode d4(a = gnd, b = b);
  simulate { until = 0.1 [s], step = 0.1 [ms] } }"""
    i, w, phi = end_of(lambda y: [(0.05*y[1] - 2*y[0])/1e-3, (-0.05*y[0] - y[2])/1e-4, y[1]], [0, 200, 0], 0.1, 8000)
    columns, wanted, steps = ("l.i", "rotor.phi'", "rotor.phi"), (i, w, phi), (1e-4, 5e-5, 2.5e-5)
    falls("a bridge, gamma = 1/2",
          errors(text, columns, wanted, steps, "--scheme", "moreau(theta = 1/2, gamma = 1/2)"), 2, 2e-4)
    falls("a bridge, theta = 1", errors(text, columns, wanted, steps, "--scheme", "moreau(theta = 1)"), 1, 8e-2)


def chopper_with_brake(steps=(4e-4, 2e-4, 1e-4, 5e-5, 2e-5)):
    """Its current is 0 behind a diode that blocks, up to rounding of what made it, and Newton's method asks no more."""
    text = """model Chopper { node gnd : V = 0, s : V, m : V;
  VoltageSource src(a = s, b = gnd, V = 24 [V]);
  var phase = time/(20 [ms]) - floor(time/(20 [ms]));
  Switch sw(a = s, b = m, on = if phase < 0.4 then 1 else -1);  Diode fw(a = gnd, b = m);
  Shaft rotor(J = 1e-3 [kg*m^2]);  TorsionSpring spring(stretch = rotor.phi, k = 0.2 [N*m/rad]);
  DCMachine mot(a = m, b = gnd, phi = rotor.phi, R = 1 [ohm], L = 5 [mH], K = 0.1 [V*s/rad]);
  Brake brake(slip = rotor.phi', M = 0.3 [N*m]);
  simulate { until = 0.5 [s], step = 0.1 [ms] } }"""
    i = w = phi = 0.0
    h = 4e-6
    for k in range(125000):
        u = 24 if k % 5000 < 2000 else 0
        push = 0.1*i - 0.2*phi
        held = w == 0 and abs(push) <= 0.3
        sign = math.copysign(0.3, w if w != 0 else push)
        slope = lambda y: [(u - y[0] - 0.1*y[1])/5e-3 if u or y[0] > 0 else 0,
                           0 if held else (0.1*y[0] - 0.2*y[2] - sign)/1e-3, y[1]]
        before = w
        i, w, phi = runge_kutta(slope, [i, w, phi], h)
        i, w = (i if u else max(i, 0)), (0.0 if before*w < 0 else w)
    for flags in ("on", "off"):
        off = []
        for step in steps:
            run, _ = run_of(head(text), "--step", f"{step!r}s", "--every", "1000000", "--located", flags)
            off.append(abs(run["rotor.phi"][-1]/phi - 1) + abs(run["mot.i"][-1]/i - 1))
        need(all(e <= 250*h for e, h in zip(off, steps)), f"located {flags}: errors {off}")


# A flyback converter without nodes: an open switch is 1 Mohm beside 2 kohm, which 0.5 us do not resolve.
FLYBACK = """model Flyback {
  param N = 4, L = 0.2 [mH], C = 100 [uF], R = 10 [ohm], Rd = 20 [mohm], E = 48 [V], Rs = 2 [kohm];
  param k = 0.1 [V*s/rad], J = 1e-4 [kg*m^2/rad^2];
  discrete gate = 1;  every 20 [us] { gate = 1; }  every 20 [us] offset 8 [us] { gate = 0; }
  state i : A = 0, u : V = 0;  multiplier d : A;
  %s
  var G = if gate > 0 then 1/(10 [mohm]) else 1/(1 [Mohm]), x = (i + drive/Rs - d/N)/(G + 1/Rs);
  L*i' = drive - x;  C*u' = d - u/R;
  relation D: 0 <= u + Rd*d - (x - drive)/N perp d >= 0;
  simulate { until = 0.5 [ms], step = 0.5 [us], scheme = moreau(theta = 1/2) } }"""
FED = {"states": "var drive = E;",
       "states and a motor": """coord a : rad = 0, a' = 0 [rad/s];  kinetic J*a'^2/2;  force a = k*i;
  var drive = E - k*a';"""}


def converter_by_states(what):
    """theta and gamma are one number where two instants in a row would be wrong: not worse than theta = 1."""
    text = FLYBACK % FED[what]
    at = lambda h, *flags: run_of(text, "--step", h, "--every", "1000000", *flags)[0]["u"][-1]
    right = at("2e-8s", "--scheme", "moreau(theta = 1/2, gamma = 1/2)")
    euler = {h: abs(at(h, "--scheme", "moreau(theta = 1)") - right) for h in ("5e-7s", "1e-7s")}
    for scheme in ("moreau(theta = 1/2)", "moreau(theta = 1/2, gamma = 1)", "moreau(located = true)"):
        for h, most in euler.items():
            off = abs(at(h, "--scheme", scheme) - right)
            need(off <= 1.01*most, f"{scheme} at {h}: {off:.3g} V, theta = 1 {most:.3g} V")
    need(abs(at("1e-7s") - right) <= 1e-2*euler["1e-7s"], "moreau(theta = 1/2) is not near")


CASES = [(f"a machine on {what}", direct_current, what) for what in MACHINES] + [
    ("a coil whose core moves", moving_core), ("electromotive forces that depend on the angle", two_phases),
    ("a machine, impacts and no loss", keeps_energy, "a machine, impacts", LOSSLESS),
    ("a machine, located impacts and no loss", keeps_energy, "located", LOSSLESS, "--scheme", "moreau(located = true)"),
    ("a crystal without loss", keeps_energy, "a crystal", PIEZO),
    ("a family of machines without loss", keeps_energy, "a family", FAMILY),
    ("a chopper on a machine with a brake", chopper_with_brake), ("a machine without resistance", ideal_drive),
    ("a generator behind a bridge", bridge_on_generator)]
CASES += [(f"a converter by {what}", converter_by_states, what) for what in FED]
