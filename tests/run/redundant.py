"""Constraints that others imply (docs/numerics/bodies.md, "Redundant mechanisms"): shafts on Hooke's joints, planar
linkages of hinges in space, a door on two hinges, loops that float, flat positions, light bodies. CASES as in
bodies.py."""
import math

from claims import run
from suite import ROOT, need

HEAD = 'import "std/joints.nsm";\nmodel R {\n'
TAIL = "\n  simulate { until = UNTIL, step = 1 [ms] }\n}\n"
ENERGY = 1e-10
SHAFTS = """  param beta = ANGLE [deg], w = 10 [rad/s], c = cos(beta), s = sin(beta);
  body s1 { mass = 1 [kg], inertia = [1e-2, 2e-2, 2e-2] [kg*m^2], position = [-0.5, 0, 0] [m],
            spin = [w, 0 [rad/s], 0 [rad/s]] }
  body s2 { mass = 1 [kg], inertia = [1e-2, 2e-2, 2e-2] [kg*m^2], position = 0.5 [m]*[c, s, 0],
            attitude = rotation([0, 0, 1], beta), spin = [w*c, 0 [rad/s], 0 [rad/s]] }
  Hinge h1(A = ground, B = s1, at = [-0.5, 0, 0] [m], axis = [1, 0, 0]);
  Hinge h2(A = ground, B = s2, at = 0.5 [m]*[c, s, 0], axis = [c, s, 0]);
  Universal u(A = s1, B = s2, at = [0, 0, 0] [m], axis = [0, 0, 1], axis2 = [-s, c, 0]);
  output off = sin(h2.angle)*cos(h1.angle) - sin(h1.angle)*cos(h2.angle)*cos(beta);
"""
THIRD = """  body s3 { mass = 1 [kg], inertia = [1e-2, 2e-2, 2e-2] [kg*m^2], position = [c + 0.5, s, 0]*1 [m],
            spin = [w, 0 [rad/s], 0 [rad/s]] }
  Hinge h3(A = ground, B = s3, at = [c + 0.5, s, 0]*1 [m], axis = [1, 0, 0]);
  Universal u2(A = s2, B = s3, at = [c, s, 0]*1 [m], axis = [-s, c, 0], axis2 = [0, 0, 1]);
  output unlike = h1.angle - h3.angle;
"""


def holds(text, until="0.5 [s]", flags=()):
    c, s, err = run(HEAD + text + TAIL.replace("UNTIL", until), *flags)
    need(s["status"] == "ok" and s["energy"]["drift"] <= ENERGY, f"{s['status']}, {s['energy']}")
    need("depend on each other" in err, "nothing is said")
    return c


def shafts(angle, more="", scheme="consistent"):
    """tan b = cos(beta) tan a, b and a of the two shafts; and two joints in a Z make the third turn as the first."""
    c = holds(SHAFTS.replace("ANGLE", str(angle)) + more, flags=("--scheme", scheme))
    for name in ("off", "unlike")[:2 if more else 1]:
        need(max(map(abs, c[name])) <= 1e-10, f"{name}: {max(map(abs, c[name])):.2g}")


def slider_crank():
    """Three hinges and a slide: 20 rows on 18 velocities; the piston goes as its closed form says."""
    c = holds("""  gravity [0, 0, -9.81] [m/s^2];
  param r = 0.2 [m], l = 0.6 [m], a0 = 50 [deg], px = r*cos(a0), pz = r*sin(a0), sx = px + sqrt(l^2 - pz^2);
  param J = [0.01, 0.01, 0.01] [kg*m^2];
  body crank { mass = 1 [kg], inertia = J, position = [px/2, 0 [m], pz/2] }
  body rod { mass = 1 [kg], inertia = J, position = [(px + sx)/2, 0 [m], pz/2] }
  body piston { mass = 2 [kg], inertia = J, position = [sx, 0 [m], 0 [m]] }
  Hinge a(A = ground, B = crank, at = [0, 0, 0] [m], axis = [0, 1, 0]);
  Hinge b(A = crank, B = rod, at = [px, 0 [m], pz], axis = [0, 1, 0]);
  Hinge c(A = rod, B = piston, at = [sx, 0 [m], 0 [m]], axis = [0, 1, 0]);
  Slider d(A = ground, B = piston, at = [sx, 0 [m], 0 [m]], axis = [1, 0, 0]);
  output off = (sx + d.position - r*cos(a0 - a.angle))^2 + (r*sin(a0 - a.angle))^2 - l^2;
""", "1 [s]")
    need(max(map(abs, c["off"])) <= 1e-10, f"off by {max(map(abs, c['off'])):.2g}")


