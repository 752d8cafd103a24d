"""Located events, further: shapes, switches of `if`, jumping multipliers, known instants, many bodies. References of
this file's own: closed forms, and event-driven runs as in located.py."""
import math
import pathlib
import re

from located import SCHEMES, event_driven, run
from suite import ROOT, need


def orders(text, columns, h, end, scheme, halvings=4, within=0.1):
    """Errors at the end by halving steps fall by 4; the first is small; nothing was captured."""
    errors = []
    for i in range(halvings):
        c, err, _ = run(text, h/2**i, scheme)
        errors.append(max(abs(c[n][-1] - x) for n, x in zip(columns, end)))
        need(" 0 steps captured" in err, err)
    for a, b in zip(errors[1:], errors[2:]):
        need(abs(math.log2(a/b) - 2) <= within, f"errors {', '.join(f'{x:.3g}' for x in errors)}")
    need(errors[0] <= 0.05, f"error {errors[0]:.3g}")


# --- known instants ---

def by_time():
    """Conditions of time and discrete variables: to the last bit, without a trial step."""
    text = """model W { param a = 0.123456789; discrete n = 0, at = 0, up = 0, down = 0, T = 0.31; state x = 0; x' = n;
        when time >= a { n = n + 1; at = time; }
        when time - a > T { n = n + 1; T = T + 0.31; }
        when sin(8*time) > 0.9 { up = up + 1; }  when not (sin(8*time) > 0.9) { down = down + 1; }
        simulate { until = 1, step = 0.07 } }"""
    c, err, _ = run(text, 0.07, "moreau")
    need(c["at"][-1] == 0.123456789, f"fired at {c['at'][-1]!r}")
    pulses = sum((math.asin(0.9) + 2*math.pi*k)/8 < 1 for k in range(20))
    need(c["n"][-1] == 3 and c["up"][-1] == pulses and pulses - c["down"][-1] in (0, 1), f"{c['n'][-1]}, {c['up'][-1]}")
    true = (1 - 0.123456789) + (1 - 0.433456789) + (1 - 0.743456789)
    need(abs(c["x"][-1] - true) <= 1e-14, f"x = {c['x'][-1]!r}, not {true!r}")
    pieces, iterations = (int(re.search(p, err).group(1)) for p in (r"in (\d+) pieces", r"(\d+) Newton"))
    need(pieces == iterations, f"{iterations} iterations for {pieces} pieces")


def offsets():
    """Instants of every T offset T0, also where T0 is T as a number or as a parameter; a family has its own."""
    text = """model W { param T = 0.1, G[3] = [0.1, 0.2, 0.3]; discrete a = -1, b = -1, c = -1, n = 0, m[3] = -1;
        state x = 0; x' = 1;
        every 0.1 offset 0.1 { a = if a < 0 then time else a; n = n + 1; }
        every T offset T { b = if b < 0 then time else b; }  every T offset 0 { c = if c < 0 then time else c; }
        for i in 1:3 { every G[i] offset G[i] { m[i] = if m[i] < 0 then time else m[i]; } }
        simulate { until = 1, step = 0.05 } }"""
    for scheme in ("moreau", "radau", "moreau(located = true)"):
        c, _, _ = run(text, 0.05, scheme)
        end = [c[name][-1] for name in ("a", "b", "c", "n", "m[1]", "m[2]", "m[3]")]
        need(all(abs(x - y) <= 1e-12 for x, y in zip(end, [0.1, 0.1, 0, 10, 0.1, 0.2, 0.3])), f"{scheme}: {end}")


def at_times_of_the_clock():
    """Impacts at t = 1, 2, 2.5, 2.75, ...: times of the clock. What is left of such a step is nothing."""
    text = (ROOT / "models/ballard_ball.nsm").read_text()
    for scheme in SCHEMES:
        c, err, told = run(text, 1e-3, f"{scheme}(located = true)")
        for t, q in zip(c["time"], c["q"]):
            n = 0 if t < 2 else min(40, math.floor(-math.log2(max(3 - t, 1e-12))) + 1)
            true = 1 - t*t if t < 1 else 0 if t >= 3 else -(t - 3)**2 - 3/2**n*(t - 3) - 2/4**n
            need(abs(q - true) <= 1e-11, f"{scheme}: q({t:g}) = {q!r}, not {true!r}")
        need(abs(float(told[1]["after"]) - 0.5) <= 1e-12, str(told[1]))


