"""Joints with friction, springs, stops and motors, their angles, and transmissions: against closed forms, by every
scheme that takes them; what is not given is not there (stdlib/joints.nsm, stdlib/transmissions.nsm). CASES as in
bodies.py."""
import math
import pathlib
import tempfile

from claims import run
from suite import need, nsm

ITERATED = ("moreau", "moreau(located = true)", "consistent", "consistent(located = true)", "consistent_explicit_mass")
ALL = ITERATED + ("midpoint",)
ANGLES = ("moreau", "moreau(located = true)")


def holds(body, schemes, *flags, std="joints", head=""):
    """A model of these items: its claims hold by each scheme. Gives the summaries."""
    text = f"""import "std/{std}.nsm";
model M {{
  {head}
{body}
}}"""
    return [run(text, "--scheme", scheme, "--expect", *flags)[1] for scheme in schemes]


def refused(text, code, *flags):
    """What is said."""
    with tempfile.NamedTemporaryFile("w", suffix=".nsm") as file:
        file.write(text)
        file.flush()
        ran = nsm("run", file.name, *flags)
    ran.expect(code)
    return ran.err


# --- friction ---

DRY = """  param w0 = 10 [rad/s], J = 0.02 [kg*m^2], m = 2 [kg], mu = 0.3, r = 10 [mm];
  gravity [0, 0, -9.81] [m/s^2];
  body b { mass = m, inertia = [J, J, J], spin = [0, w0, 0] }
  JOINT
  simulate { until = 4 [s], step = 1 [ms] }
  var brake = mu*r*m*9.81 [m/s^2]/J;                                     // mu r N over J
  expect abs(at(h.rate, 1 [s]) - (w0 - brake*1 [s])) <= 1e-10 [rad/s] and abs(final(h.rate)) <= 1e-14 [rad/s];
  expect abs(final(energy.contacts) - J*w0^2/2) <= 1e-9 [J];
  expect max(abs(h.friction[1])) <= mu*r*m*9.81 [m/s^2] + 1e-9 [N*m];"""


def dry():
    """A rotor on a dry bearing: its moment is mu r N, and it comes to rest. The loss is all its energy."""
    pin = "Hinge h(A = ground, B = b, at = [0, 0, 0] [m], axis = [0, 1, 0], mu = mu, radius = r);"
    cross = ("Universal h(A = ground, B = b, at = [0, 0, 0] [m], axis = [0, 1, 0], axis2 = [0, 0, 1], mu = mu, "
             "radius = r); output rate = h.rate;")
    holds(DRY.replace("JOINT", pin).replace("friction[1]", "friction"), ALL)
    holds(DRY.replace("JOINT", cross), ITERATED)


def dry_family():
    """Members of a family with coefficients of their own, one set from outside; planar pins and slides."""
    holds("""  param mu = [0.1, 0.2, 0.4], g = 9.81 [m/s^2];
  gravity [0, -9.81] [m/s^2];
  body w[i in 1:3] { mass = 2 [kg], inertia = 0.02 [kg*m^2], position = [i, 0] [m], spin = 10 [rad/s] }
  Pin p[i in 1:3](A = ground, B = w[i], at = [i, 0] [m], mu = mu[i], radius = 10 [mm]);
  body s { mass = 3 [kg], inertia = 0.1 [kg*m^2], position = [0, 0] [m], velocity = [2, 0] [m/s] }
  PlanarSlider guide(A = ground, B = s, at = [0, 0] [m], axis = [1, 0], mu = 0.1);
  simulate { until = 0.5 [s], step = 1 [ms] }
  var per_mu = 0.01 [m]*2 [kg]*g/(0.02 [kg*m^2])*time;
  expect max(abs(p[1].rate - 10 [rad/s] + 0.1*per_mu)) <= 1e-10;
  expect max(abs(p[2].rate - 10 [rad/s] + 0.25*per_mu)) <= 1e-10;
  expect max(abs(p[3].rate - 10 [rad/s] + 0.4*per_mu)) <= 1e-10;
  expect abs(final(guide.speed) - (2 [m/s] - 0.1*g*0.5 [s])) <= 1e-11 [m/s];""", ALL, "--set", "mu[2]=0.25")


def bushing():
    """On a dry bushing that slides and turns, the friction is against both together: |F| = mu N, and v : r w
    stays where m r^2 = J."""
    holds("""  param m = 2 [kg], r = 0.1 [m], v0 = 1 [m/s], mu = 0.1;
  gravity [0, 0, -9.81] [m/s^2];
  body b { mass = m, inertia = m*r^2*[1, 1, 1], velocity = [v0, 0, 0], spin = [v0/r, 0, 0] }
  Cylindrical c(A = ground, B = b, at = [0, 0, 0] [m], axis = [1, 0, 0], mu = mu, radius = r);
  simulate { until = 1 [s], step = 1 [ms] }
  expect abs(final(c.speed) - (v0 - mu*9.81 [m/s^2]*1 [s]/sqrt(2))) <= 1e-11 [m/s];
  expect max(abs(c.speed - r*c.rate)) <= 1e-12 [m/s];""", ALL)


