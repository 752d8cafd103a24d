"""Claims about sliding: `consistent` is of second order while contacts slide, in coordinates and with bodies, whether
the directions of slip move, turn, or both; nothing gains energy; the limit is that of an independent method.

Each function takes the case; CASES lists them with their names for the suite.
"""
import math

from claims import run
from suite import ROOT, need

# Models with a step, the columns that are compared, the largest step. All slide from the begin to the end.
HOOP = ("""coord x = 0, y = -0.5, x' = 3; kinetic 0.05*(x'^2 + y'^2);
    constraint hoop { normal = x^2 + y^2 - 0.25; slip = (x*y' - y*x')/0.5; with coulomb(0.2); }""", 1, 2e-2)
PARABOLA = ("""coord x = -1, y = 1; kinetic (x'^2 + y'^2)/2; potential 9.81*y;
    contact track { normal = y - x^2; slip = (x' + 2*x*y')/sqrt(1 + 4*x^2); with inelastic, coulomb(0.2); }""",
            0.6, 1e-2)
PLANE = ("""coord x = 0, y = 0, z = 0, x' = 3; kinetic (x'^2 + y'^2 + z'^2)/2; potential 9.81*z; force y = 4;
    contact floor { normal = z; slip = [x', y']; with inelastic, coulomb(0.3); }""", 0.7, 2e-2)
DISH = ("""coord x = -1, y = 0, z = 1/2, y' = 1; kinetic (x'^2 + y'^2 + z'^2)/2; potential 9.81*z;
    contact dish {
      normal = z - (x^2 + y^2)/2;
      slip = [(x' + x*z')/sqrt(1 + x^2), ((1 + x^2)*y' + y*z' - x*y*x')/sqrt((1 + x^2)*(1 + x^2 + y^2))];
      with inelastic, coulomb(0.2);
    }""", 0.6, 1e-2)


def ends(model, steps):
    text, until, _ = model
    for step in steps:
        c, s, _ = run(f"model A {{ {text} simulate {{ until = {until}, step = {step}, scheme = consistent }} }}")
        need(abs(s["energy"]["residue"]) <= 1e-13, f"residue {s['energy']['residue']}")
        yield [c[n][-1] for n in ("x", "y")]


def second_order(model):
    at = list(ends(model, [model[2]/2**k for k in range(4)]))
    apart = [math.dist(a, b) for a, b in zip(at, at[1:])]
    orders = [math.log2(a/b) for a, b in zip(apart, apart[1:])]
    need(all(abs(o - 2) <= 0.1 for o in orders) and apart[-1] <= 1e-4, f"apart {apart}, orders {orders}")


def plane_by_runge_kutta():
    """The block that a side force turns, against the fourth-order method of Runge and Kutta."""
    n, until = 4000, PLANE[1]
    h, u = until/n, [0.0, 0.0, 3.0, 0.0]

    def slope(z):
        v = math.hypot(z[2], z[3])
        return [z[2], z[3], -0.3*9.81*z[2]/v, 4 - 0.3*9.81*z[3]/v]

    for _ in range(n):
        k = [slope(u)]
        for part in (h/2, h/2, h):
            k.append(slope([x + part*d for x, d in zip(u, k[-1])]))
        u = [x + h/6*(a + 2*b + 2*c + d) for x, a, b, c, d in zip(u, *k)]
    off = [math.dist(x, u[:2]) for x in ends(PLANE, (4e-3, 2e-3))]
    need(off[1] <= 1e-6 and abs(math.log2(off[0]/off[1]) - 2) <= 0.1, f"off by {off}")


def tippe_top_spins_down():
    """Two directions of slip and the spin, all of which turn at 160 rad/s: the inclination at 0.4 s."""
    text = (ROOT/"models/tippe_top.nsm").read_text()
    at = []
    for step in ("2e-4", "1e-4", "5e-5", "2.5e-5"):
        c, s, _ = run(text, "--step", step, "--until", "0.4")
        need(s["energy"]["gain"] <= 1e-15, f"a step gains {s['energy']['gain']} J")
        at.append(math.radians(c["inclination"][-1]))
    apart = [abs(a - b) for a, b in zip(at, at[1:])]
    orders = [math.log2(a/b) for a, b in zip(apart, apart[1:])]
    need(all(abs(o - 2) <= 0.1 for o in orders) and apart[-1] <= 2e-5, f"apart {apart}, orders {orders}")


CASES = [(f"slides with second order: {name}", second_order, model) for name, model in
         (("hoop", HOOP), ("parabola", PARABOLA), ("plane", PLANE), ("dish", DISH))]
CASES += [("slides as Runge and Kutta have it", plane_by_runge_kutta), ("tippe top spins down", tippe_top_spins_down)]