def wheel(scheme):
    """12 levers that fall one upon the other: contacts that lift each other for 1e-9 s do not use up the step."""
    text = (ROOT / "models/overbalanced_wheel.nsm").read_text()
    _, err, _ = run(text, 1e-3, f"{scheme}(located = true)", "--until", "5", "--every", "1000")
    need(" 0 steps captured" in err and int(re.search(r"(\d+) located", err).group(1)) > 100, err)


def small_rates():
    """A contact at gap 0 that opens, or closes, with 1e-6 ... 1e-13 m/s, at the start or later: flights of 1e-13 s have
    an acceleration, too, so its bounces end by rule, and no step is captured."""
    fall = "kinetic (z'^2 + x'^2)/2; potential 9.81*z; simulate { until = 0.03, step = 0.01 } }"
    models = [
        "model P { coord z = 0, z' = V, x = 0; contact g: z >= 0 with newton(E);" + fall,
        "model F { coord z = 0, z' = V, x = 0, x' = 0.1; contact g { normal = z; slip = x'; with newton(E), "
        "coulomb(0.3); }" + fall,
        "model W { coord z = 0, x = 0, x' = 0.1; discrete n = 0; contact g { normal = z; slip = x'; with newton(E), "
        "coulomb(0.3); } when time >= 0.0123 { z' = V; n = 1; }" + fall,
        "model S { gravity [0, 0, -9.81]; body f { fixed, shape = halfspace } body b { shape = sphere(0.1), mass = 1, "
        "position = [0, 0, 0.1], velocity = [0, 0, V] } contact c { between = b, f; with newton(E); } "
        "output z = b.r[3] - 0.1; simulate { until = 0.03, step = 0.01 } }"]
    schemes = [f"{s}(located = true)" for s in SCHEMES] + ["consistent(order = 4)"]
    for text in models:
        for v, e in ((1e-6, 0.95), (-1e-8, 0.5), (1e-9, 0), (1e-9, 0.5), (1e-13, 0.5)):
            for scheme in schemes:
                c, err, _ = run(text.replace("V", repr(v)).replace("E)", f"{e})"), 0.01, scheme)
                need(min(c["z"]) >= -1e-12 and abs(c["z"][-1]) <= 1e-12 and " 0 steps captured" in err,
                     f"{text[:7]}, {v:g} m/s, e = {e}, {scheme}: z from {min(c['z']):.2g} to {c['z'][-1]:.2g}, {err}")


# --- shapes ---

def sphere(scheme):
    R, e, g = 0.1, 0.9, 9.81
    text = """model S { gravity [0, 0, -9.81]; body ground { fixed, shape = halfspace }
        body ball { shape = sphere(0.1), density = 1000, position = [0, 0, 1] }
        contact floor { between = ball, ground; with newton(0.9); }
        output z = ball.r[3]; simulate { until = 10, step = 5e-3 } }"""
    c, err, told = run(text, 5e-3, f"{scheme}(located = true)")
    t, u = math.sqrt(2*(1 - R)/g), math.sqrt(2*(1 - R)*g)
    for x in told[:20]:
        u *= e
        need(abs(float(x["time"]) - t) <= 1e-12 and abs(float(x["after"]) - u) <= 1e-11, f"{x}, {t!r}")
        t += 2*u/g
    need(min(c["z"]) >= R - 1e-12 and abs(c["z"][-1] - R) <= 1e-15, f"{min(c['z'])!r}, {c['z'][-1]!r}")
    need(len(told) > 80 and " 0 steps captured" in err, err)


