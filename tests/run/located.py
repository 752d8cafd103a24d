"""Impacts and switches located within the step, and the theta-gamma scheme: against closed forms and against
event-driven runs of this file's own (extrapolated midpoint rule, events by Illinois)."""
import csv
import math
import pathlib
import tempfile

from suite import need, nsm
from table import Table

SCHEMES = ("moreau", "consistent")


def run(text, step, scheme, *flags, code=0):
    """Columns, summary lines and events of a run of a model given as text."""
    with tempfile.TemporaryDirectory() as folder:
        model, out, events = (pathlib.Path(folder) / name for name in ("m.nsm", "out.csv", "events.csv"))
        model.write_text(text)
        ran = nsm("run", model, "--step", repr(step), "--scheme", scheme, "-o", out, *flags,
                  *(["--record-events", events] if "located" in scheme else [])).expect(code)
        if code:
            return None, ran.err, None
        told = list(csv.DictReader(events.read_text().splitlines())) if events.exists() else []
        return Table(out.read_text()), ran.err, told


# --- event-driven runs ---

def midpoints(f, t, y, h, n):
    """Gragg's modified midpoint rule with n substeps."""
    d = h/n
    a, b = y, [u + d*v for u, v in zip(y, f(t, y))]
    for i in range(1, n):
        a, b = b, [u + 2*d*v for u, v in zip(a, f(t + i*d, b))]
    return [0.5*(u + v + d*w) for u, v, w in zip(a, b, f(t + h, b))]


def advance(f, t, y, h):
    """Extrapolation of (2), (4), ..., (14) substeps: order 14."""
    table = []
    for k in range(1, 8):
        row = [midpoints(f, t, y, h, 2*k)]
        for j in range(1, k):
            q = (k/(k - j))**2 - 1
            row.append([a + (a - b)/q for a, b in zip(row[-1], table[-1][j - 1])])
        table.append(row)
    return table[-1][-1]


def event_driven(y, mode, modes, until, h=0.02):
    """modes[mode] = (f(t, y), [(crosses(t, y), then(t, y) -> (y, mode))]); a function that crosses 0 from above ends
    the mode. The state at `until` and the times of the events."""
    t, times = 0.0, []
    while t < until:
        f, ends = modes[mode]
        step = min(h, until - t)
        z = advance(f, t, y, step)
        crossed = [e for e in ends if e[0](t + step, z) < 0]
        if not crossed:
            t, y = t + step, z
            continue
        best = None
        for g, then in crossed:
            lo, hi, a, b, side = 0.0, step, g(t, y), g(t + step, z), 0
            for _ in range(200):
                r = lo + (hi - lo)*a/(a - b) if a > 0 else 0.5*(lo + hi)
                w = g(t + r, advance(f, t, y, r))
                if w < 0:
                    hi, b = r, w
                    a, side = (a/2 if side == 1 else a), 1
                else:
                    lo, a = r, w
                    b, side = (b/2 if side == -1 else b), -1
                if hi - lo <= 2e-16*max(1, t) or abs(w) < 1e-16:
                    break
            if best is None or r < best[0]:
                best = (r, then)
        y = advance(f, t, y, best[0])
        t += best[0]
        times.append(t)
        y, mode = best[1](t, y)
    return y, times


# --- systems: text, columns, first step, state at the end, times of events ---

def two_masses():
    m, k, g, e = 1.0, 100.0, 9.81, 0.5
    f = lambda t, y: [y[2], y[3], -g + k*(y[1] - y[0] - 0.5), -g - k*(y[1] - y[0] - 0.5)]
    bounce = lambda t, y: ([0.0, y[1], -e*y[2], y[3]], "flies")
    end = event_driven([1, 1.6, 0, 0], "flies", {"flies": (f, [(lambda t, y: y[0], bounce)])}, 0.6)
    text = """model Two { coord x1 = 1, x2 = 1.6; kinetic (x1'^2 + x2'^2)/2;
        potential 9.81*(x1 + x2) + 100*(x2 - x1 - 0.5)^2/2; contact floor: x1 >= 0 with newton(0.5);
        simulate { until = 0.6, step = 1e-2 } }"""
    return text, ("x1", "x2", "x1'", "x2'"), 0.01, end


