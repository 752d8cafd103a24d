"""moreau(projection = true): against the numbers of a prototype that shares nothing with nsm, no penetration, no drift,
and an honest ledger."""
import re

from located import run
from suite import ROOT, need

BALL = """model Ball { coord z = 1; kinetic z'^2/2; potential 9.81*z; contact floor: z >= 0 with newton(0.9);
    simulate { until = 2, step = 1e-3, scheme = moreau(theta = 1/2, projection = true) } }"""
# step: place at 2 s
ENDS = {1e-2: 0.03432812499999947, 2.5e-3: 0.009697054375000083, 1.25e-3: 0.013695342132814321,
        0.625e-3: 0.010731791285156386, 1e-4: 0.013307266564819537, 1e-3: 0.0104872400650}
RODS = """model Rods { coord x = 1, y = 0, a = 2, b = 0; kinetic (x'^2 + y'^2 + a'^2 + b'^2)/2; potential 9.81*(y + b);
    constraint r: x^2 + y^2 - 1 = 0; constraint s: (a - x)^2 + (b - y)^2 - 1 = 0;
    output miss = max(abs(x^2 + y^2 - 1), abs((a - x)^2 + (b - y)^2 - 1));
    simulate { until = 2, step = 1e-2, scheme = SCHEME } }"""
# Slides down a bowl and goes round in it, with friction: a gap that is curved.
BOWL = """model Bowl { coord x = 0.8, y = -0.6, y' = 0; kinetic (x'^2 + y'^2)/2; potential 9.81*y;
    contact bowl { normal = 1 - sqrt(x^2 + y^2); slip = (x*y' - y*x')/sqrt(x^2 + y^2); with newton(0), coulomb(0.05); }
    output gap = 1 - sqrt(x^2 + y^2);
    simulate { until = 2, step = 2e-3, scheme = moreau(theta = 1/2, projection = true) } }"""


def ball():
    """The place at the end, no depth, and nothing unexplained."""
    for h, end in ENDS.items():
        c, err, _ = run(BALL, h, "moreau", "--record", "z,energy")
        need(abs(c["z"][-1] - end) <= 5e-13*max(1, 1e-3/h)**1.5, f"{h}: {c['z'][-1]!r} is not {end!r}")
        need(min(c["z"]) >= 0, f"{h}: {min(c['z'])} deep")
        need(float(re.search(r"residue (\S+)", err)[1]) <= 1e-13 and "projections of places gave" in err, err)
    c, _, _ = run(BALL.replace(", projection = true", ""), 2.5e-3, "moreau")
    need(min(c["z"]) < -4e-3, "without a projection it is deep")


def by_settings():
    """A model that does not say it: by the flag of the scheme, and by that of its own; what cannot be is refused."""
    text = BALL.replace("scheme = moreau(theta = 1/2, projection = true) ", "")
    for given in (("moreau(theta = 0.5, projection = true)",), ("moreau(theta = 0.5)", "--projection", "on")):
        c, err, _ = run(text, 2.5e-3, *given)
        need(abs(c["z"][-1] - ENDS[2.5e-3]) <= 2e-13 and "projections of places gave" in err, f"{given}: {err}")
    c, _, _ = run(BALL, 2.5e-3, "moreau(projection = false)")
    need(min(c["z"]) < -4e-3, "told not to project")
    for given in (("consistent(projection = true)",), ("midpoint", "--projection", "on"),
                  ("moreau(located = true, projection = true)",)):
        code = 1 if "located" in given[0] else 2
        _, err, _ = run(text, 2.5e-3, *given, code=code)
        need("project" in err or "consistent takes" in err, err)


def rods():
    """Constraints hold where those of moreau drift off."""
    for scheme, least, most in (("moreau(theta = 1/2)", 1e-4, 1), ("moreau(theta = 1/2, projection = true)", 0, 3e-11)):
        c, _, _ = run(RODS.replace("SCHEME", scheme), 1e-2, "moreau")
        need(least <= max(c["miss"]) <= most, f"{scheme}: missed by {max(c['miss']):.3g}")


def bowl():
    """A curved gap: never inside, on it throughout, and of order 1 or better."""
    ends = []
    for h in (2e-3, 1e-3, 5e-4):
        c, _, _ = run(BOWL, h, "moreau")
        need(-1e-12 <= min(c["gap"]) and max(c["gap"][1:]) <= 1e-5, f"gap {min(c['gap']):.3g} ... {max(c['gap']):.3g}")
        ends.append(c["x"][-1])
    need(abs(ends[2] - ends[1]) <= 0.6*abs(ends[1] - ends[0]), f"{ends}")


def linkage():
    """Rows that depend on each other: an overconstrained linkage keeps together."""
    text = (ROOT / "models/bennett_linkage.nsm").read_text()
    at = text.index("simulate")
    text = text[:at] + "simulate { until = 0.4, step = 4 [ms], scheme = moreau(projection = true) }\n}\n"
    _, err, _ = run(text, 4e-3, "moreau")
    need(float(re.search(r"miss of a constraint (\S+)", err)[1]) <= 4e-12, err)


CASES = [("projected, a ball", ball), ("projected, by settings", by_settings), ("projected, two rods", rods),
         ("projected, a bowl", bowl),
         ("projected, an overconstrained linkage", linkage)]