def corner(scheme):
    """A rectangle falls on a corner: free flight, its gap in closed form, one impact."""
    a, b, e, g, w, angle = 0.15, 0.1, 0.5, 9.81, 2.0, 0.3
    m, I = 1000*4*a*b, 1000*4*a*b*(a*a + b*b)/3
    corners = [(x, y) for x in (-a, a) for y in (-b, b)]

    def low(t, k):
        p = angle + w*t
        return 1 - g*t*t/2 + math.sin(p)*corners[k][0] + math.cos(p)*corners[k][1]
    hits = []
    for k in range(4):
        t = next(i*1e-3 for i in range(1, 1000) if low(i*1e-3, k) < 0)
        lo, hi = t - 1e-3, t
        while hi - lo > 1e-16:
            mid = (lo + hi)/2
            if not lo < mid < hi:
                break
            lo, hi = (lo, mid) if low(mid, k) < 0 else (mid, hi)
        hits.append((hi, k))
    t, k = min(hits)
    p = angle + w*t
    arm = math.cos(p)*corners[k][0] - math.sin(p)*corners[k][1]               # d gap / d angle
    rate = -g*t + arm*w
    impulse = -(1 + e)*rate/(1/m + arm*arm/I)
    v, spin = -g*t + impulse/m, w + arm*impulse/I
    until = t + 0.02
    text = f"""model P {{ gravity [0, -9.81]; body ground {{ fixed, shape = halfplane }}
        body plate {{ shape = rectangle([0.3, 0.2]), density = 1000, position = [0, 1], spin = 2, attitude = 0.3 }}
        contact floor {{ between = plate, ground; with newton(0.5); }}
        output y = plate.r[2], vy = plate.r[2]', turn = plate.angle; simulate {{ until = {until!r}, step = 5e-3 }} }}"""
    c, _, told = run(text, 5e-3, f"{scheme}(located = true)")
    true = {"y": 1 - g*t*t/2 + v*0.02 - g*0.02**2/2, "vy": v - g*0.02, "turn": p + spin*0.02}
    need(len(told) == 1 and abs(float(told[0]["time"]) - t) <= 1e-12, f"{told}, {t!r}")
    need(abs(float(told[0]["impulse"]) - impulse) <= 1e-10*impulse, f"{told[0]}, {impulse!r}")
    for name, x in true.items():
        need(abs(c[name][-1] - x) <= 1e-11, f"{name} = {c[name][-1]!r}, not {x!r}")


def box_comes_to_rest(scheme):
    """A spinning box bounces, rocks and lies flat; nothing goes into the ground, and the ledger closes. By moreau only
    to second order in the step, as with gaps of formulas: it keeps rates at 0, and gaps to the error of the trapezoidal
    rule. Measured at 5, 2, 1, 0.5 ms: 1.7e-5, 2.7e-6, 6.8e-7, 1.7e-7 m."""
    text = """model Box { gravity [0, 0, -9.81]; body ground { fixed, shape = halfspace }
        body box { shape = box([0.2, 0.3, 0.1]), density = 1000, position = [0, 0, 1], velocity = [0.3, 0.1, 0],
          spin = [1, 0.7, 0.3] }
        contact floor { between = box, ground; with newton(0.5); }
        output z = box.r[3]; simulate { until = 2, step = 5e-3 } }"""
    c, err, told = run(text, 5e-3, f"{scheme}(located = true)", "--record", "z,energy,energy.residue")
    deep = float(re.search(r"([0-9.e+-]+) m deep", err).group(1))
    need(len(told) > 20 and deep <= (1e-12 if scheme == "consistent" else 3e-5), err)
    gain = float(re.search(r"largest gain ([0-9.e+-]+)", err).group(1))
    need(gain <= (1e-12 if scheme == "consistent" else 1e-5), f"gains {gain} J in a step")
    need(abs(c["z"][-1] - 0.05) <= (1e-12 if scheme == "consistent" else 1e-6), f"z = {c['z'][-1]!r}")
    if scheme == "consistent":
        need(max(map(abs, c["energy.residue"])) <= 1e-12, "the ledger does not close")


# --- switches ---

def switch_in_equation():
    """A right side that jumps: one switch, and a family of them that the time drives."""
    f = lambda on: lambda t, y: [1 + y[1] if on else 3*y[1] - y[0], -y[1]*y[0]]
    (x, y), _ = event_driven([0.0, 1.0], 1, {1: (f(1), [(lambda t, y: 0.7 - y[0], lambda t, y: (y, 0))]),
                                            0: (f(0), [])}, 1)
    text = """model K { state x = 0, y = 1; x' = if x < 0.7 then 1 + y else 3*y - x; y' = -y*x;
        simulate { until = 1, step = 0.1 } }"""
    orders(text, ("x", "y"), 0.1, (x, y), "moreau(located = true)")
    ends, columns = [], []
    for i in (1, 2, 3):
        g = lambda s, i=i: lambda t, y: [s*2.0 - 0.3*i*y[0]]
        end, times = event_driven([0.1*i], 1, {
            1: (g(1), [(lambda t, y, i=i: 0.5 + 0.1*i - y[0] + 0.2*math.sin(t), lambda t, y: (y, -1))]),
            -1: (g(-0.5), [(lambda t, y, i=i: y[0] - 0.2, lambda t, y: (y, -1))])}, 0.6)
        ends += end
        columns.append(f"x[{i}]")
    text = """model F { param n = 3; state x[n] = [0.1, 0.2, 0.3];
        for i in 1:n { x[i]' = (if x[i] < 0.5 + 0.1*i + 0.2*sin(time) then 2 else -1) - 0.3*i*x[i]; }
        simulate { until = 0.6, step = 0.02 } }"""
    # below the surface it is driven up, above it down: it slides after the first switch, where runs tremble
    text = text.replace("until = 0.6", "until = 0.2")
    ends = [event_driven([0.1*i], 1, {1: (lambda t, y, i=i: [2.0 - 0.3*i*y[0]], [])}, 0.2)[0][0] for i in (1, 2, 3)]
    orders(text, columns, 0.02, ends, "moreau(located = true)")