def belt():
    k, mu, g, v = 4.0, 0.4, 9.81, 0.8
    slip = lambda t, y: [y[1], -k*y[0] + mu*g]
    stick = lambda t, y: [v, 0.0]
    modes = {"slip": (slip, [(lambda t, y: v - y[1], lambda t, y: ([y[0], v], "stick"))]),
             "stick": (stick, [(lambda t, y: mu*g - k*y[0], lambda t, y: ([y[0], v], "slip"))])}
    end = event_driven([0.2, 0.1], "slip", modes, 8)
    text = """model Belt { param m = 1, k = 4, mu = 0.4, g = 9.81, v = 0.8; coord x = 0.2, x' = 0.1;
        kinetic m*x'^2/2; potential k*x^2/2;
        contact belt { normal_force = m*g; slip = x' - v; with coulomb(mu); }
        simulate { until = 8, step = 20e-3 } }"""
    return text, ("x", "x'"), 0.02, end


def block():
    """On a corner, frictionless, e = 0: one freedom between two impacts."""
    L, l, m, g = 0.5, 1.0, 1.0, 9.81
    I = m*(l*l + L*L)/12

    def on(s):                                   # corner s = 1: y = l/2 cos + s L/2 sin
        def f(t, y):
            a, w = y
            p = -l/2*math.sin(a) + s*L/2*math.cos(a)                  # dy/da
            q = -l/2*math.cos(a) - s*L/2*math.sin(a)
            return [w, -(m*p*q*w*w + m*g*p)/(I + m*p*p)]
        return f

    factor = 1 - (L*L/(2*I))/(1/m + L*L/(4*I))
    modes = {1: (on(1), [(lambda t, y: y[0], lambda t, y: ([-1e-300, factor*y[1]], -1))]),
             -1: (on(-1), [(lambda t, y: -y[0], lambda t, y: ([1e-300, factor*y[1]], 1))])}
    (a, w), times = event_driven([0.3, 0.0], 1, modes, 0.36)
    text = """model Block { param L = 0.5, l = 1, m = 1, g = 9.81, I = m*(l^2 + L^2)/12;
        coord y = l/2*cos(0.3) + L/2*sin(0.3), theta = 0.3; kinetic m*y'^2/2 + I*theta'^2/2; potential m*g*y;
        contact A: y - l/2*cos(theta) + L/2*sin(theta) >= 0 with newton(0);
        contact B: y - l/2*cos(theta) - L/2*sin(theta) >= 0 with newton(0);
        simulate { until = 0.36, step = 1e-2 } }"""
    return text, ("theta", "theta'"), 0.01, ((a, w), times)


def relay():
    """Begins to slide on x + y = 0, and leaves it."""
    f = lambda u: lambda t, y: [y[1], -0.5*y[1] + u*1.0 + 1.8*math.cos(2*t)]
    hold = lambda t, y: -(y[1] - 0.5*y[1] + 1.8*math.cos(2*t))        # u that keeps x + y = 0
    slide = lambda t, y: [y[1], -0.5*y[1] + hold(t, y) + 1.8*math.cos(2*t)]

    def met(t, y):
        u = hold(t, y)
        return y, (0 if abs(u) <= 1 else math.copysign(1, u)*1.0)
    modes = {0: (slide, [(lambda t, y: 1 - hold(t, y), lambda t, y: (y, 1.0)),
                         (lambda t, y: 1 + hold(t, y), lambda t, y: (y, -1.0))]),
             -1.0: (f(-1.0), [(lambda t, y: y[0] + y[1], met)]), 1.0: (f(1.0), [(lambda t, y: -y[0] - y[1], met)])}
    end = event_driven([1.0, 0.3], -1.0, modes, 6)
    text = """model Slide { state x = 1, y = 0.3; multiplier u; x' = y; y' = -0.5*y + u + 1.8*cos(2*time);
        relation r: u in -sgn(x + y); simulate { until = 6, step = 0.02 } }"""
    return text, ("x", "y"), 0.02, end


