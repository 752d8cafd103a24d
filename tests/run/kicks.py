"""d1minus, two kicks and an impact: against the numbers of a prototype that shares nothing with nsm, closed forms, and
runs of order 6."""
import math

from claims import run as claim
from located import run
from suite import need

BALL = """model Ball { coord z = 1; kinetic z'^2/2; potential 9.81*z; contact floor: z >= 0 with newton(0.9);
    simulate { until = 2, step = 1e-3 } }"""
SWING = """model Swing { coord q = 1; kinetic q'^2/2; potential q^2/2; simulate { until = 5, step = 0.05 } }"""
DISH = """model Dish { param mu = 0.2; coord x = 0, y = -1, x' = 2; kinetic (x'^2 + y'^2)/2; potential 9.81*y;
    contact dish { normal = 0.5 - (x^2 + y^2)/2; slip = y*x' - x*y'; with newton(0.5), coulomb(mu); }
    simulate { until = 0.3, step = 1e-3 } }"""
ROD = """model Rod { coord x = 1, y = 0; kinetic (x'^2 + y'^2)/2; potential 9.81*y; constraint rod: x^2 + y^2 - 1 = 0;
    simulate { until = 2, step = 1e-3 } }"""
LANDS = """model Lands { coord z = 0.1, x = 0, x' = 3; kinetic (x'^2 + z'^2)/2; potential 9.81*z;
    contact floor { normal = z; slip = x'; with LAW, coulomb(0.3); } simulate { until = 2, step = 1e-3 } }"""
BELT = """model Belt { coord x = 0; kinetic x'^2/2; potential 5*x^2;
    contact belt { normal_force = 9.81; slip = x' - 0.2; with coulomb(0.4); } simulate { until = 1, step = 1e-3 } }"""
DAMPED = """model Damped { param n = 2, c = 0.3; coord q[i in 1:n] = i; kinetic sum(i in 1:n) q[i]'^2/2;
    potential sum(i in 1:n) q[i]^2/2; dissipation c*(sum(i in 1:n) q[i]'^2)/2; simulate { until = 5, step = 0.05 } }"""
TIP = """model Tip { body b { mass = 1, inertia = [0.02, 0.03, 0.04], position = [0.1, 0, 0.4], spin = [1, 2, 0.5] }
    potential 9.81*b.r[3]; var tip[3] = b.r + b.R*[0.1, 0.05, -0.2]; contact c: tip[3] >= 0 with newton(0.5);
    output gap = tip[3]; output size = norm(b.q); simulate { until = 0.4, step = 1e-3 } }"""


def ends(text, h, column, *flags):
    c, _, _ = run(text, h, "d1minus", *flags)
    return c[column][-1]


def order(text, column, right, steps, least, *flags):
    errors = [abs(ends(text, h, column, *flags) - right) for h in steps]
    orders = [math.log2(a/b) for a, b in zip(errors, errors[1:])]
    need(min(orders) >= least, f"{column}: orders {orders} of errors {errors}")


def ball():
    c, _, _ = run(BALL, 1e-3, "d1minus")
    need(abs(c["z"][-1] - 0.00617338576) <= 5e-11 and abs(c["z'"][-1] - 3.20755608) <= 5e-9,
         f"{c['z'][-1]!r}")


def smooth():
    """The prototype's errors, and order 2 with a damper, a constraint, friction on a bent floor, a given force."""
    for n, error in ((100, 5.0e-4), (200, 1.25e-4), (400, 3.12e-5)):
        off = ends(SWING, 5/n, "q") - math.cos(5)
        need(abs(off - error) <= 0.02*error, f"{n} steps: off by {off}")
    w = math.sqrt(1 - 0.15**2)
    right = math.exp(-0.75)*(math.cos(5*w) + 0.15/w*math.sin(5*w))
    order(DAMPED, "q[1]", right, (0.05, 0.025, 0.0125), 1.9)
    order(DISH, "x", 0.40214564429817723, (8e-3, 4e-3, 2e-3), 1.9)
    order(ROD, "x", 0.793566196, (4e-3, 2e-3, 1e-3), 1.9)