def switch_in_force(scheme):
    """A push that the velocity switches on, and one that time switches off."""
    f = lambda push, fast: lambda t, y: [y[1], -4*y[0] + push*2.0 + (0.5 if fast else 0)]
    over, under = lambda t, y: 0.8 - y[1], lambda t, y: y[1] - 0.8
    modes = {}
    for push in (0, 1):
        late = [(lambda t, y: 0.37 - t, None)] if push else []
        for fast in (0, 1):
            ends = [((under if fast else over), lambda t, y, p=push, b=fast: (y, (p, 1 - b)))]
            ends += [(g, lambda t, y, b=fast: (y, (0, b))) for g, _ in late]
            modes[push, fast] = (f(push, fast), ends)
    end, times = event_driven([0.6, 0.0], (1, 0), modes, 4.5)
    need(len(times) >= 3, f"{times}")
    text = """model B { coord x = 0.6; kinetic x'^2/2; potential 2*x^2;
        force x = (if time < 0.37 then 2 else 0) + (if x' > 0.8 then 0.5 else 0);
        simulate { until = 4.5, step = 0.02 } }"""
    orders(text, ("x", "x'"), 0.02, end, f"{scheme}(located = true)")


def chattering_switch():
    """What is driven back from both sides is not located for ever: 20 switches in a step, and it goes on."""
    text = """model C { state x = 0.35; x' = if x > 0 then -1 else 1; simulate { until = 1, step = 0.1 } }"""
    c, err, _ = run(text, 0.1, "moreau(located = true)")
    need(max(abs(x) for t, x in zip(c["time"], c["x"]) if t > 0.45) <= 0.1, str(c["x"]))
    need(int(re.search(r"(\d+) steps captured", err).group(1)) >= 4, err)


def schmitt():
    """A law that is not monotone: its multiplier jumps where its branch ends."""
    f = lambda u: lambda t, y: [-y[0] + 3*math.cos(2*t), u - y[1]]
    u = lambda v, s: max(-1, min(1, s))
    modes = {1: (f(1.0), [(lambda t, y: 1.2 + y[0] - 0.5, lambda t, y: (y, -1))]),
             -1: (f(-1.0), [(lambda t, y: 1.2 - y[0] - 0.5, lambda t, y: (y, 1))])}
    end, times = event_driven([2.0, 0.0], 1, modes, 4)
    need(len(times) >= 2, f"{times}")
    text = """model Schmitt { state v = 2, w = 0; multiplier u; v' = -v + 3*cos(2*time); w' = u - w;
        relation g: u in graph(u*1.2 + v, [(-1, -1), (-0.5, -1), (0.5, 1), (1, 1)]);
        simulate { until = 4, step = 0.02 } }"""
    orders(text, ("v", "w"), 0.02, end, "moreau(located = true)")


# --- variants of impacts ---

def two_balls(scheme):
    """One upon the other, different restitutions: until they have met five times."""
    g = 9.81
    fly = lambda t, y: [y[2], y[3], -g, -g]
    floor = lambda t, y: ([0.0, y[1], -0.8*y[2], y[3]], 0)

    def meet(t, y):                              # masses 2 and 1, e = 0.6
        p = 1.6*(y[2] - y[3])/(1/2 + 1)
        return [y[0], y[0] + 0.1 + 1e-300, y[2] - p/2, y[3] + p], 0
    modes = {0: (fly, [(lambda t, y: y[0], floor), (lambda t, y: y[1] - y[0] - 0.1, meet)])}
    end, times = event_driven([0.5, 1.3, 0, 0], 0, modes, 1.2)
    text = """model T { coord a = 0.5, b = 1.3; kinetic a'^2 + b'^2/2; potential 9.81*(2*a + b);
        contact floor: a >= 0 with newton(0.8); contact pair: b - a - 0.1 >= 0 with newton(0.6);
        simulate { until = 1.2, step = 1e-2 } }"""
    c, _, told = run(text, 1e-2, f"{scheme}(located = true)")
    need(len(told) == len(times) >= 4, f"{len(told)} events, {times}")
    for x, t in zip(told, times):
        need(abs(float(x["time"]) - t) <= 1e-11, f"{x}, {t!r}")
    for name, x in zip(("a", "b", "a'", "b'"), end):
        need(abs(c[name][-1] - x) <= 1e-9, f"{name} = {c[name][-1]!r}, not {x!r}")