CHATTERING = """model RelayChat { param xsi = 0.2; state x[4] = [-0.01, -0.02, -1, 0.5];  multiplier u;
    x' = [[0,1,0,0],[-6,0,1,0],[-4,0,0,1],[-1,0,0,0]]*x + [0, 1, -2*xsi, xsi^2]*u; relation r: u in -sgn(x[1]);
    simulate { until = 5, step = 1e-2 } }"""


def chattering():
    f = lambda u: lambda t, x: [x[1], -6*x[0] + x[2] + u, -4*x[0] + x[3] - 0.4*u, -x[0] + 0.04*u]
    modes = {1: (f(1), [(lambda t, x: -x[0], lambda t, x: ([1e-300, *x[1:]], -1))]),
             -1: (f(-1), [(lambda t, x: x[0], lambda t, x: ([-1e-300, *x[1:]], 1))])}
    end = event_driven([-0.01, -0.02, -1, 0.5], 1, modes, 5, 0.01)
    return CHATTERING, ("x[1]", "x[2]", "x[3]", "x[4]"), 0.01, end


def crosswise():
    """Two relays, each of which acts on the state of the other: a multiplier that does not act on its own y."""
    def mode(u1, u2):
        f = lambda t, x: [1 + u2 - x[0], 1.5*(1 - u1) - 1.5*x[1]]
        return f, [(lambda t, x: u1*(1 - x[0]), lambda t, x: (x, (-u1, u2))),
                   (lambda t, x: u2*(0.8 - x[1]), lambda t, x: (x, (u1, -u2)))]
    modes = {(a, b): mode(a, b) for a in (1, -1) for b in (1, -1)}
    end = event_driven([0.0, 0.0], (1, 1), modes, 3)
    text = """model Genes { state a = 0, b = 0;  multiplier u, w;  a' = 1 + w - a;  b' = 1.5*(1 - u) - 1.5*b;
        relation one: u in -sgn(a - 1);  relation two: w in -sgn(b - 0.8);  simulate { until = 3, step = 0.02 } }"""
    return text, ("a", "b"), 0.02, end


# name: (system, schemes, how often its step is halved before the first measurement)
SYSTEMS = {"two masses and a spring": (two_masses, SCHEMES), "a mass on a belt": (belt, SCHEMES),
           "a block that rocks": (block, SCHEMES), "a relay that slides": (relay, ("moreau",)),
           "a relay that chatters": (chattering, ("moreau",)),
           "relays that act on each other": (crosswise, ("moreau",))}


def order(name, scheme):
    text, columns, h, (end, times) = SYSTEMS[name][0]()
    errors = []
    for i in range(4):
        c, err, told = run(text, h/2**i, f"{scheme}(located = true)")
        errors.append(max(abs(c[n][-1] - x) for n, x in zip(columns, end)))
        need("0 steps captured" in err, f"at {h/2**i:g}: {err}")
    for a, b in zip(errors[1:], errors[2:]):
        need(abs(math.log2(a/b) - 2) <= 0.1, f"errors {', '.join(f'{x:.3g}' for x in errors)}")
    need(len(times) >= 2 and errors[0] <= 0.02, f"{len(times)} events, error {errors[0]:.3g}")
    if name == "a relay that chatters":
        need(errors[2] <= 1.9e-4, f"at {h/4:g}: error {errors[2]:.3g}")


BALL = """model Ball { param R = 0.1, e = 0.9, g = 9.81; coord z = 1; kinetic z'^2/2; potential g*z;
    contact floor: z - R >= 0 with newton(e); simulate { until = 10, step = 5e-3 } }"""