def pressed_by_the_reaction():
    """A pendulum on a dry pin: by the argument, and with the reaction as normal force, are the same motion."""
    holds("""  gravity [0, 0, -9.81] [m/s^2];
  body b[i in 1:2] { mass = 2 [kg], inertia = [0.01, 0.02, 0.02] [kg*m^2], position = [0.3, i, 0] [m] }
  Hinge h(A = ground, B = b[1], at = [0, 1, 0] [m], axis = [0, 1, 0], mu = 0.3, radius = 40 [mm]);
  Hinge g(A = ground, B = b[2], at = [0, 2, 0] [m], axis = [0, 1, 0]);
  contact dry { normal_force = norm(g.reaction[1:3]); slip = 40 [mm]*g.rate; with coulomb(0.3); }
  simulate { until = 2 [s], step = 2 [ms] }
  output load = abs(dry.force_t) - 0.3*norm(g.reaction[1:3]);
  expect max(abs(h.angle - g.angle)) <= 1e-9 and max(h.angle) > 1.5 and max(load) <= 2e-8 [N];""", ITERATED)
    text = """model M { coord x = 0, x' = 1, y = 0; kinetic (x'^2 + y'^2)/2; potential 5*y; constraint c: y = 0;
  contact dry { normal_force = abs(c.force); slip = x'; with coulomb(0.1); }
  simulate { until = 1, step = 0.01 } expect abs(final(x') - 0.5) <= 1e-12; }"""
    for scheme in ITERATED:
        run(text, "--scheme", scheme, "--expect")
    run(text, "--scheme", "moreau", "--expect", "--whole-steps=off")
    err = refused(text, 1, "--scheme", "midpoint")
    need("E0705" in err and "forces of the step" in err, err)


# --- stops, springs, dampers ---

def stops():
    """A rotor and a slide hit their stops and come back with e times their speed; the loss is that of the impact."""
    for scheme in ALL:
        holds("""  param w0 = 2 [rad/s], e = 0.5, J = 0.5 [kg*m^2];
  body b { mass = 1 [kg], inertia = [J, J, J], spin = [0, 0, w0] }
  Hinge h(A = ground, B = b, at = [0, 0, 0] [m], axis = [0, 0, 1], lower = -1 [rad], upper = 1 [rad], restitution = e);
  body s { mass = 3 [kg], inertia = [1, 1, 1] [kg*m^2], velocity = [0, 0, -1] [m/s] }
  Slider q(A = ground, B = s, at = [0, 0, 0] [m], axis = [0, 0, 1], lower = -0.2 [m], restitution = 1/4);
  simulate { until = 1 [s], step = 1 [ms] }
  expect abs(final(h.rate) + e*w0) <= 1e-12 [rad/s] and max(h.angle) <= 1.0021;
  expect abs(at(h.angle, 0.4 [s]) - 0.8) <= 1e-6;
  expect abs(final(q.speed) - 0.25 [m/s]) <= 1e-12 [m/s] and min(q.position) >= -0.2011 [m];
  expect abs(final(energy.contacts) - (J*w0^2/2*(1 - e^2) + 1.5 [J]*(1 - 1/16))) <= 1e-11 [J];""", (scheme,))


def swung():
    """Springs and dampers against the closed form of the damped oscillator, about and along."""
    holds("""  param J = 0.5 [kg*m^2], k = 8 [N*m], d = 0.6 [N*m*s], a = 0.4 [rad];
  var s = d/(2*J), w = sqrt(k/J - s^2), exact = a - a*exp(-s*time)*(cos(w*time) + s/w*sin(w*time));
  body b { mass = 1 [kg], inertia = [J, J, J] }
  Hinge h(A = ground, B = b, at = [0, 0, 0] [m], axis = [0, 0, 1], stiffness = k, rest = a, damping = d);
  body c { mass = J/1 [m^2], inertia = [J, J, J] }
  Cylindrical q(A = ground, B = c, at = [0, 0, 0] [m], axis = [0, 0, 1], stiffness = k, rest = a, damping = d,
                slide_stiffness = k/1 [m^2], slide_rest = a*1 [m], slide_damping = d/1 [m^2]);
  simulate { until = 2 [s], step = 1 [ms] }
  expect max(abs(h.angle - exact)) <= 2e-6 and max(abs(q.angle - exact)) <= 2e-6;
  expect max(abs(q.position - exact*1 [m])) <= 2e-6 [m];""", ("moreau", "consistent", "consistent(located = true)"))


# --- motors ---