def books():
    """Impacts take what is missing afterwards, but for what the kicks of a last small bounce do; none makes energy."""
    for law in ("newton(1)", "newton(0.5)"):
        text = "model Books { coord z = 1; kinetic z'^2/2; potential 10*z; contact floor: z >= 0 with LAW; " \
               "simulate { until = 3, step = 1e-3 } }"
        _, s, err = claim(text.replace("LAW", law), "--scheme", "d1minus")
        e = s["energy"]
        need(abs(e["contacts"] - e["initial"] + e["final"]) <= 2e-6*e["initial"] and e["residue"] <= 2e-6*e["initial"]
             and "W0854" not in err, f"{law}: {e} {err}")


def struck():
    """What rests on its floor and is sent into it, at the start or by `when`, rebounds there and then."""
    for start, reset in (("-2", ""), ("0", "discrete n = 0; when time >= 0.1 { z' = -2; n = 1; }")):
        text = f"""model Sent {{ coord z = 0, z' = {start}; kinetic z'^2/2; potential 10*z; {reset}
            contact floor: z >= 0 with newton(0.5); simulate {{ until = UNTIL, step = 1e-3 }} }}"""
        c, _, _ = run(text.replace("UNTIL", "0.05" if start == "-2" else "0.15"), 1e-3, "d1minus")
        need(abs(c["z"][-1] - 0.0375) <= 1e-12 and abs(c["z'"][-1] - 0.5) <= 1e-12, f"{c['z'][-1]}, {c['z'][-1]}")


def rests():
    """What lands, slides and stops is at rest, by each law of impact; a belt takes its block along."""
    for law in ("newton(0.5)", "poisson(0.5)", "binary(0.5)", "lzb(0.5)"):
        c, s, _ = run(LANDS.replace("LAW", law), 1e-3, "d1minus")
        need(c["z'"][-1] == 0 and c["x'"][-1] == 0 and abs(c["z"][-1]) <= 1e-4, f"{law}: {c['z'][-1]}")
        need(abs(c["x"][-1] - 1.559) <= 2e-2, f"{law}: x = {c['x'][-1]}")
    slow = ends(BELT, 1e-3, "x'")
    need(abs(slow - 0.2) <= 1e-12, f"the belt: {slow}")


def chain():
    """Balls that are apart strike one after the other, also where rounding leaves a gap of 1e-15 m at the end of the
    step that closes it: it was the begin of a lasting contact, without an impact."""
    text = """model Chain { coord x[4] = [0, 2.01, 4.02, 6.03], x' = [1, 0, 0, 0]; kinetic sum(i in 1:4) x[i]'^2/2;
        for i in 1:3 { contact c[i]: x[i+1] - x[i] - 2 >= 0 with newton(1); } simulate { until = 0.1, step = 1e-3 } }"""
    c, _, _ = run(text, 1e-3, "d1minus")
    ends = [c[f"x[{i}]'"][-1] for i in (1, 2, 3, 4)]
    need(ends == [0, 0, 0, 1], f"{ends}")


def tip():
    c, _, _ = run(TIP, 1e-3, "d1minus")
    need(min(c["gap"]) >= -5e-3 and max(abs(v - 1) for v in c["size"]) <= 1e-12, f"gap {min(c['gap'])}")


def refused():
    for text, said in ((BALL.replace("coord z", "state w = 0; w' = 1; coord z"), "first-order states"),
                       (BALL.replace("z >= 0 with newton(0.9)", "z + 1e-4*floor.lambda >= 0"), "compliant")):
        _, err, _ = run(text, 1e-3, "d1minus", code=1)
        need("E0705" in err and said in err, err)
    _, err, _ = run(BALL, 1e-3, "d1minus(located = true)", code=2)
    need("takes no parameters" in err, err)


CASES = [("kicks, a ball", ball), ("kicks, smooth motion", smooth), ("kicks, rest", rests),
         ("kicks, what impacts take", books), ("kicks, what is sent into its floor", struck),
         ("kicks, a chain of balls", chain), ("kicks, a body on its tip", tip), ("kicks, what is refused", refused)]