def ball(scheme):
    R, e, g = 0.1, 0.9, 9.81
    hits, t, u = [], math.sqrt(2*(1 - R)/g), math.sqrt(2*(1 - R)*g)
    while u > 1e-13:
        u *= e
        hits.append((t, u))
        t += 2*u/g
    rest, k, off, last = t, -1, 0.0, 0.0
    c, err, told = run(BALL, 5e-3, f"{scheme}(located = true)", "--record", "z,z',energy,energy.residue")
    for t, z, v in zip(c["time"], c["z"], c["z'"]):
        while k + 1 < len(hits) and hits[k + 1][0] <= t:
            k += 1
        d = t - hits[k][0]
        true = 1 - g*t*t/2 if k < 0 else R + hits[k][1]*d - g*d*d/2 if t < rest else R
        off += abs(z - true)*(t - last)
        last = t
        need(z - R >= -1e-12, f"{R - z:.3g} deep at {t:g}")
        need(t < rest + 0.01 or (z == c["z"][-1] and v == 0), f"moves at {t:g}, after it came to rest")
    need(off <= 1e-9, f"position {off:.3g} off in the L1 norm")
    need(max(map(abs, c["energy.residue"])) <= 1e-14, "the ledger does not close")
    lost = sum(float(x["energy_lost"]) for x in told)
    need(abs(lost - (c["energy"][0] - c["energy"][-1])) <= 1e-13, f"the events took {lost:.17g} J")
    for x, (t, u) in zip(told[:20], hits):
        need(abs(float(x["time"]) - t) <= 1e-13 and abs(float(x["after"]) - u) <= 1e-12, f"event {x}, {t!r}, {u!r}")
        need(abs(float(x["impulse"]) - u*(1 + 1/e)) <= 1e-12 and x["contact"] == "contact floor", str(x))


def claims_about_events():
    text = BALL.replace("until = 10", "until = 2, scheme = consistent(located = true)")[:-1] + """
        expect events(floor) == 3; expect abs(first(floor) - sqrt(2*(1 - R)/g)) <= 1e-14;
        expect abs(last(floor) - sqrt(2*(1 - R)/g)*(1 + 2*e + 2*e^2)) <= 1e-13; }"""
    run(text, 5e-3, "consistent(located = true)", "--expect")
    _, err, _ = run(text.replace("== 3", "== 2"), 5e-3, "consistent(located = true)", "--expect", code=5)
    need("events(floor) == 2" in err, err)
    _, err, _ = run(text, 5e-3, "consistent", "--located", "off", code=2)
    need("events" in err, err)


def with_sampled_blocks(scheme):
    """A force that a block `every` switches, and a condition: both cut the steps that impacts cut."""
    g, e = 9.81, 0.5
    text = """model B { discrete F = 0, top = 0, n = 0; coord z = 1; kinetic z'^2/2; potential 9.81*z; force z = F;
        contact floor: z >= 0 with newton(0.5);
        every 0.3 { F = 3 - F; } when z' < 0 { top = z; n = n + 1; }
        simulate { until = 1.15, step = 1e-2 } }"""
    t, z, v, F, due, n, top, hits = 0.0, 1.0, 0.0, 3.0, 0.3, 0, 0.0, []          # the first `every` is at the start
    while t < 1.15:
        a = F - g
        end = min(due, 1.15) - t
        fall = (-v - math.sqrt(v*v - 2*a*z))/a if z > 0 or v > 0 else math.inf
        peak = -v/a if v > 1e-12 else math.inf
        d = min(end, fall, peak)
        t, z, v = t + d, z + v*d + a*d*d/2, v + a*d
        if d == fall:
            z, v = 0.0, -e*v
            hits.append(t)
        elif d == peak:
            n, top, v = n + 1, z, 0.0
        if d == end:
            t = min(due, 1.15)
            due, F = due + 0.3, 3 - F
    n += 1                                                               # at the start z' becomes negative once too
    c, err, told = run(text, 1e-2, f"{scheme}(located = true)")
    need(sum(x["kind"] == "when" for x in told) == n, f"{n} tops: {told}")
    told = [x for x in told if x["kind"] != "when"]
    need(len(hits) >= 1 and len(told) == len(hits), f"{told}, {hits}")
    for x, at in zip(told, hits):
        need(abs(float(x["time"]) - at) <= 1e-12, f"{x}, {at!r}")
    need(abs(c["z"][-1] - z) <= 1e-11 and abs(c["z'"][-1] - v) <= 1e-11, f"z = {c['z'][-1]!r}, {z!r}")
    need(c["n"][-1] == n and abs(c["top"][-1] - top) <= 1e-11, f"{c['n'][-1]} times, {n}; {c['top'][-1]!r}, {top!r}")