def motors():
    """A motor that is given the angle, the rate, the torque; its power stands in the ledger as work of forces."""
    for given, angle, schemes in (
            ("motor_angle = a*sin(w*time)", "a*sin(w*time)", ANGLES),
            ("motor_rate = a*w*cos(w*time)", "a*sin(w*time)", ANGLES),
            ("motor_torque = T", "T/(2*J)*time^2", ALL)):
        for kind, where in (("Hinge", "at = [0, 0, 0] [m], axis = [0, 0, 1]"), ("Pin", "at = [0, 0] [m]"),
                            ("Cylindrical", "at = [0, 0, 0] [m], axis = [0, 0, 1]")):
            place = "inertia = J, position = [0, 0] [m]" if kind == "Pin" else "inertia = [J, J, J]"
            holds(f"""  param J = 0.5 [kg*m^2], a = 0.7 [rad], w = 3 [rad/s], T = 0.4 [N*m];
  body b {{ mass = 1 [kg], {place} }}
  {kind} h(A = ground, B = b, {where}, {given});
  simulate {{ until = 1 [s], step = 1 [ms] }}
  expect max(abs(h.angle - {angle})) <= 1e-5 and max(abs(h.drive)) > 0.39 [N*m];
  output E = J*h.rate^2/2;
  expect abs(final(energy.forces) - (final(E) - initial(E))) <= 1e-10 [J];""", schemes)


STARTS = """import "std/joints.nsm";
model M {
  param w = 20 [rad/s];
  body crank { mass = 1 [kg], inertia = 0.01 [kg*m^2], position = [0.1, 0] [m]GIVEN }
  body rod { mass = 1 [kg], inertia = 0.03 [kg*m^2], position = [0.5, 0] [m] }
  body piston { mass = 2 [kg], inertia = 0.01 [kg*m^2], position = [0.8, 0] [m] }
  Pin main(A = ground, B = crank, at = [0, 0] [m], motor_rate = w);
  Pin big_end(A = crank, B = rod, at = [0.2, 0] [m]);
  Pin small_end(A = rod, B = piston, at = [0.8, 0] [m]);
  PlanarSlider guide(A = ground, B = piston, at = [0.8, 0] [m], axis = [1, 0]);
  simulate { until = 0.1 [s], step = 0.5 [ms]ENTRY }
  expect initial(main.rate) - w == 0 [1/s] or abs(initial(main.rate) - w) <= 1e-12 [1/s];
  expect abs(initial(rod.spin) + w/3) <= 1e-12 [1/s] and abs(final(main.angle) - 2) <= 1e-10;
}"""


def starts():
    """A motor starts a mechanism that is at rest: the velocities of the start follow, with a note. Velocities that
    somebody gave and that contradict it are refused, or moved where the model says so."""
    at_rest = STARTS.replace("GIVEN", "").replace("ENTRY", "")
    _, _, err = run(at_rest, "--expect")
    need("main.acts.motor drives from the first instant on" in err, err)
    against = STARTS.replace("GIVEN", ", spin = 3 [rad/s], velocity = [0, 0.3] [m/s]")
    err = refused(against.replace("ENTRY", ""), 3)
    need("violate" in err and "project_start in `simulate`" in err, err)
    for entry in (", project_start", ", project_start = true"):
        run(against.replace("ENTRY", entry), "--expect")
    with tempfile.NamedTemporaryFile("w", suffix=".nsm") as file:
        file.write(at_rest)
        file.flush()
        nsm("test", file.name).expect(0)
        ran = nsm("sweep", file.name, "--vary", "w=20,10", "--record", "final(main.angle)")
        ran.expect(0)
        need(ran.out.count("\n") == 3 and ",ok," in ran.out, ran.out)
    moving = """model M { param v = 2; coord x = 0, y = 0; kinetic (x'^2 + y'^2)/2; constraint led: x = sin(v*time);
  constraint tied: y - 2*x = 0; simulate { until = 1, step = 0.01, scheme = moreau }
  expect abs(initial(x') - 2) <= 1e-14 and abs(initial(y') - 4) <= 1e-14; }"""
    run(moving, "--expect")


# --- angles ---

FREE = """  param k = 1;
  body one { mass = 1, inertia = [0.2, 0.25, 0.1], spin = [1, 2, 3], attitude = rotation([1, 0, 1], 0.3) }
  body two { mass = 2, inertia = [0.3, 0.15, 0.35], position = [1, 0.1, 0.3], attitude = rotation([1, 2, 3], 0.5),
             spin = [1, 0, 2], velocity = [0.1, 0.2, -0.3] }
  JOINT
  potential 2*(norm(one.point([0, 0.3, 0.1]) - two.point([0.2, 0, 0.4])) - 0.5)^2;
  simulate { until = 1, step = 2 [ms], scheme = consistent, project_start }
  output turned_by = one.R*transpose(initial(one.R)*k), other = two.R*transpose(initial(two.R)*k);
  output off = norm((turned_by*MADE - other)*[1, 2, 3]);
  expect max(off) <= 1e-9 and drift(energy) <= 1e-11;"""