def many_balls(scheme):
    """Each with its own height and restitution, alone on its floor."""
    text = """model M { param n = 7; coord z[n] = [0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5]; for i in 1:n { kinetic z[i]'^2/2;
        potential 9.81*z[i]; contact floor[i]: z[i] >= 0 with newton(0.3 + 0.09*i); }
        simulate { until = 3, step = 1e-2 } }"""
    c, err, told = run(text, 1e-2, f"{scheme}(located = true)")
    for i in range(1, 8):
        h, e, g = 0.1 + 0.2*i, 0.3 + 0.09*i, 9.81
        t, u = math.sqrt(2*h/g), math.sqrt(2*h*g)
        for _ in range(200):
            u *= e
            if t + 2*u/g > 3 or u < 1e-12:
                break
            t += 2*u/g
        true = 0.0 if u < 1e-9 else u*(3 - t) - g*(3 - t)**2/2
        need(abs(c[f"z[{i}]"][-1] - true) <= 1e-9, f"ball {i}: {c[f'z[{i}]'][-1]!r}, not {true!r}")
        need(min(c[f"z[{i}]"]) >= -1e-12, f"ball {i} is {-min(c[f'z[{i}]']):.3g} deep")
    need(" 0 steps captured" in err, err)


def moving_table():
    """A ball on a table that moves: the gap depends on time."""
    g, w, A = 9.81, 9.0, 0.05
    table, speed = lambda t: A*math.sin(w*t), lambda t: A*w*math.cos(w*t)
    hit = lambda t, y: ([table(t) + 1e-300, speed(t) - 0.7*(y[1] - speed(t))], 0)
    end, times = event_driven([0.5, 0], 0, {0: (lambda t, y: [y[1], -g], [(lambda t, y: y[0] - table(t), hit)])}, 1.5)
    text = """model T { coord z = 0.5; kinetic z'^2/2; potential 9.81*z;
        contact on: z - 0.05*sin(9*time) >= 0 with newton(0.7); simulate { until = 1.5, step = 1e-2 } }"""
    c, _, told = run(text, 1e-2, "moreau(located = true)")
    need(len(told) == len(times) >= 3, f"{told}, {times}")
    for name, x in zip(("z", "z'"), end):
        need(abs(c[name][-1] - x) <= 1e-10, f"{name} = {c[name][-1]!r}, not {x!r}")


def two_stops(scheme):
    """An oscillator between stops at both sides, driven."""
    f = lambda t, y: [y[1], -25*y[0] - 0.2*y[1] + 20*math.cos(6*t)]
    bounce = lambda e: lambda t, y: ([y[0], -e*y[1]], 0)
    modes = {0: (f, [(lambda t, y: y[0] + 0.3 if y[1] < 0 else 1, bounce(0.9)),
                     (lambda t, y: 0.2 - y[0] if y[1] > 0 else 1, bounce(0.5))])}
    end, times = event_driven([0.0, 0.5], 0, modes, 2.0)
    need(len(times) >= 4, f"{times}")
    text = """model S { coord x = 0, x' = 0.5; kinetic x'^2/2; potential 12.5*x^2; dissipation 0.1*x'^2;
        force x = 20*cos(6*time); contact left: x + 0.3 >= 0 with newton(0.9);
        contact right: 0.2 - x >= 0 with newton(0.5); simulate { until = 2, step = 1e-2 } }"""
    orders(text, ("x", "x'"), 0.01, end, f"{scheme}(located = true)")