BRIDGE = """model Bridge { param L = 1e-2, C = 1e-6, R = 1e3; state v = 10, i = 0; multiplier uR1, uF2, iF1, iR2;
    v' = (iR2 - iF1 - i)/C; i' = v/L;
    relation R1: 0 <= (uR1 + uF2)/R - iF1 perp uR1 >= 0; relation F2: 0 <= (uR1 + uF2)/R - iR2 perp uF2 >= 0;
    relation F1: 0 <= uR1 - v perp iF1 >= 0; relation R2: 0 <= uF2 + v perp iR2 >= 0;
    simulate { until = 5e-3, step = 1e-6 } }"""


def bridge(scheme):
    """A bridge loads its source with R whichever diodes conduct, so the source sees a linear circuit."""
    L, C, R = 1e-2, 1e-6, 1e3
    a = 1/(2*R*C)
    w = math.sqrt(1/(L*C) - a*a)
    v = lambda t: math.exp(-a*t)*(10*math.cos(w*t) + (a*10 - 10/(R*C))/w*math.sin(w*t))
    error = []
    for h in (2e-6, 1e-6, 5e-7):
        c, _, _ = run(BRIDGE, h, scheme)
        error.append(max(abs(x - v(t)) for t, x in zip(c["time"], c["v"])))
    need(error[1] <= 6.5e-4, f"{error[1]:.3g} V off at 1 us")
    for x, y in zip(error, error[1:]):
        need(abs(math.log2(x/y) - 2) <= 0.1, f"errors {error}")


def theta_gamma():
    """An oscillator with a diode: theta = gamma = 1/2 with the multiplier at the middle of the step, by hand."""
    C, R, h, q, i = 1/(2*math.pi)**2, 10.0, 0.05, 1.0, 1.0
    c, _, _ = run("""model RLCD { param C = 1/(2*pi)^2, R = 10; state q = 1, i = 1; multiplier l;
        q' = -i + l; i' = q/C; relation D: 0 <= q/C + R*l perp l >= 0; simulate { until = 4.95, step = 0.05 } }""",
                  0.05, "moreau(theta = 1/2, gamma = 1/2)")
    a = h/2
    for x, y in zip(c["q"], c["i"]):
        need(abs(x - q) <= 1e-13 and abs(y - i) <= 1e-13, f"{x!r}, {y!r} is not {q!r}, {i!r}")

        def step(l):                             # q1 = q - a (i1 + i) + h l, i1 = i + a (q1 + q)/C
            q1 = (q - a*(2*i + a*q/C) + h*l)/(1 + a*a/C)
            return q1, i + a*(q1 + q)/C
        q0 = step(0.0)[0]
        y0, slope = (q + q0)/2/C, (step(1.0)[0] - q0)/2/C + R
        q, i = step(max(0.0, -y0/slope))


def degree_one(scheme):
    """A law about the state holds at the end of the step whatever gamma is: no chatter, |x| at most round-off."""
    text = """model Relay { state x = 1.03; multiplier u; x' = 0.4 + u; relation r: u in -sgn(x);
        simulate { until = 4, step = 0.1 } }"""
    c, _, _ = run(text, 0.1, scheme)
    late = [abs(x) for t, x in zip(c["time"], c["x"]) if t > 2]
    need(max(late) <= 1e-12, f"|x| = {max(late):.3g} in sliding")
    need(all(abs(u + 0.4) <= 1e-12 for t, u in zip(c["time"], c["u"]) if t > 2.2), "u is not the one that holds x")


CASES = [(f"located, order 2: {name}, {scheme}", order, name, scheme)
         for name, (_, schemes) in SYSTEMS.items() for scheme in schemes]
CASES += [(f"located, a ball comes to rest: {scheme}", ball, scheme) for scheme in SCHEMES]
CASES += [("claims about events", claims_about_events)]
CASES += [(f"located, beside sampled blocks: {scheme}", with_sampled_blocks, scheme) for scheme in SCHEMES]
CASES += [(f"bridge, order 2: {scheme}", bridge, scheme)
          for scheme in ("moreau(located = true)", "moreau(theta = 1/2, gamma = 1/2)")]
CASES += [("theta-gamma by hand", theta_gamma)]
CASES += [(f"a relay of degree 1: {scheme}", degree_one, scheme)
          for scheme in ("moreau(theta = 1/2, gamma = 1/2)", "moreau(located = true)")]