def angles():
    """Angles of a universal joint and of a ball make the attitude of one body from that of the other, and their rates
    are those that they have."""
    joint = "Universal j(A = one, B = two, at = [0.5, 0.1, 0], axis = [0, 0, 1], axis2 = [1, 1, 0]);"
    holds(FREE.replace("JOINT", joint)
          .replace("MADE", "rotation([0, 0, 1], j.angle)*rotation([1, 1, 0], j.angle2)") +
          """  output swept = [j.angle, j.angle2], rates = [j.rate, j.rate2], real = [j.angle', j.angle2'];
  expect max(norm(rates - real)) <= 1e-9 and max(abs(j.angle)) > 0.3;""", ("consistent", "consistent(located = true)"))
    holds(FREE.replace("JOINT", "Ball j(A = one, B = two, at = [0.5, 0.1, 0], axis = [0, 0, 1]);")
          .replace("MADE", "rotation([1, 0, 0], j.angles[1])*rotation([0, 1, 0], j.angles[2])"
                   "*rotation([0, 0, 1], j.angles[3])") +
          """  output turn = dot([1, 0, 0], transpose(turned_by)*other*[1, 0, 0]), tilt = cos(j.swing);
  expect max(abs(tilt - dot([0, 0, 1], transpose(turned_by)*other*[0, 0, 1]))) <= 1e-12 and max(j.swing) > 0.3;""",
          ("consistent",))


def dry_ball():
    """A ball in a dry socket: the moment mu r N is against the spin, whatever its axis; in the plane too."""
    holds(DRY.replace("JOINT", "Ball h(A = ground, B = b, at = [0, 0, 0] [m], mu = mu, radius = r);")
          .replace("spin = [0, w0, 0]", "spin = w0*[0.6, 0, 0.8]").replace("h.rate", "norm(b.spin)")
          .replace("abs(h.friction[1])", "norm(h.friction)") +
          "  expect max(norm(cross(b.omega, [0.6, 0, 0.8]))) <= 1e-10;", ITERATED)
    holds("""  gravity [0, -9.81] [m/s^2];
  body b { mass = 2 [kg], inertia = 0.02 [kg*m^2], spin = 10 [rad/s], position = [0, 0] [m] }
  Ball u(A = ground, B = b, at = [0, 0] [m], mu = 0.3, radius = 10 [mm]);
  simulate { until = 1 [s], step = 1 [ms] }
  expect abs(final(b.spin) - (10 - 0.3*0.01*2*9.81/0.02)) <= 1e-10 [rad/s];""", ITERATED)


def ball():
    """A ball: its cone is a stop; its spring has the potential k (1 - cos phi); its motor turns it about an axis."""
    holds("""  param J = 0.2 [kg*m^2], w0 = 3 [rad/s], e = 0.4;
  body b { mass = 1 [kg], inertia = [J, J, J], spin = [0, w0, 0] }
  Ball h(A = ground, B = b, at = [0, 0, 0] [m], axis = [0, 0, 1], cone = 0.6 [rad], restitution = e);
  simulate { until = 0.35 [s], step = 1 [ms] }
  output swing = h.swing, twist = h.twist;
  expect abs(final(b.spin[2]) + e*w0) <= 5e-3 [rad/s] and max(swing) <= 0.6031 and max(abs(twist)) <= 1e-12;""", ALL)
    holds("""  param J = 0.2 [kg*m^2], k = 0.8 [N*m], w0 = 1 [rad/s];
  body b { mass = 1 [kg], inertia = [J, J, J], spin = [0, w0, 0] }
  Ball h(A = ground, B = b, at = [0, 0, 0] [m], stiffness = k);
  simulate { until = 3 [s], step = 1 [ms] }
  output a = h.angles[2];
  expect abs(max(a) - 2*asin(w0/2*sqrt(J/k))) <= 1e-5 and drift(energy) <= 1e-12 [J];""", ("consistent",))
    holds("""  param J = 0.2 [kg*m^2];
  body b { mass = 1 [kg], inertia = [J, J, J] }
  Ball h(A = ground, B = b, at = [0, 0, 0] [m], damping = 0.3 [N*m*s], motor_torque = [0, 0, 0.6] [N*m]);
  simulate { until = 1 [s], step = 1 [ms] }
  expect abs(final(h.rates[3]) - 2*(1 - exp(-1.5))) <= 1e-6 and abs(final(h.rates[1])) <= 1e-14;""",
          ("moreau", "consistent"))


def homokinetic():
    """Behind a joint of constant velocity the shaft turns as the first one does, to round-off; the bend stays."""
    body = """  param beta = 40 [deg];
  body inlet { mass = 1 [kg], inertia = [0.01, 0.02, 0.02] [kg*m^2], position = [-0.3, 0, 0] [m] }
  body outlet { mass = 1 [kg], inertia = [0.01, 0.02, 0.02] [kg*m^2], position = 0.3 [m]*[cos(beta), sin(beta), 0],
                attitude = rotation([0, 0, 1], beta) }
  Hinge first(A = ground, B = inlet, at = [-0.3, 0, 0] [m], axis = [1, 0, 0], DRIVE);
  ConstantVelocity joint(A = inlet, B = outlet, at = [0, 0, 0] [m], axis = [1, 0, 0],
                         axis2 = [cos(beta), sin(beta), 0]);
  var shaft = [cos(beta), sin(beta), 0], side = initial(outlet.vector([0, 1, 0])), tip = outlet.point([0.3, 0, 0] [m]);
  var angle = turned(dot(outlet.vector([0, 1, 0]), cross(shaft, side)), dot(outlet.vector([0, 1, 0]), side));
  constraint bearing: [dot(tip, side), tip[3]] = 0;
  simulate { until = 0.5 [s], step = 1 [ms] }
  expect max(abs(first.angle - angle)) <= 1e-10 and max(abs(first.rate - dot(outlet.omega, shaft))) <= 1e-11 [1/s];
  expect drift(joint.bend) <= 1e-10 and max(first.angle) > 5;"""
    holds(body.replace("DRIVE", "motor_rate = 20 [rad/s]*cos(time/1 [s])"), ANGLES)
    holds(body.replace("DRIVE", "motor_torque = 3 [N*m]"), ALL)