def belt_with_stop(scheme):
    """Stick, slip and impacts in one run."""
    k, mu, g, v, wall = 4.0, 0.4, 9.81, 0.8, 0.7
    stick, top = lambda t, y: [v, 0.0], (lambda t, y: wall - y[0] if y[1] > 0 else 1)
    hit = lambda t, y: ([y[0], -0.5*y[1]], "slip")
    modes = {"slip": (lambda t, y: [y[1], -k*y[0] + mu*g], [(lambda t, y: v - y[1], lambda t, y: ([y[0], v], "stick")),
                                                          (top, hit)]),
             "stick": (stick, [(lambda t, y: mu*g - k*y[0], lambda t, y: ([y[0], v], "slip")), (top, hit)])}
    end, times = event_driven([0.2, 0.1], "slip", modes, 1.9)
    need(len(times) >= 4, f"{times}")
    text = """model Belt { param m = 1, k = 4, mu = 0.4, g = 9.81, v = 0.8; coord x = 0.2, x' = 0.1;
        kinetic m*x'^2/2; potential k*x^2/2; contact belt { normal_force = m*g; slip = x' - v; with coulomb(mu); }
        contact wall: 0.7 - x >= 0 with newton(0.5); simulate { until = 1.9, step = 20e-3 } }"""
    orders(text, ("x", "x'"), 0.02, end, f"{scheme}(located = true)")


def rolling(scheme):
    """A disk rolls, slower and slower by rolling friction, and stops: at the time of the closed form."""
    text = """model D { gravity [0, -9.81]; body ground { fixed, shape = halfplane }
        body disk { shape = disk(0.5), density = 1, position = [0, 0.5], velocity = [1, 0], spin = -2 }
        contact floor { between = disk, ground; with newton(0), rolling(0.5, 0.02 [m]); }
        output x = disk.r[1], v = disk.r[1]'; simulate { until = 6, step = 1e-2 } }"""
    c, err, told = run(text, 1e-2, f"{scheme}(located = true)")
    # m a = -F, I a/R = -(delta N - F R): a = -delta g R/(R^2 + R^2/2)
    a = 0.02*9.81/0.5/1.5
    stops = 1/a
    need(len(told) == 1 and told[0]["kind"] == "sticks", f"{told}")
    need(abs(float(told[0]["time"]) - stops) <= 1e-8, f"{told[0]}, {stops!r}")
    need(abs(c["x"][-1] - stops/2) <= 1e-9 and abs(c["v"][-1]) <= 1e-15, f"x = {c['x'][-1]!r}, v = {c['v'][-1]!r}")


def same_by_whole_steps(model, scheme, step, until, least, close, apart):
    """At least so many events, the same in both runs; close: their times; apart: values, of their size."""
    text = model if "{" in model else (ROOT / f"models/{model}.nsm").read_text()
    both = [run(text, step, f"{scheme}(located = true)", "--until", until, "--whole-steps", w) for w in ("on", "off")]
    (c, err, told), (d, _, other) = both
    need(len(told) == len(other) >= least, f"{model}, {scheme}: {len(told)} and {len(other)} events")
    for x, y in zip(told, other):
        need(abs(float(x["time"]) - float(y["time"])) <= close and x["contact"] == y["contact"], f"{x}, {y}")
    for name in c:
        if name.endswith((".lambda", ".lambda_t", "time")):
            continue
        size = max(map(abs, d[name])) or 1
        off = max(abs(x - y) for x, y in zip(c[name], d[name]))
        need(off <= apart*size, f"{model}, {scheme}: {name} is {off/size:.3g} off")
    return err


def by_whole_steps():
    """Runs by whole steps between events and by the generic step alone: the same events."""
    for model, until in (("double_pendulum", "2"), ("double_pendulum_angles", "2"), ("two_mass_oscillator", "0.3")):
        for scheme in SCHEMES:
            same_by_whole_steps(model, scheme, 1e-3, until, 3, 1e-10, 1e-8)
    # through contacts that stay closed, stick and slip, and relays that stay at their bound
    same_by_whole_steps("woodpecker", "moreau", 2e-5, "0.3", 20, 1e-12, 1e-11)
    same_by_whole_steps("dc_motor", "moreau", 1e-3, "1.2", 2, 1e-12, 1e-12)
    same_by_whole_steps("""model Two { coord x[2] = 0, y[2] = 0;
        kinetic sum(i in 1:2) (x[i]'^2 + y[i]'^2)/2; potential sum(i in 1:2) 10*y[i] + 3*(x[2] - x[1])^2;
        contact floor1 { normal = y[1]; slip = x[1]'; with inelastic, coulomb(0.3); }
        contact floor2 { normal = y[2]; slip = x[2]'; with inelastic, coulomb(0.2); }
        contact stop: 1.2 - x[1] >= 0 with newton(0.5); force x[1] = 6*sin(3*time);
        simulate { until = 5, step = 2e-3 } }""", "moreau", 2e-3, "5", 5, 1e-12, 1e-11)