def smallest():
    """A door on two hinges that turns: each carries half of its weight, and what they share is the smallest."""
    c = holds("""  gravity [0, 0, -9.81] [m/s^2];
  body door { mass = 20 [kg], inertia = [3, 2, 1] [kg*m^2], position = [0.4, 0, 1] [m], spin = [0, 0, 1] [rad/s],
              velocity = [0, 0.4, 0] [m/s] }
  Hinge low(A = ground, B = door, at = [0, 0, 0.2], axis = [0, 0, 1]);
  Hinge high(A = ground, B = door, at = [0, 0, 1.8], axis = [0, 0, 1]);
  output l1 = low.reaction[1], l3 = low.reaction[3], h1 = high.reaction[1], h3 = high.reaction[3];
  output l5 = low.reaction[5], h5 = high.reaction[5], x = door.r'[1], angle = low.angle;
""", "0.1 [s]")
    k = len(c["time"]) - 1
    need(max(abs(c["l3"][k] - 98.1), abs(c["h3"][k] - 98.1)) <= 1e-9, f"{c['l3'][k]}, {c['h3'][k]}: not halves")
    need(abs(c["l5"][k] - c["h5"][k]) <= 1e-9, "torques of two hinges alike differ")
    # forces F -+ D and torques T each: the moment 1.6 D + 2 T is given, and 2 D^2 + 2 T^2 is least where D/T = 0.8
    apart, torque = 0.5*(c["l1"][k] - c["h1"][k]), 0.5*(c["l5"][k] + c["h5"][k])
    need(abs(abs(apart) - 0.8*abs(torque)) <= 1e-2*abs(apart), f"{apart} and {torque}: not the smallest")


def floating():
    """A plane four-bar of hinges free in space: angular momentum to round-off, as without redundant rows."""
    turn = " + ".join(f"b[{i}].R*[J[1]*b[{i}].spin[1], J[2]*b[{i}].spin[2], J[3]*b[{i}].spin[3]] + "
                      f"2*cross(b[{i}].r, b[{i}].r')" for i in range(1, 5))
    place = "if i == 1 then 0.5 else if i == 2 then 1.1 else if i == 3 then 0.65 else 0.05, " \
            "if i == 1 then 0 else if i == 2 then 0.35 else if i == 3 then 0.6 else 0.25, 0"
    c = holds(f"""  param J = [0.05, 0.06, 0.07];
  body b[i in 1:4] {{ mass = 2, inertia = J, position = [{place}], velocity = [0.1, 0.3, 0.2] }}
  Hinge p1(A = b[1], B = b[2], at = [1, 0, 0], axis = [0, 0, 1]);
  Hinge p2(A = b[2], B = b[3], at = [1.2, 0.7, 0], axis = [0, 0, 1]);
  Hinge p3(A = b[3], B = b[4], at = [0.1, 0.5, 0], axis = [0, 0, 1]);
  Hinge p4(A = b[4], B = b[1], at = [0, 0, 0], axis = [0, 0, 1]);
  potential 3*p1.angle^2 + 2*(p2.angle - 0.4)^2;
  var s = b[1].point([0, 0.2, 0.3]) - b[3].point([0, 0.1, -0.2]);
  potential 10*dot(s, s);
  var L = {turn};
  output L1 = L[1]; output L2 = L[2]; output L3 = L[3];
""", flags=("--project-start",))
    for n in ("L1", "L2", "L3"):
        off = max(abs(x - c[n][0]) for x in c[n])
        need(off <= 1e-12, f"{n} moves by {off:.2g}")