# --- transmissions ---

def train():
    """Gears, a belt, a rack, a cam on axles that stand still: their laws hold to round-off."""
    holds("""  param J = 1e-3 [kg*m^2], r = 0.05 [m], lift = 0.02 [m];
  gravity [0, 0, -9.81] [m/s^2];
  body w[i in 1:3] { mass = 1 [kg], inertia = [J/2, J/2, J], position = [0.2 [m]*i, 0, 0] }
  Hinge axle[i in 1:3](A = ground, B = w[i], at = [0.2 [m]*i, 0, 0], axis = [0, 0, 1]);
  GearPair mesh(A = w[1], B = w[2], carrier = ground, axis = [0, 0, 1], teeth1 = 17, teeth2 = 43);
  BeltDrive belt(one = axle[2].angle, two = axle[3].angle, radius1 = 0.03 [m], radius2 = 0.06 [m]);
  body bar { mass = 2 [kg], inertia = [0.01, 0.01, 0.01] [kg*m^2], position = [0.6 [m], -r, 0] }
  Slider guide(A = ground, B = bar, at = [0.6 [m], -r, 0], axis = [1, 0, 0]);
  RackPinion rack(A = bar, B = w[3], axis = [0, 0, 1], along = [1, 0, 0], radius = -r);
  body stem { mass = 0.5 [kg], inertia = [0.01, 0.01, 0.01] [kg*m^2], position = [0, 0, 1] [m] }
  Slider lifts(A = ground, B = stem, at = [0, 0, 1] [m], axis = [0, 0, 1]);
  Cam valve(lift = lift*(1 - cos(axle[1].angle)), follower = lifts.position);
  force axle[1].angle = 0.5 [N*m];
  simulate { until = 0.4 [s], step = 1 [ms] }
  expect max(abs(17*axle[1].angle + 43*axle[2].angle)) <= 43e-12 and max(axle[1].angle) > 5;
  expect max(abs(axle[2].angle - 2*axle[3].angle)) <= 1e-12;
  expect max(abs(guide.position - r*axle[3].angle)) <= 1e-13 [m];
  expect max(abs(lifts.position - lift*(1 - cos(axle[1].angle)))) <= 1e-4 [m];
  expect abs(final(axle[1].reaction[2]) - final(mesh.push)) <= 1e-9 [N];""",
          ("moreau", "consistent", "consistent(located = true)"), std="transmissions")


def planets():
    """Sun, planet on an arm, a ring that stands: Willis' ratio z_s/(z_s + z_r); the cam is followed in space."""
    holds("""  param zs = 20, zp = 15, zr = 50, D = 0.175 [m];
  body sun { mass = 1 [kg], inertia = [1, 1, 2]*1e-3 [kg*m^2] }
  body arm { mass = 1 [kg], inertia = [1, 1, 2]*1e-3 [kg*m^2] }
  body planet { mass = 1 [kg], inertia = [1, 1, 2]*1e-3 [kg*m^2], position = [D, 0, 0] }
  body ring { fixed }
  Hinge s(A = ground, B = sun, at = [0, 0, 0] [m], axis = [0, 0, 1]);
  Hinge c(A = ground, B = arm, at = [0, 0, 0] [m], axis = [0, 0, 1]);
  Hinge p(A = arm, B = planet, at = [D, 0, 0], axis = [0, 0, 1]);
  GearPair inner(A = sun, B = planet, carrier = arm, axis = [0, 0, 1], teeth1 = zs, teeth2 = zp);
  GearPair outer(A = planet, B = ring, carrier = arm, axis = [0, 0, 1], teeth1 = zp, teeth2 = zr, inside = 1);
  force s.angle = 0.5 [N*m];
  simulate { until = 0.5 [s], step = 1 [ms] }
  expect max(abs(c.angle - s.angle*zs/(zs + zr))) <= 1e-12 and max(s.angle) > 1;
  expect max(abs(p.angle + c.angle*zr/zp)) <= 1e-11;
  expect abs(final(energy.forces) - final(energy)) <= 1e-12 [J];""", ("consistent",), std="transmissions")


