"""Claims about compliant contacts of bodies: at a point, between two bodies, on a joint's angle or place they have a
potential as those of coordinates have, so the default scheme keeps the energy to round-off over ten thousand steps.

Each function takes the case; CASES lists them with their names for the suite.
"""
import math
import pathlib
import tempfile

from claims import run
from suite import need, nsm

BODY = "gravity [0, 0, -9.81] [m/s^2]; body b { mass = 1 [kg], inertia = [0.01, 0.02, 0.03] [kg*m^2], %s }\n"
HINGE = (BODY % "position = [0.3, 0, 0] [m]%s" +
         "Hinge h(A = ground, B = b, at = [0, 0, 0] [m], axis = [0, 1, 0]);\n")
SCREW = "position = [0.3, 0.1, 0] [m], velocity = [-0.16, 0.48, -0.36] [m/s], spin = [0, 1.2, 1.6] [rad/s]"
# Statements, gap, stiffness; is the potential one that a model may say itself?
MODELS = {
    "a foot": (BODY % "position = [0, 0, 0.15] [m], spin = [1, 2, 3] [rad/s]" +
               "var p = b.point([0.1, 0, -0.1] [m]);", "p[3]", "1e4 [N/m]", True),
    "a foot of a planar body": (
        "gravity [0, -9.81] [m/s^2]; body b { mass = 1 [kg], inertia = 0.01 [kg*m^2], position = [0, 0.3] [m], "
        "spin = 3 [rad/s] } var p = b.point([0.1, -0.1] [m]);", "p[2]", "1e4 [N/m]", True),
    "a tether": (BODY % "position = [0, 0, 0.3] [m], spin = [0, 2, 1] [rad/s]" +
                 "var p = b.point([0.1, 0, -0.05] [m]);", "0.4 [m] - sqrt(p[1]^2 + p[2]^2 + p[3]^2)",
                 "2e3 [N/m]", True),
    "an angle": (HINGE % "", "0.4 [rad] - h.angle", "100 [N*m]", False),
    "an angle of more than a turn": (HINGE % ", velocity = [0, 0, -6] [m/s], spin = [0, 20, 0] [rad/s]",
                                     "8 [rad] - h.angle", "100 [N*m]", False),
    "a place and an angle": (BODY % SCREW +
                             "Cylindrical h(A = ground, B = b, at = [0, 0, 0] [m], axis = [0, 0.6, 0.8]);",
                             "0.2 [m] + h.position - 0.01 [m]*sin(h.angle)", "300 [N/m]", True),
}


def text_of(name, how="contact", until=10, step=1e-3, scheme=None):
    statements, gap, k, _ = MODELS[name]
    law = f"contact soft: {gap} + soft.lambda/({k}) >= 0;" if how == "contact" else (
        f"potential ({k})*max(0 [m], -({gap}))^2/2;")
    chosen = f", scheme = {scheme}" if scheme else ""
    return (f'import "std/joints.nsm";\nmodel A {{ {statements}\n{law}\noutput gap = {gap};\n'
            f"simulate {{ until = {until} [s], step = {step} [s]{chosen} }} }}")


def keeps_energy(name):
    """By the default scheme; where the potential can be written by hand it gives the same numbers."""
    c, s, err = run(text_of(name))
    size = max(1, abs(s["energy"]["initial"]))
    need(s["scheme"] == "consistent" and "N0706" not in err, f"stepped by {s['scheme']}: {err}")
    need(max(c["soft.lambda"]) > 0 and min(c["gap"]) < 0, "it never touches")
    need(s["energy"]["drift"] <= 1e-12*size, f"drift {s['energy']['drift']} J in 10^4 steps")
    need(all(abs(x - max(0, -g)*float(MODELS[name][2].split()[0])) <= 1e-12*max(c["soft.lambda"])
             for x, g in zip(c["soft.lambda"], c["gap"])), "lambda is not the force of the spring")
    if MODELS[name][3]:
        by_hand = run(text_of(name, "potential", until=1, scheme="consistent"))[0]
        apart = max(abs(x - y) for x, y in zip(c["gap"], by_hand["gap"]))
        need(apart <= 1e-13, f"{apart} off the potential written by hand")


def order(name):
    """2; and moreau goes to the same limit: its forces have their moments about bodies."""
    def end(step, scheme):
        return run(text_of(name, until=0.5, step=step, scheme=scheme), "--every", "100000")[0]["gap"][-1]

    at = [end(h, "consistent") for h in (5e-4, 2.5e-4, 1.25e-4)]
    observed = math.log2(abs(at[0] - at[1])/abs(at[1] - at[2]))
    need(abs(observed - 2) <= 0.1, f"order {observed}")
    limit = at[2] + (at[2] - at[1])/3
    off = abs(end(2.5e-4, "moreau(theta = 1/2, gamma = 1/2)") - limit)
    need(off <= 3e-4*max(1, abs(limit)), f"moreau is {off} off {limit}")


def must_give_way():
    """A compliance that a run gives must be positive under the energy-consistent schemes."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)/"soft.nsm"
        path.write_text("model Soft { param k = 1e-3; coord z = 0.1; kinetic z'^2/2; potential 9.81*z;\n"
                        "contact floor: z + k*floor.lambda >= 0;\n"
                        "simulate { until = 0.1, step = 1e-3, scheme = consistent } }\n")
        out = nsm("sweep", path, "--vary", "k=-0.001:0.001:3", "--record", "final(z)").out.splitlines()
    for k, row in zip(("-0.001", "0"), out[1:3]):
        said = f"the compliance of contact floor, the factor of its force in the gap, is {k};"
        need(",failed," in row and said in row, row)
    need(out[3].endswith(",ok,"), out[3])


CASES = [(f"compliant contact of {name} keeps the energy", keeps_energy, name) for name in MODELS]
CASES += [(f"compliant contact of {name}: order 2", order, name) for name in MODELS]
CASES += [("a compliance must be positive", must_give_way)]