def through_the_flat():
    """A platform on three parallel cranks turns over: flat positions, where the rank of all rows is less."""
    c = holds("""  param w = 8 [rad/s], J = [0.02, 0.02, 0.02] [kg*m^2], l = 0.5 [m], a0 = 70 [deg];
  param c = l*cos(a0), s = l*sin(a0);
  body top { mass = 2 [kg], inertia = J, position = [c + 0.5 [m], 0.2 [m], s], velocity = [-w*s, 0 [m/s], w*c] }
  body k[i in 1:3] { mass = 1 [kg], inertia = J, spin = [0 [rad/s], -w, 0 [rad/s]],
    velocity = [-w*s/2, 0 [m/s], w*c/2],
    position = [c/2 + (i - 1)*0.5 [m], if i == 2 then 0.4 [m] else 0 [m], s/2] }
  Hinge foot[i in 1:3](A = ground, B = k[i], at = [(i - 1)*0.5, if i == 2 then 0.4 else 0, 0] [m],
                       axis = [0, 1, 0]);
  Hinge head[i in 1:3](A = k[i], B = top, at = [c + (i - 1)*0.5 [m], if i == 2 then 0.4 [m] else 0 [m], s],
                       axis = [0, 1, 0]);
  output d1 = foot[1].angle - foot[2].angle, d2 = foot[1].angle - foot[3].angle, a = foot[1].angle;
""", "1 [s]")
    need(max(map(abs, c["a"])) > 2*math.pi, "it does not turn over")
    need(max(map(abs, c["d1"] + c["d2"])) <= 1e-9, "the cranks are not parallel")


def light(inertia):
    """A point mass on a hinge is a pendulum: its energy and its period, whatever the inertia that its user wrote."""
    text = f"""  gravity [0, 0, -9.81] [m/s^2];
  body b {{ mass = 1 [kg], inertia = [{inertia}, {inertia}, {inertia}], position = [1, 0, 0] [m] }}
  Hinge h(A = ground, B = b, at = [0, 0, 0] [m], axis = [0, 1, 0]);
  output a = h.angle;
"""
    c, s, _ = run(HEAD + text + TAIL.replace("UNTIL", "1.5 [s]"))
    need(s["status"] == "ok" and s["energy"]["drift"] <= ENERGY and s["energy"]["gain"] <= ENERGY, f"{s['energy']}")
    need(max(abs(math.hypot(x, z) - 1) for x, z in zip(c["b.r[1]"], c["b.r[3]"])) <= 1e-10, "it leaves its circle")
    down = math.sqrt(1/9.81)*1.8540746773                  # a quarter of its period: K(sin 45 degrees)
    first = next(t for t, a in zip(c["time"], c["a"]) if abs(a) > math.pi/2)
    need(abs(first - down) <= 2e-3, f"it is down at {first}, not at {down}")


DOOR = """import "std/joints.nsm";
model Door {
  body door { mass = 2 [kg], inertia = [0.5, 0.2, 0.3] [kg*m^2], position = [0.4, 0, 0] [m], spin = [0, 0, 1] [rad/s],
    velocity = [0, 0.4, 0] [m/s] }
  param to = 0.1 [m];
  HINGES
  contact end: to - door.r[2] >= 0 with newton(0.5);
  output w = door.spin[3];
  simulate { until = 0.6 [s], step = 2 [ms], scheme = SCHEME }
}"""
HINGE = "Hinge NAME(A = ground, B = door, axis = [0, 0, 1], at = [0, 0, AT] [m]MORE);"


def hinge(name, at, more=""):
    return HINGE.replace("NAME", name).replace("AT", str(at)).replace("MORE", more)


def dry_hinge(scheme, to="10 [m]"):
    """A door on two hinges of which one is dry, pressed by half of the force, goes as on one hinge of half its
    friction; where it strikes a stop too, whose impulse both share."""
    two = hinge("low", -0.5) + hinge("high", 0.5, ", mu = 0.1, radius = 1 [cm]")
    one = hinge("mid", 0, ", mu = 0.05, radius = 1 [cm]")
    runs = []
    for hinges in (two, one):
        text = DOOR.replace("HINGES", hinges).replace("SCHEME", scheme)
        c, s, _ = run(text.replace("param to = 0.1 [m]", "param to = " + to))
        need(s["status"] == "ok" and abs(s["energy"]["friction"]) > 1e-5, f"{s['status']}, {s['energy']}")
        runs.append((c["w"], s["energy"]["friction"]))
    off = max(abs(a - b) for a, b in zip(runs[0][0], runs[1][0]))
    losses = [loss for _, loss in runs]
    need(off <= 1e-9 and abs(losses[0] - losses[1]) <= 1e-9, f"w is off by {off:.2g}, losses {losses}")


SLIDE = """model Slide {
  coord x = 0, x' = 1.2, y = 0, y' = 1.2;  kinetic (x'^2 + y'^2)/2;  potential 9.81*y;  force x = 3*cos(2*time);
  constraint rail { normal = y - sin(x); slip = (x' + cos(x)*y')/sqrt(1 + cos(x)^2); with coulomb(0.3); }
  constraint also: exp(y) = exp(sin(x));
  simulate { until = 0.5, step = 1 [ms], scheme = SCHEME }
}"""
SLIDES = "0.1110454590896, -0.6737414186801"      # by consistent(order = 6) and event_driven, five steps and tolerances