def elastic_and_open():
    """A belt that gives, and a follower that leaves its cam where the cam falls away faster than it can."""
    holds("""  param J = 1e-3 [kg*m^2], r = 0.05 [m], k = 2000 [N/m], w = 30 [rad/s];
  gravity [0, 0, -9.81] [m/s^2];
  body a { mass = 1 [kg], inertia = [J, J, J], spin = [0, 0, 1] [rad/s] }
  body b { mass = 1 [kg], inertia = [J, J, J], position = [1, 0, 0] [m] }
  Hinge ha(A = ground, B = a, at = [0, 0, 0] [m], axis = [0, 0, 1]);
  Hinge hb(A = ground, B = b, at = [1, 0, 0] [m], axis = [0, 0, 1]);
  BeltDrive belt(one = ha.angle, two = hb.angle, radius1 = r, radius2 = r, stiffness = k);
  var f = sqrt(2*k*r^2/J);
  body stem { mass = 0.5 [kg], inertia = [0.01, 0.01, 0.01] [kg*m^2], position = [0, 0, 1] [m] }
  Slider lifts(A = ground, B = stem, at = [0, 0, 1] [m], axis = [0, 0, 1]);
  Cam valve(lift = -0.02 [m]*time^2/(1 [ms])^2*1e-6, follower = lifts.position, restitution = 0);
  Cam fast(lift = -20 [m/s^2]*time^2/2 - 0.2 [m], follower = lifts.position, restitution = 0, gap = 0.3 [m]);
  simulate { until = 0.3 [s], step = 0.1 [ms], scheme = moreau }
  expect max(abs(ha.rate - hb.rate - 1 [rad/s]*cos(f*time))) <= 2e-3 [rad/s];
  expect max(valve.push) > 4.8 [N] and max(fast.push) == 0 [N];""", ("moreau", "moreau(located = true)"),
          std="transmissions")


# --- what is not given ---

def nothing_else():
    """A joint without these arguments has its own rows and columns and no others."""
    text = """import "std/joints.nsm";
model M {
  body b { mass = 1, inertia = [1, 1, 1] }
  KIND h(A = ground, B = b, at = [0, 0, 0]WORDS);
  simulate { until = 0.1, step = 0.1 }
}"""
    for kind, words, outputs, rows in (
            ("Hinge", ", axis = [0, 0, 1]", 8, 5), ("Slider", ", axis = [0, 0, 1]", 11, 5), ("Ball", "", 3, 3),
            ("Cylindrical", ", axis = [0, 0, 1]", 10, 4),
            ("Universal", ", axis = [0, 0, 1], axis2 = [1, 0, 0]", 6, 4)):
        c, _, _ = run(text.replace("KIND", kind).replace("WORDS", words))
        mine = [n for n in c if n.startswith("h.")]
        lambdas = [n for n in mine if "lambda" in n]
        turns = [n for n in mine if "turned" in n]
        need(len(lambdas) == rows, f"{kind}: {lambdas}")
        need(len(mine) - rows - len(turns) == outputs, f"{kind}: {mine}")
        need(len(turns) == (kind in ("Hinge", "Cylindrical")), f"{kind}: {turns}")


def twins():
    """std/mechanics1d and std/joints both have Gear and Screw: both are imported, parts that only one of them has are
    used, and a file of one's own that imports one of them names its Gear anew."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "mine.nsm").write_text('import "std/joints.nsm";\nmodel JointGear(one, two, ratio) {\n'
                                                    '  Gear g(one = one, two = two, ratio = ratio);\n}\n')
        c, s, _ = run(f"""import "std/mechanics1d.nsm";
import "{folder}/mine.nsm";
model Both {{
  body a {{ mass = 1, inertia = [0.1, 0.1, 0.1], position = [0, 0, 0], spin = [0, 0, 1] }}
  body b {{ mass = 1, inertia = [0.1, 0.1, 0.1], position = [1, 0, 0], spin = [0, 0, -0.5] }}
  Hinge h(A = ground, B = a, axis = [0, 0, 1], at = [0, 0, 0]);
  Hinge k(A = ground, B = b, axis = [0, 0, 1], at = [1, 0, 0]);
  JointGear g(one = h.angle, two = k.angle, ratio = -2);
  coord p = 0, p' = 1; coord q = 0, q' = 0.5;
  kinetic p'^2/2 + q'^2/2;
  Gear plain(a = p, b = q, n = 2);
  output joints = h.angle + 2*k.angle, plane = p - 2*q;
  simulate {{ until = 1, step = 10 [ms] }}
}}""")
    need(max(map(abs, c["joints"])) <= 1e-12 and max(map(abs, c["plane"])) <= 1e-12, "a gear slips")


def soft_stop():
    """A potential with max of a hinge's angle is no jump: energy to round-off, and it bounces back."""
    c, s, _ = run("""import "std/joints.nsm";
model Soft {
  param k = 1000, a = 0.3;
  gravity [0, 0, -9.81];
  body b { mass = 1, inertia = [0.1, 0.1, 0.1], position = [1, 0, 0] }
  Hinge h(A = ground, B = b, axis = [0, 1, 0], at = [0, 0, 0]);
  potential k*max(0, h.angle - a)^2/2;
  output angle = h.angle;
  simulate { until = 1 [s], step = 1 [ms] }
}""")
    need(s["energy"]["drift"] <= 1e-10 and 0.31 <= max(c["angle"]) <= 0.5 and c["angle"][-1] < max(c["angle"]) - 0.01,
         f"{s['energy']}, up to {max(c['angle'])}, ends at {c['angle'][-1]}")