def short_stop():
    """A slip that stops and starts again within one step, at whose ends it is the same: v = 10 (t - 1)^2 - 0.01 there.
    With friction on a given force, of a contact, and as a relay; by whole steps and by the generic step."""
    laws = ("contact bed { normal_force = 2; slip = x'; with coulomb(0.5); }",
            "coord y = 0; kinetic y'^2/2; potential 2*y; contact floor { normal = y; slip = x'; "
            "with inelastic, coulomb(0.5); }", "multiplier f; relation bed: f in -sgn(x'); force x = f;")
    stops = 1 - math.sqrt(1e-3)
    for law in laws:
        for scheme in SCHEMES:
            if "relation" in law and scheme == "consistent":
                continue
            for whole in ("on", "off"):
                text = f"""model Dip {{ coord x = 0, x' = 9.015; kinetic x'^2/2; force x = 1 + 20*(time - 1); {law}
                    simulate {{ start = 0.05, until = 1.95, step = 0.1 }} }}"""
                c, _, told = run(text, 0.1, f"{scheme}(located = true)", "--whole-steps", whole)
                times = [float(x["time"]) for x in told]
                need(len(times) == 2 and abs(times[0] - stops) <= 1e-13 and abs(times[1] - 1) <= 1e-9,
                     f"{law}, {scheme}: {times}")
                need(abs(c["x'"][-1] - 9.025) <= 1e-8, f"{law}, {scheme}: {c[chr(120) + chr(39)][-1]!r}")


def relay_near_the_end():
    """A relay whose force reaches its bound just before the end of a step: by an extrapolated force a little too early,
    and in the short rest it still holds. No step is captured, and the events are those of a fine run."""
    text = """model R { coord x0 = 0.077, x0' = -0.283, x1 = 1.233, x1' = -0.502, x2 = 2.114, x2' = -0.796;
        kinetic 1.536*x0'^2/2 + 0.578*x1'^2/2 + 0.874*x2'^2/2;
        potential 17.147*(x0-0.091)^2/2 + 4.823*(x1-0.923)^2/2 + 15.161*(x2-1.945)^2/2 + 18.92*(x1-x0-1)^2/2;
        potential 4.835*(x2-x1-1)^2/2; multiplier m0; force x0 = m0; relation r0: m0 in -1.697*sgn(x0');
        contact rub2 { normal_force = 3.51; slip = x2' + 0.111; with coulomb(0.481); }
        simulate { until = 1.6, step = 2e-3 } }"""
    _, err, told = run(text, 2e-3, "moreau(located = true)")
    _, _, fine = run(text, 5e-4, "moreau(located = true)")
    need("0 steps captured" in err, err)
    need(len(fine) == 11 and len(told) <= len(fine) + 1, f"{len(told)} and {len(fine)} events")
    need(abs(float(told[-1]["time"]) - float(fine[-1]["time"])) <= 1e-4, f"{told[-1]}, {fine[-1]}")


def taut_rope():
    """A trolley with dry friction and a load on a taut rope: instants are those of event_driven (rtol 1e-11), forces do
    not alternate from step to step, and the rope does not open in a piece that an instant near the clock's made short
    (150.01 and 150.39 N did)."""
    text = """model Crane { param M = 50, m = 20, F0 = 150; discrete drive = 1; coord s = 0, x = 0, z = -2;
        kinetic M*s'^2/2 + m*(x'^2 + z'^2)/2; potential 9.81*m*z; force s = drive*F0;
        when s > 1 { drive = -1; } when s' < -0.1 { drive = 0; }
        contact rope: 4 - (x - s)^2 - z^2 >= 0 with newton(0.2);
        contact rail { normal_force = 9.81*M; slip = s'; with coulomb(0.1); }
        simulate { until = 5, step = 2e-3 } }"""
    for force in (150, 150.0001, 150.01, 150.39):
        c, err, told = run(text.replace("F0 = 150", f"F0 = {force}"), 2e-3, "consistent(located = true)")
        kinds = " ".join(x["kind"] for x in told)
        need(kinds == "when slips when sticks slips sticks slips when sticks slips", f"{force} N: {kinds}")
        need(" 0 steps captured" in err, err)
        at = [float(x["time"]) for x in told]
        need(abs(at[6] - (3.1542797 - 5.306e-3*(force - 150))) <= 3e-5 or force > 150.1, f"{force} N: slips at {at[6]}")
        pulls = [x for t, x in zip(c["time"], c["rope.lambda"]) if 3.12 < t < 3.15]
        bend = max(abs(a - 2*b + d) for a, b, d in zip(pulls, pulls[1:], pulls[2:]))
        need(bend <= 1e-6, f"{force} N: the pull of the rope alternates by {bend:.2g}")