def shared(scheme, error):
    """How much of what presses a rail is its own changes with the place, and trials of a step miss the rail: friction
    has the share all the same. Some schemes have ended where the two rows were independent by the miss."""
    c, s, err = run(SLIDE.replace("SCHEME", scheme))
    off = [abs(c[name][-1] - float(true)) for name, true in zip(("x", "x'"), SLIDES.split(","))]
    need(s["status"] == "ok" and max(off) <= error, f"off by {off}")
    need("steps captured" not in err or " 0 steps captured" in err, err)
    share = 1/(1 + math.exp(2*c["y"][-1]))
    whole = c["rail.lambda"][-1] + c["also.lambda"][-1]*math.exp(c["y"][-1])
    need(abs(c["rail.lambda"][-1]/whole - share) <= 1e-3, f"the rail has {c['rail.lambda'][-1]/whole} of the whole")
    if scheme.startswith(("consistent", "event")):
        need(abs(s["energy"]["residue"]) <= 1e-9, f"{s['energy']}")


def by_reaction():
    """The same friction as a torque under a given normal force that reads the reaction of the redundant hinge."""
    door = DOOR.replace("param to = 0.1 [m];", "param to = 10 [m];").replace("SCHEME", "consistent")
    dry = "contact dry { normal_force = norm([high.reaction[1], high.reaction[2], high.reaction[3]]); " \
          "slip = 1 [cm]*high.rate; with coulomb(0.1); }"
    c, s, _ = run(door.replace("HINGES", hinge("low", -0.5) + hinge("high", 0.5) + dry))
    other, _, _ = run(door.replace("HINGES", hinge("mid", 0, ", mu = 0.05, radius = 1 [cm]")))
    off = max(abs(a - b) for a, b in zip(c["w"], other["w"]))
    need(s["energy"]["friction"] > 1e-4 and off <= 1e-9, f"{s['energy']}, off by {off:.2g}")


BENNETT = (ROOT/"models/bennett_linkage.nsm").read_text()


def bennett():
    """`moreau` drifts off, and what the lengths of the linkage make dependent is so up to the drift alone: it goes on
    turning, and its energy is off by the square of the step."""
    drifts = []
    for step in ("4ms", "0.5ms"):
        _, s, err = run(BENNETT, "--scheme", "moreau", "--step", step)
        need(s["status"] == "ok" and "depend on each other" in err, f"{s['status']}: {err}")
        drifts.append(s["energy"]["drift"])
    need(drifts[0] <= 1e-2 and 40 <= drifts[0]/drifts[1] <= 100, f"drifts {drifts}")


CASES = [("shafts at 30 degrees", shafts, 30), ("shafts in a line", shafts, 0), ("a double joint", shafts, 25, THIRD),
         ("shafts, consistent1", shafts, 30, "", "consistent1"),
         ("shafts, consistent_explicit_mass", shafts, 30, "", "consistent_explicit_mass"),
         ("slider-crank of hinges", slider_crank), ("reactions are the smallest", smallest),
         ("a redundant loop floats", floating), ("through flat positions", through_the_flat),
         ("a body of 1e-9 kg m^2", light, 1e-9), ("a body of 1e-7 kg m^2", light, 1e-7),
         *((f"a dry hinge beside another, {scheme}", dry_hinge, scheme)
           for scheme in ("consistent", "consistent(located = true)", "moreau", "moreau(located = true)", "midpoint",
                          "consistent_explicit_mass", "consistent(order = 4)", "event_driven")),
         *((f"a dry hinge beside another strikes, {scheme}", dry_hinge, scheme, "0.1 [m]")
           for scheme in ("consistent", "consistent(located = true)", "moreau", "moreau(located = true)",
                          "consistent(order = 4)", "event_driven")),
         *((f"a rail that is said twice, {scheme}", shared, scheme, error)
           for scheme, error in (("moreau", 1e-3), ("moreau(located = true)", 1e-6), ("midpoint", 1e-3),
                                 ("consistent", 1e-3), ("consistent(located = true)", 1e-7), ("d1minus", 1e-3),
                                 ("consistent(order = 4)", 1e-11), ("consistent(order = 6)", 1e-12),
                                 ("event_driven", 1e-9))),
         ("friction by the reaction of a redundant hinge", by_reaction), ("Bennett's linkage by moreau", bennett)]