GRIP = """  param m = 0.5 [kg], w = 0.1 [m], press = 12 [N];
  gravity [0, 0, -9.81] [m/s^2];
  body floor { fixed, shape = halfspace }
  body crate { shape = box([w, w, w]), mass = m, position = [0, 0, 0.5] [m] }
  body left  { shape = box([0.02, 0.06, 0.06] [m]), mass = 0.1 [kg], position = [-w/2 - 0.011 [m], 0, 0.5 [m]] }
  body right { shape = box([0.02, 0.06, 0.06] [m]), mass = 0.1 [kg], position = [w/2 + 0.011 [m], 0, 0.5 [m]] }
  discrete f : N = press;
  every 10 [ms] { f = press*max(0, 1 - max(0, (time - 0.5 [s])/(0.3 [s]))); }
  Slider jl(A = ground, B = left, at = [-0.06, 0, 0.5] [m], axis = [1, 0, 0], motor_force = f);
  Slider jr(A = ground, B = right, at = [0.06, 0, 0.5] [m], axis = [-1, 0, 0], motor_force = f);
  contact grip { between = crate, [left, right]; with newton(0), coulomb(0.5); }
  contact land { between = crate, floor; with newton(0.2), coulomb(0.4); }
  expect abs(at(crate.r[3], 0.5 [s]) - 0.5 [m]) <= 2e-4 [m];
  expect abs(final(crate.r[3]) - w/2) <= 5e-3 [m] and final(energy.kinetic) <= 1e-9 [J];
  simulate { until = 2.5 [s], step = 1 [ms] }"""


def gripper():
    """Fingers that let go: at the end they touch the crate that slides past, with no force. Its contacts carry nothing,
    and of the joints' rows some are driven by nothing; round-off of the last step is no measure there. Forces that are
    not unique may turn the crate as it slides, so that it tumbles before it rests."""
    holds(GRIP, ALL)
    for step in ("2e-3", "7e-4", "5e-4", "2.6e-4"):        # forces at twelve points are not unique: all of them hold
        c, s, _ = run('import "std/joints.nsm";\nmodel M {\n' + GRIP + "\n}", "--scheme", "moreau(located = true)",
                      "--step", step, "--until", "0.5")
        z = c["crate.r[3]"][-1]
        need(abs(z - 0.49991825) <= 1e-9, f"{step}: the crate is at {z!r}")


CRANE = """  gravity [0, -9.81] [m/s^2];
  body floor { fixed, shape = halfplane, position = [0, -3] [m] }
  body trolley { mass = 2 [kg], inertia = 0.1 [kg*m^2], position = [0, 0] [m] }
  body load { SHAPE mass = 1 [kg], inertia = 0.005 [kg*m^2], position = [0.6, -0.8] [m] }
  PlanarSlider rail(A = ground, B = trolley, at = [0, 0] [m], axis = [1, 0], mu = 0.05);
  Rope rope(A = trolley, B = load, a = [0, 0] [m], b = [0, 0] [m], e = 0.2);
  LAND
  output pull = rope.pull, x = load.r[1];
  simulate { until = 0.3 [s], step = 1 [ms] }"""


def crane():
    """A taut rope, dry friction by the reaction, and a shape that touches nothing yet: as without the shape."""
    plain = CRANE.replace("SHAPE", "").replace("LAND", "")
    shaped = CRANE.replace("SHAPE", "shape = disk(0.1 [m]),").replace(
        "LAND", "contact land { between = load, floor; with newton(0.3), coulomb(0.3); }")
    for scheme in ("consistent(located = true)", "moreau(located = true)"):
        (a, first, _), (b, second, _) = (run('import "std/joints.nsm";\nmodel M {\n' + text + "\n}", "--scheme", scheme)
                                         for text in (plain, shaped))
        need(second["steps"] <= first["steps"] + 2, f"{scheme}: {second['steps']} steps with a shape, {first['steps']}")
        for name, most in (("pull", 2e-5), ("x", 1e-9)):
            off = max(abs(p - q) for p, q in zip(a[name][2:], b[name][2:]))
            need(off <= most, f"{scheme}: {name} differs by {off}")