def slow_slip():
    """Euler's disk sticks and slips in turn. What of a slow slip is across its friction does not change its sign from
    piece to piece, which would be an event each time (31 of them)."""
    text = (ROOT / "models/euler_disk.nsm").read_text().replace("until = 5 [s]", "until = 2.3 [s]")
    _, err, told = run(text[:text.index("  expect")] + "}", 1e-3, "consistent(located = true)")
    sticks = [e["time"] for e in told if e["kind"] == "sticks"]
    need(" 0 steps captured" in err and len(sticks) == 3 and len(told) <= 12, f"{told}")


def come_to_rest():
    """A bar on a pivot comes to rest within a step of 143 J before. What its terms are measured by does not vanish with
    them: speeds of 1e-19 are no iterate that ran away, and forces of 1e-33 need no digits (exit 3 were both)."""
    text = (ROOT / "models/pivot_stop.nsm").read_text().replace("until = 10 [s]", "until = 9.8 [s]")
    for step in (0.000994233446013124, 0.002):
        c, err, _ = run(text[:text.index("  expect")] + "}", step, "consistent(located = true)")
        need(" 0 steps captured" in err and abs(c["of_bar"][-1]) <= 1e-14, f"{c['of_bar'][-1]!r} {err}")


def slip_after_a_condition(scheme):
    """A slip turns round in what is left of a step that a condition has ended: forces are constant, so all is exact.
    The next piece began with the rates of the longer trial, in which the slip had turned already (2e-4 off)."""
    for turns in (0.36, 0.365, 0.37, 0.381, 0.39):
        text = f"""model A {{ discrete d = 0; coord x = 0, x' = {-3*turns!r}, y = 0, y' = 1; kinetic x'^2/2 + y'^2/2;
          force x = 2; contact g {{ normal_force = 2; slip = x'; with coulomb(0.5); }} when y > 0.34 {{ d = 1; }}
          simulate {{ until = 1, step = 0.1 }} }}"""
        for order in ("", ", order = 4") if scheme == "consistent" else ("",):
            c, err, told = run(text, 0.1, f"{scheme}(located = true{order})")
            off = c["x"][-1] - ((1 - turns)**2 - 3*turns**2)/2
            need(abs(off) <= 1e-12 and len(told) == 2, f"{turns}{order}: {off:.2g} off, {told}")


def rope_on_a_rail(scheme):
    """The same with a rail that the trolley's friction needs the force of: of second order. What the rope does at the
    end of a piece leaves the rail alone, whose impulses need their friction with them. Values: event_driven."""
    text = """model Crane { coord s = 0, y = 0, x = 0.3, z = -1.97737199332852; force s = 150*sin(2*time);
        kinetic 50*(s'^2 + y'^2)/2 + 20*(x'^2 + z'^2)/2; potential 9.81*(20*z + 50*y);
        contact rail { normal = y; slip = s'; with newton(0), coulomb(0.02); }
        contact rope: 4 - (x - s)^2 - (z - y)^2 >= 0 with newton(0.2); simulate { until = 3, step = 4e-3 } }"""
    orders(text, ["s", "x", "z"], 4e-3, [2.266386743036894, 3.4866680166588084, -1.5845862593269209],
           f"{scheme}(located = true)")


CASES = [("located, a taut rope", taut_rope), ("located, a slow slip", slow_slip), ("known instants", by_time),
         ("located, rest within a step", come_to_rest),
         ("offsets of every", offsets),
         ("located, a relay near the end of a step", relay_near_the_end),
         ("located, a short stop", short_stop),
         ("located, impacts at times of the clock", at_times_of_the_clock),
         ("located, small rates", small_rates),
         ("located, switches in equations", switch_in_equation), ("located, a switch that chatters", chattering_switch),
         ("located, a law that jumps", schmitt), ("located, a table that moves", moving_table),
         ("located, whole steps", by_whole_steps)]
CASES += [(f"located, {name}: {scheme}", check, scheme) for scheme in SCHEMES for name, check in (
    ("wheel", wheel), ("sphere", sphere), ("a corner", corner), ("a box comes to rest", box_comes_to_rest),
    ("switches in forces", switch_in_force), ("two balls", two_balls), ("many balls", many_balls),
    ("two stops", two_stops), ("a rope on a rail", rope_on_a_rail), ("a belt with a stop", belt_with_stop),
    ("rolling", rolling), ("a slip after a condition", slip_after_a_condition))]
