"""schatzman_paoli, whose contacts are on places: against the numbers of a prototype that shares nothing with nsm."""
from located import run
from suite import need

BALL = """model Ball { coord z = 1; kinetic z'^2/2; potential 9.81*z; contact floor: z >= 0 with newton(0.9);
    simulate { until = 2, step = 1e-3 } }"""
BALL_ENDS = {1e-2: 0.17222246999998858, 2.5e-3: 0.02049242625035578, 1e-3: 0.00284811120}
STOP = """model Stop { param c = 0; coord q = 1; kinetic q'^2/2; potential q^2/2; dissipation c*q'^2/2;
    contact stop: q + 0.5 >= 0 with newton(0.8); simulate { until = 5, step = 1e-2 } }"""
STOP_ENDS = {(0, 0.5, 0.01): 0.6567378134981687, (0, 0.5, 0.005): 0.6518822934733135,
             (0, 1, 0.01): 0.6521828277725781, (0, 1, 0.005): 0.6507872299938553,
             (0.1, 0.5, 0.01): 0.576605088325794, (0.1, 0.5, 0.005): 0.5771077858463312,
             (0.1, 1, 0.01): 0.574928210084768, (0.1, 1, 0.005): 0.5748369017060868}
# A column of balls whose contacts have different e, on a rod that is bent.
MANY = """model Many { param n = 4; coord z[i in 1:n] = i; kinetic sum(i in 1:n) z[i]'^2/2;
    potential 9.81*(sum(i in 1:n) z[i]); contact floor: z[1] >= 0 with newton(0);
    for i in 2:n { contact pair[i]: z[i] - z[i-1] - 0.5 >= 0 with newton(0.1*i); }
    simulate { until = 8, step = 1e-3 } }"""
ROD = """model Rod { coord x = 1, y = 0; kinetic (x'^2 + y'^2)/2; potential 9.81*y; constraint rod: x^2 + y^2 - 1 = 0;
    output miss = x^2 + y^2 - 1; simulate { until = 2, step = 1e-3 } }"""
TIP = """model Tip { body b { mass = 1, inertia = [0.02, 0.03, 0.04], position = [0.1, 0, 0.4], spin = [1, 2, 0.5] }
    potential 9.81*b.r[3]; var tip[3] = b.r + b.R*[0.1, 0.05, -0.2]; contact c: tip[3] >= 0 with newton(0.5);
    output gap = tip[3]; output size = norm(b.q); simulate { until = 0.4, step = 1e-3 } }"""


def ball():
    for h, end in BALL_ENDS.items():
        c, _, _ = run(BALL, h, "schatzman_paoli")
        need(abs(c["z"][-1] - end) <= 2e-11, f"{h}: {c['z'][-1]!r} is not {end!r}")


def stop():
    for (damper, theta, h), end in STOP_ENDS.items():
        c, _, _ = run(STOP, h, f"schatzman_paoli(theta = {theta})", "--set", f"c={damper}")
        need(abs(c["q"][-1] - end) <= 2e-11, f"{damper}, {theta}, {h}: {c['q'][-1]!r} is not {end!r}")


def many():
    """Each row has its own e, and all come to rest on each other, to the last digits."""
    c, _, _ = run(MANY, 1e-3, "schatzman_paoli")
    for i in range(4):
        need(abs(c[f"z[{i + 1}]"][-1] - 0.5*i) <= 1e-12 and abs(c[f"z[{i + 1}]'"][-1]) <= 1e-11, f"ball {i + 1}")


def rod():
    """A constraint holds in places; the motion is of order 1 (theta = 1/2 has no part in it)."""
    ends = []
    for h in (2e-3, 1e-3, 5e-4):
        c, _, _ = run(ROD, h, "schatzman_paoli")
        need(max(abs(v) for v in c["miss"]) <= 2e-12, f"missed by {max(abs(v) for v in c['miss']):.3g}")
        ends.append(c["x"][-1])
    ratio = (ends[1] - ends[0])/(ends[2] - ends[1])
    need(1.6 <= ratio <= 4.6, f"ratio {ratio:.3g} of differences at {ends}")


def tip():
    """A body on a point of itself: the gap at q* is a turn away from the begin."""
    c, _, _ = run(TIP, 1e-3, "schatzman_paoli")
    need(min(c["gap"]) >= -5e-3 and max(c["gap"][-100:]) > 1e-3, f"gap {min(c['gap']):.3g}")
    need(max(abs(v - 1) for v in c["size"]) <= 1e-12, "the attitude is no rotation")


def refused():
    for text, said in ((BALL.replace("newton(0.9)", "poisson(0.9)"), "this law of impact"),
                       (BALL.replace("coord z", "state w = 0; w' = 1; coord z"), "first-order states"),
                       (BALL.replace("contact", "discrete d = 0; when z < 0.5 { d = 1; } contact"), "cut steps")):
        _, err, _ = run(text, 1e-3, "schatzman_paoli", code=1)
        need("E0705" in err and said in err, err)


CASES = [("places, a ball", ball), ("places, a stop", stop), ("places, many", many), ("places, a rod", rod),
         ("places, a body on its tip", tip), ("places, what is refused", refused)]