MOTOR = """import "std/joints.nsm";
model M {
  gravity [0, 0, -9.81];
  body arm { SHAPE mass = 1, inertia = [0.1, 0.1, 0.1], position = [1, 0, 0] }
  Hinge h(A = ground, B = arm, at = [0, 0, 0], axis = [0, 1, 0], motor_rate = RATE STOPS);
  MORE
  output a = h.angle, w = h.rate, push = h.drive;
  simulate { until = 1, step = 5e-3 }
}"""
AGAINST = (("", ", upper = 0.3", "", "contact h.acts.high"),
           ("", "", "Rope r(A = ground, B = arm, a = [1, 0, 0], b = [0, 0, 0], length = 0.5);", "contact r.taut"),
           ("", "", "contact c { normal = arm.r[3] + 0.3; slip = [arm.r[1]', arm.r[2]']; "
            "with newton(0.3), coulomb(0.4); }", "contact c "),
           ("shape = sphere(0.1),", "", "body p { fixed, shape = halfspace, position = [0, 0, -0.4] }  "
            "contact c { between = arm, p; with newton(0.3), coulomb(0.4); }", "contact c "))


def blocked():
    """A motor that drives what it turns into an obstacle: there is no motion, and the obstacle is named. Where it only
    holds it there, all rests, and the motor carries the weight."""
    schemes = ("moreau", "moreau(projection = true)", "moreau(located = true)", "event_driven", "moreau(theta = 1)")
    for shape, stops, more, name in AGAINST:
        text = MOTOR.replace("STOPS", stops).replace("MORE", more).replace("RATE", "1").replace("SHAPE", shape)
        for scheme in schemes:
            err = refused(text, 3, "--scheme", scheme)
            need(f"the rate of {name.strip()}" in err and "cannot rise above" in err, f"{scheme}: {err}")
    back = MOTOR.replace("MORE", "multiplier u;  force h.angle = u;  relation ratchet: 0 <= h.rate perp u >= 0;")
    for scheme in schemes[:4]:
        text = back.replace("RATE", "0.5 - time").replace("STOPS", "").replace("SHAPE", "")
        err = refused(text, 3, "--scheme", scheme)
        need("the output of relation ratchet must be >= 0, but cannot rise above" in err, f"{scheme}: {err}")
    held = MOTOR.replace("MORE", "").replace("SHAPE", "")
    for rate, stops in (("0", ", lower = 0, upper = 0"), ("max(0.5 - time, 0)", ", upper = 0.125")):
        for scheme in schemes[:3] + ("d1minus",):
            c = run(held.replace("STOPS", stops).replace("RATE", rate), "--scheme", scheme)[0]
            at = 0.125 if "time" in rate else 0
            need(abs(c["a"][-1] - at) <= 1e-12 and c["w"][-1] == 0, f"{scheme}: at {c['a'][-1]}, {c['w'][-1]}")
            need(abs(c["push"][-1] + 9.81*math.cos(at)) <= 1e-6, f"{scheme}: it carries {c['push'][-1]}")


TWO = """  gravity [0, 0, -9.81];
  body b { mass = 1, inertia = [0.1, 0.1, 0.1], position = [1, 0, 0] }
  Hinge h(A = ground, B = b, at = [0, 0, 0], axis = [0, 1, 0], lower = -0.3, upper = 0.3, restitution = 0.5, mu = 0.1,
          radius = 0.05);
  Hinge k(A = ground, B = b, at = [0, 1, 0], axis = [0, 1, 0]);
  expect abs(final(h.angle) - 0.3) <= 2e-3 and abs(final(h.rate)) <= 1e-12;
  simulate { until = 2, step = 2e-3 }"""


def rests_on_its_stop():
    """A dry hinge, and a second one on its axis that is one too many: at rest on the stop their forces are round-off in
    the impact of a step, and so is what presses the friction."""
    holds(TWO, ALL)


def nothing_moves():
    """All is 0: a step of one iteration. And stops that leave no place are named as such."""
    text = """import "std/joints.nsm";
model M {
  body b { mass = 1, inertia = [1, 1, 1] }
  Hinge h(A = ground, B = b, at = [0, 0, 0], axis = [0, 1, 0] STOPS);
  simulate { until = 1, step = 0.01 }
}"""
    for scheme in ALL:
        s = run(text.replace("STOPS", ""), "--scheme", scheme)[1]
        need(s["newton_iterations"] <= s["steps"], f"{scheme}: {s['newton_iterations']} iterations")
    err = refused(text.replace("STOPS", ", lower = 0.5, upper = 0.3"), 1)
    need("E0244" in err and "`lower` is above `upper`" in err, err)


CASES = [("dry bearings", dry), ("dry families", dry_family), ("dry bushing", bushing), ("dry ball", dry_ball),
         ("friction by the reaction", pressed_by_the_reaction), ("joints with stops", stops),
         ("joints with springs", swung), ("joints with motors", motors), ("motors start", starts),
         ("angles of joints", angles), ("ball with a cone", ball), ("constant velocity", homokinetic),
         ("gears, belt, rack, cam", train), ("planets", planets), ("belt that gives, open cam", elastic_and_open),
         ("joints without arguments", nothing_else), ("two files with a Gear", twins),
         ("a potential of a joint's angle with a stop", soft_stop), ("fingers that let go", gripper),
         ("a rope beside a shape", crane), ("motors that are blocked", blocked),
         ("two hinges, friction, and a stop", rests_on_its_stop), ("joints that do not move", nothing_moves)]
