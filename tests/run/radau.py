"""Radau IIA in located pieces (docs/numerics/radau.md): networks and first-order systems against references of another
kind. networks/*.nsm: the models; values: exact propagators exp(J r) for each set of conducting diodes, confirmed to 12
digits by equations derived by hand (DOP853 with events); what is not written as a formula is known to that many."""
import csv
import math
import pathlib
import re
import subprocess
import tempfile

from claims import run as by_default
from suite import NSM, ROOT, need, nsm
from table import Table

FOLDER = ROOT / "tests/run/networks"
R = 5e-12                # what references and round-off leave
# end, step h, {quantity: (value, largest of the run)}, errors with 3 stages at h, h/2, h/4, h/8; with 2 at h, h/8
TABLE = {
    "halfwave": (0.085, 0.001, {"e_l.i": (14.78933874425, 20.41)},
        (1.2e-07, 3.8e-09, 1.2e-10, 3.7e-12), (0.00031, 6.2e-07)),
    "thyristor": (0.088, 0.001, {"e_l.i": (24.29349146247, 25.41)},
        (4.4e-07, 1.3e-08, 4.2e-10, 1.3e-11), (0.00021, 4.6e-07)),
    "buck": (0.0010025, 2.4999999999999998e-06, {"e_l.i": (3.680121634535, 12.85), "n_o": (12.80380706949, 20.75)},
        (4.3e-13, R, R, R), (1e-07, 2.3e-10)),
    "boost_ccm": (0.002004, 4e-06, {"e_l.i": (2.96012972617, 14.91), "n_o": (20.75249101645, 33.87)},
        (5.8e-11, 1.7e-12, R, R), (1.5e-06, 2.7e-09)),
    "boost_dcm": (0.002004, 4e-06, {"e_l.i": (0.48, 14.21), "n_o": (36.12490771992, 39.62)},
        (2.8e-10, 8.8e-12, 1.8e-13, R), (8.8e-06, 1.9e-08)),
    "bridge": (0.104, 0.001, {"n_p - n_m": (18.38302311992, 19.7)},
        (8.2e-06, 1.3e-06, 1.1e-07, 4.7e-09), (0.00035, 7.5e-06)),
    "bridge0": (0.104, 0.001, {"n_p - n_m": (20*math.sin(0.4*math.pi), 20.0)},
        (R, R, R, R), (R, R)),
    "cw2": (0.203, 0.001, {"n_d1": (164.1252526048, 170.8), "n_d2": (302.4051673855, 302.5),
        "n_p1": (164.1252526048, 170.8), "n_p2": (302.4051673855, 302.5)},
        (2.6e-11, 1.3e-12, R, R), (9.2e-08, 2.7e-10)),
    "llc": (0.000203, 1e-06, {"e_lr.i": (2.045242820452, 5.934), "e_lm.i": (0.1669872255964, 2.223),
        "n_p": (24.65402855981, 28.29)},
        (7.7e-05, 2.6e-06, 8.2e-08, 2.6e-09), (0.018, 4.6e-05)),
    "b6": (0.0615, 0.0005, {"e_ld.i": (51.5504110927, 51.61), "e_l0.i": (0.0, 51.61),
        "e_l1.i": (-51.5504110927, 51.61)},
        (2.7e-08, 9.3e-10, 3e-11, R), (3.4e-05, 8e-08)),
    "flyback": (0.002002, 2e-06, {"e_lm.i": (0.48, 6.699), "n_o": (13.60189718571, 15.37)},
        (3.1e-10, 1.1e-11, 6e-13, R), (9.8e-06, 2.2e-08)),
    "sepic": (0.001002, 2e-06, {"e_l1.i": (0.1681406704874, 4.114), "e_l2.i": (-0.320563253587, 7.521),
        "n_o": (8.904052864933, 14.64)},
        (2.7e-10, 8.4e-12, 1e-13, R), (6.2e-06, 1.2e-08)),
    "swcap": (0.000202, 1e-06, {"n_o": (9.881260688616246, 9.926), "n_p": (5.0, 9.926)},
        (9e-16, 9e-16, 9e-16, 9e-16), (1e-13, 9e-16)),
    "lcut": (0.00203, 1e-05, {"e_l1.i": (1.356837820627, 1.531), "e_l2.i": (0.9096287420011, 1.067)},
        (2.1e-11, 7e-13, R, R), (9e-07, 2e-09)),
}
# Without location, at h and h/8: the stages where they break no law, else implicit Euler.
CHECKED = {
    "halfwave": (0.016, 0.00028),
    "thyristor": (4.4e-07, 1.3e-11),
    "buck": (0.001, 9.8e-06),
    "boost_ccm": (0.00054, 6.1e-06),
    "boost_dcm": (0.035, 0.00043),
    "bridge": (0.013, 0.00082),
    "cw2": (0.00039, 6.1e-05),
    "llc": (0.061, 0.0028),
    "b6": (0.003, 5.8e-05),
    "flyback": (0.0093, 0.00014),
    "sepic": (0.0043, 6.3e-05),
    "lcut": (2.1e-11, R)}


def run(model, scheme, *flags, events=False, code=0):
    """Columns of a run of a file, or of a model given as text, what it said, and its events."""
    with tempfile.TemporaryDirectory() as folder:
        path, out, told = (pathlib.Path(folder, name) for name in ("m.nsm", "out.csv", "events.csv"))
        if isinstance(model, str):
            path.write_text(model)
            model = path
        more = ["--record-events", told] if events else []
        p = nsm("run", model, "--scheme", scheme, "-o", out, *flags, *more).expect(code)
        if code:
            return None, p.err, None
        told = list(csv.DictReader(told.read_text().splitlines())) if events else None
        return Table(out.read_text()), p.err, told


def value(columns, quantity):
    names = quantity.split(" - ")
    return columns[names[0]][-1] - (columns[names[1]][-1] if len(names) > 1 else 0)


def error(name, part, scheme):
    until, step, wanted = TABLE[name][:3]
    columns, said, _ = run(FOLDER / f"{name}.nsm", scheme, "--step", repr(step/part), "--until", repr(until))
    off = max(abs(value(columns, q) - v)/size for q, (v, size) in wanted.items())
    return off, said


def orders_at_least(errors, order, above):
    for a, b in zip(errors, errors[1:]):
        if b > above:
            need(math.log2(a/b) >= order, f"errors {', '.join(f'{x:.2g}' for x in errors)}")


def three_stages(name):
    got = [error(name, part, "radau") for part in (1, 2, 4, 8)]
    for (off, said), bound in zip(got, TABLE[name][3]):
        need(off <= 3*bound, f"{off:.2g}, not {bound:.2g}: {[f'{x:.2g}' for x, _ in got]}")
        need(" 0 steps captured" in said, said)
    if name not in ("bridge", "cw2"):                      # fast modes at h and h/2; 2e-9 V are within the tolerance of
                                                           # a diode at the peak of a source (radau.md, 4)
        orders_at_least([x for x, _ in got][1:], 4.5, 1e-11)


def two_stages(name):
    got = [error(name, part, "radau(stages = 2)")[0] for part in (1, 2, 4, 8)]
    for off, bound in zip((got[0], got[3]), TABLE[name][4]):
        need(off <= 3*bound, f"{off:.2g}, not {bound:.2g}: {[f'{x:.2g}' for x in got]}")
    if name not in ("bridge", "cw2"):                      # fast modes; peaks of a source behind a capacitor
        orders_at_least(got[1:], 2.7, 1e-11)


def checked(name):
    for part, bound in zip((1, 8), CHECKED[name]):
        off, said = error(name, part, "radau(located = false)")
        need(off <= 3*bound, f"h/{part}: {off:.2g}, not {bound:.2g}")
        need("of implicit Euler" in said, said)


SMALLEST = {"min7": (0.012, {"n2": -10*math.sin(0.2*math.pi), "e1.i": 0.005877852522924731}),
            "min9": (0.01723, {"e1.i": -0.014852959871, "e3.i": 0.0137725328242, "n2": 9.8220640626,
                             "n4": 9.8220640626}),
            "min17": (0.01323, {"e1.i": 0.00801148924411, "n2": -7.93217534430, "n4": -7.93138998068, "e8.i": 0})}


def smallest(name):
    until, wanted = SMALLEST[name]
    columns, said, _ = run(FOLDER / f"{name}.nsm", "radau", "--step", "10us", "--until", repr(until))
    for q, v in wanted.items():
        need(abs(columns[q][-1] - v) <= 1e-8*abs(v), f"{q} = {columns[q][-1]!r}, not {v!r}")
    need(" 0 steps captured" in said, said)


def extinction():
    """Times of events, as --record-events has them."""
    for step, bound in (("1ms", 3e-9), ("0.25ms", 1e-12)):
        _, _, told = run(FOLDER / "halfwave.nsm", "radau", "--step", step, events=True)
        need(told[0]["kind"] == "switches" and abs(float(told[0]["time"]) - 0.013380394068) <= bound, f"{told[0]}")
    columns, _, told = run(FOLDER / "relay_slides.nsm", "radau", "--step", "0.095", events=True)
    times = [float(x["time"]) for x in told]
    need(len(times) == 2 and abs(times[0] - math.asin(2/3)) <= 1e-12 and abs(times[1] - 3.323116303678) <= 1e-10,
         f"{times}")
    for q, v in (("x", 0), ("w", 0.3488330569865), ("l", 1.5*math.sin(3.8))):
        need(abs(columns[q][-1] - v) <= 1e-10, f"{q} = {columns[q][-1]!r}")


def last_order(model, column, wanted, steps, stages, bounds, *flags):
    """Errors at the end over steps, each half the one before: within bounds, and their order."""
    scheme, order = f"radau(stages = {stages})", {3: 4.5, 2: 2.7}[stages]
    got = []
    for h in steps:
        columns, said, _ = run(model, scheme, "--step", repr(h), *flags)
        got.append(abs(columns[column][-1] - wanted))
        need(" 0 steps captured" in said, said)
    for off, bound in zip(got, bounds):
        need(off <= 3*bound, f"{[f'{x:.2g}' for x in got]}")
    orders_at_least(got[1:], order, 1e-11*max(1, abs(wanted)))


def oscillator(stages):
    """An oscillator whose right side jumps on a circle: (1, 0) at t = 1, then e^(t-1) (cos, sin)(2 pi (t-1))."""
    last_order(FOLDER / "nosnoc.nsm", "y", -math.exp(0.75), [0.05/2**k for k in range(4)], stages,
               {3: (1.1e-4, 3.2e-6, 9.8e-8, 3e-9), 2: (0.14, 0.017, 2.1e-3, 2.6e-4)}[stages])


KINKS = """model Kinks { state x = 1, y = 0, a = 0, s = 0, f = 0, m = 0;
  x' = y; y' = -x; a' = abs(x); s' = sign(x); f' = floor(3*x + 0.25); m' = max(x, y) + min(x, 0.5);
  simulate { until = 10, step = 0.1, scheme = radau } }"""


def kinks(stages):
    """abs, sign, floor, min and max of what moves end pieces; x = cos t."""
    end = 10
    def integral(g, breaks):                               # by exact pieces of sin and cos: Gauss on each, 20 points
        total, nodes = 0, [0, *sorted(t for t in breaks if t < end), end]
        x, w = gauss(20)
        for a, b in zip(nodes, nodes[1:]):
            total += sum(wi*g(0.5*(a + b) + 0.5*(b - a)*xi) for xi, wi in zip(x, w))*0.5*(b - a)
        return total
    at = lambda c: [t for k in range(4) for t in (2*math.pi*k + math.acos(c), 2*math.pi*(k + 1) - math.acos(c))]
    equal = [math.pi*k - math.pi/4 for k in range(1, 5)]
    wanted = {"a": integral(lambda t: abs(math.cos(t)), at(0)),
              "s": integral(lambda t: math.copysign(1, math.cos(t)), at(0)),
              "f": integral(lambda t: math.floor(3*math.cos(t) + 0.25),
                            [t for k in range(-2, 4) for t in at((k - 0.25)/3)]),
              "m": integral(lambda t: max(math.cos(t), -math.sin(t)) + min(math.cos(t), 0.5), equal + at(0.5))}
    steps = [0.2, 0.1, 0.05, 0.025] if stages == 3 else [0.1, 0.05, 0.025, 0.0125]
    for column, v in wanted.items():
        last_order(KINKS, column, v, steps, stages,
                   {3: (1.1e-6, 4e-8, 1.4e-9, 5e-11), 2: (4e-4, 6e-5, 8e-6, 1e-6)}[stages])


SLIDES = """model Slides { param k = 2; state x = 1, y = 2, z[3] = 1;
  x' = if x > 0 then -0.3 else 1.5;
  y' = -k*sign(y - sin(time));
  for i in 1:3 { z[i]' = (if z[i] >= 0 then -1/i else 1) + 0.2*cos(time); }
  output u = -k*sign(y - sin(time));
  simulate { until = 10, step = 0.1, scheme = radau } }"""
# A buck converter whose switch is an `if` of the time in its period: a potential that the diode holds at 0.
SAMPLED = """import "std/circuit.nsm";
model Sampled { param T = 20 [us], Vref = 5 [V]; node a : V, b : V, c : V, gnd : V = 0; discrete duty = 0.4, more = 0;
  every 20 [us] { more = more + 1e-3*(Vref - c)/(1 [V]); duty = max(0, min(1, 0.02*(Vref - c)/(1 [V]) + more + 0.4)); }
  VoltageSource v(a = a, b = gnd, V = 12 [V]);
  Switch s(a = a, b = b, on = if time/T - floor(time/T) < duty then 1 else 0);
  Diode d(a = gnd, b = b);
  Inductor l(a = b, b = c, L = 100 [uH]); Capacitor o(a = c, b = gnd, C = 47 [uF]); Resistor r(a = c, b = gnd, R = 5);
  simulate { until = 0.2 [ms], step = 2 [us], scheme = radau } }"""


def slides():
    """A right side that drives back from both sides slides, as Filippov says, and the outputs that read it too."""
    columns, said, _ = run(SLIDES, "radau")
    need(" 0 steps captured" in said, said)
    for t, x, y, u in zip(columns["time"], columns["x"], columns["y"], columns["u"]):
        need(abs(x - max(1 - 0.3*t, 0)) <= 1e-14, f"x({t}) = {x!r}")
        if t > 1:
            need(abs(y - math.sin(t)) <= 1e-12 and abs(u - math.cos(t)) <= 1e-4, f"y({t}) = {y!r}, u = {u!r}")
    for i in (1, 2, 3):                                    # -1/i + 0.2 cos t < 0: it comes to 0 and stays
        need(abs(columns[f"z[{i}]"][-1]) <= 1e-14, f"z[{i}] = {columns[f'z[{i}]'][-1]!r}")
    need(max(abs(x) for x in columns["slide1"]) <= 1, "the mean is none of both sides")


def sampled():
    """Every switching of a sampled converter is located, and none captured."""
    _, said, _ = run(SAMPLED, "radau")
    need(" 0 steps captured" in said and " 11 events" in said, said)


CELLS = """
model Cells { param n = 4; state x[n] = 1; discrete k = 0; every 0.1 { k = 1 - k; }
  for i in 1:n { x[i]' = -sign(x[i] - 0.1*i*k) - 0.1*delay(x[i], 0.05); }
  simulate { until = 2, step = STEP } }"""


def cells():
    """A family whose members slide on a surface that a clock moves, with a delay, by the default scheme."""
    ends = []
    for step in ("0.01", "0.001"):
        columns, _, said = by_default(CELLS.replace("STEP", step))
        need("steps of radau" in said and " 0 steps captured" in said and " 21 events" in said, said)
        ends.append([columns[f"x[{i}]"][-1] for i in range(1, 5)])
    off = max(abs(a - b) for a, b in zip(*ends))
    need(off <= 5e-6, f"{off:.2e} apart: {ends}")


def gauss(n):
    """Nodes and weights of Gauss and Legendre on [-1, 1]."""
    x, w = [], []
    for i in range(n):
        t = math.cos(math.pi*(i + 0.75)/(n + 0.5))
        for _ in range(50):
            p, q = 1.0, 0.0
            for k in range(n):
                p, q = ((2*k + 1)*t*p - k*q)/(k + 1), p
            d = n*(t*p - q)/(t*t - 1)
            t -= p/d
        x.append(t)
        w.append(2/((1 - t*t)*d*d))
    return x, w


LOGISTIC = """model Logistic { state x = 0.01; x' = x*(1 - x); simulate { until = 8, step = 1, scheme = radau } }"""
# A diode with its exponential curve discharges a capacitor: e^(-u/Ut) = 1 - (1 - e^(-u0/Ut)) e^(-Is t/(C Ut)).
SHOCKLEY = """model Shockley { param Is = 1e-12 [A], Ut = 25 [mV], C = 1 [uF]; state u : V = 0.45 [V];
  u' = -Is/C*(exp(u/Ut) - 1); simulate { until = 1 [ms], step = 0.1 [ms], scheme = radau } }"""
TABLES = """model Tables { input f; state x = 0, y = 0, z = 0;
  x' = f - x; y' = table(time, [0, 0.313, 0.77, 1.41, 3], [0, 1, -0.5, 2, 0]) - y;
  z' = table(y, [-1, 0.05, 0.21, 2], [0, 1, 0.3, 1]);
  simulate { until = 2, step = 0.1, scheme = radau } }"""
POINTS = ((0, 0), (0.313, 1), (0.77, -0.5), (1.41, 2), (3, 0))


def tables(stages):
    """Rows of an input's file, points of tables of the time and of a state."""
    x = z = 0.0                                            # x' = a + b t - x: x = a - b + b t + c e^-t
    def value(t0, x0, a, b, t):
        return a - b + b*t + (x0 - a + b - b*t0)*math.exp(t0 - t)
    def integral(g, t0, t1, parts=200):
        nodes, weights = gauss(8)
        d = (t1 - t0)/parts
        return sum(w*g(t0 + d*(k + 0.5 + 0.5*n)) for k in range(parts) for n, w in zip(nodes, weights))*d/2
    def curve(y):
        points = ((-1, 0), (0.05, 1), (0.21, 0.3), (2, 1))
        (a, u), (b, v) = next(p for p in zip(points, points[1:]) if y <= p[1][0])
        return u + (v - u)*(y - a)/(b - a)
    for (t0, f0), (t1, f1) in zip(POINTS, POINTS[1:]):
        end, b = min(t1, 2), (f1 - f0)/(t1 - t0)
        a, x0 = f0 - b*t0, x
        at = lambda t: value(t0, x0, a, b, t)
        cuts = [t0]
        for level in (0.05, 0.21):                         # where x passes a point, by bisection on a fine grid
            grid = [t0 + (end - t0)*k/1000 for k in range(1001)]
            for lo, hi in zip(grid, grid[1:]):
                if (at(lo) - level)*(at(hi) - level) < 0:
                    for _ in range(60):
                        middle = 0.5*(lo + hi)
                        lo, hi = (lo, middle) if (at(lo) - level)*(at(middle) - level) < 0 else (middle, hi)
                    cuts.append(0.5*(lo + hi))
        cuts = sorted(cuts) + [end]
        z += sum(integral(lambda t: curve(at(t)), lo, hi) for lo, hi in zip(cuts, cuts[1:]))
        x = at(end)
        if end == 2:
            break
    with tempfile.TemporaryDirectory() as folder:
        rows = pathlib.Path(folder, "f.csv")
        rows.write_text("time,f\n" + "".join(f"{t},{f}\n" for t, f in POINTS))
        for column, v in (("x", x), ("y", x), ("z", z)):
            last_order(TABLES, column, v, [0.2/2**k for k in range(4)], stages,
                       {3: (2.5e-8, 4e-10, 1.2e-11, 5e-12) if column != "z" else (2e-7, 7e-9, 2.5e-10, 1e-11),
                        2: (2e-4, 3e-5, 4e-6, 5e-7)}[stages], "--input", f"f={rows}")


def nonlinear(stages):
    more = 1 if stages == 3 else 8
    last_order(LOGISTIC, "x", 1/(1 + 99*math.exp(-8)), [1/more/2**k for k in range(4)], stages,
               {3: (4.7e-6, 1.4e-7, 4.2e-9, 1.3e-10), 2: (9.6e-7, 1.2e-7, 1.5e-8, 1.8e-9)}[stages])
    u = -0.025*math.log(math.exp(-18 - 4e-8) - math.expm1(-4e-8))
    last_order(SHOCKLEY, "u", u, [1e-4/2**k for k in range(4)], stages,
               {3: (7e-10, 2.2e-11, 2e-12, 2e-12), 2: (5.2e-7, 6.6e-8, 8.3e-9, 1.1e-9)}[stages])


def empties(law, end, *schemes):
    """A tank that runs empty at 2 s, and stays so: behind the kink of max or abs there is no root of the other side."""
    for scheme in schemes:
        c, _, _ = run(f"model A {{ state h = 1; h' = {law}; simulate {{ until = 3, step = 0.01 }} }}", scheme)
        need(abs(c["h"][150] - 0.25**2) <= 1e-9 and abs(c["h"][-1]) <= end, f"{scheme}: {c['h'][150]}, {c['h'][-1]}")


def root_of_a_tank():
    """x1 + h sqrt(x1) = x0: where the step before leads to x < 0, the step starts at x0."""
    c, _, _ = run("model A { state x = 1; x' = -sqrt(x); simulate { until = 2.02, step = 0.01 } }", "moreau(theta = 1)")
    x = 1
    for k, found in enumerate(c["x"]):
        need(abs(found - x) <= 1e-9*x + 1e-12, f"{found}, not {x}, after {k} steps")
        x = (2*x/(0.01 + math.sqrt(1e-4 + 4*x)))**2
    for scheme in "moreau(theta = 1)", "radau":             # and where nothing is left of it
        c, _, _ = run("model A { state x = 1; x' = -sqrt(x); simulate { until = 2.5, step = 0.01 } }", scheme)
        need(c["x"][-1] == 0 and c["x"][150] > 0.06, f"{scheme}: {c['x'][150]}, {c['x'][-1]}")


def super_twisting(law, also):
    """x is held at 0 from about 1.46 s on, where v = -sin(t)/2: |x| and its root stand on what the law holds there.
    Before, the root bends without bound where x passes 0. Against steps of 20 us by Heun's method."""
    model = f"""model A {{ param k1 = 1.5, k2 = 1.1; state x = 1, v = 0; {also}
  x' = -k1*sqrt(abs(x))*sign(x) + v + 0.5*sin(time); v' = {law}; simulate {{ until = 10, step = 0.01 }} }}"""
    c, err, _ = run(model, "radau")
    captured = int(re.search(r"(\d+) steps? captured", err)[1])
    need(captured <= 6 and "W0853" not in err, f"{captured} steps captured, {err}")
    x, v, h, sign = 1.0, 0.0, 2e-5, math.copysign
    rate = lambda x, v, t: (-1.5*sign(math.sqrt(abs(x)), x) + v + 0.5*math.sin(t), -sign(1.1, x))
    for k in range(70000):
        if k*h in (0.5, 0.9, 1.2):
            i = round(k*h/0.01)
            off = abs(c["x"][i] - x), abs(c["v"][i] - v)
            need(off[0] <= 3e-5 and off[1] <= 6e-5, f"{k*h} s: {off}")
        one = rate(x, v, k*h)
        two = rate(x + h*one[0], v + h*one[1], (k + 1)*h)
        x, v = x + h*(one[0] + two[0])/2, v + h*(one[1] + two[1])/2
    need(abs(c["x"][-1]) <= 1e-12 and abs(c["v"][-1] + 0.5*math.sin(10)) <= 1e-12, f"{c['x'][-1]}, {c['v'][-1]}")


def kinks_at_rest():
    """A relay holds x at 0, where |x| and max(x, 0) bend."""
    c, err, _ = run("""model A { state x = 1, w = 0; multiplier u; relation r: u in -2*sgn(x);
  x' = u + sin(time) - 0.5*abs(x)*x; w' = max(x, 0) - w; simulate { until = 10, step = 0.01 } }""", "radau")
    need("0 steps captured" in err and "W0853" not in err and " 1001 pieces" in err, err)
    need(abs(c["x"][-1]) <= 1e-15 and abs(c["u"][-1] + math.sin(10)) <= 1e-12, f"{c['x'][-1]}, {c['u'][-1]}")


def jump_at_rest():
    """A stop holds x at 0, where x > 0 does not hold and x >= 0 does, whatever rounding leaves there."""
    c, err, _ = run("""model A { state x = 1, y = 0, w = 0; multiplier l; x' = sin(3*time) - 0.3 + l;
  y' = if x > 0 then 1 else -1;  w' = if x >= 0 then 1 else -1; relation stop: 0 <= x perp l >= 0;
  simulate { until = 5, step = 0.01 } }""", "radau")
    fall, leaves = lambda t: 1 + (1 - math.cos(3*t))/3 - 0.3*t, (math.asin(0.3) + 4*math.pi)/3
    a, b = 3, leaves
    for _ in range(60):
        a, b = (a, 0.5*(a + b)) if fall(a)*fall(0.5*(a + b)) <= 0 else (0.5*(a + b), b)
    need("0 steps captured" in err and "W0853" not in err, err)
    off = c["y"][-1] - 5 + 2*(leaves - a), c["w"][-1] - 5
    need(abs(off[0]) <= 1e-7 and abs(off[1]) <= 1e-12, f"{off}")   # x leaves 0 by (t - leaves)^2: below 1e-16 it is 0


def charge():
    """A switch closes a loop of capacitors: the charge is kept to round-off, and the impulse is told in coulombs."""
    text = """import "std/circuit.nsm"; model Loop { node a : V, b : V, gnd : V = 0;  discrete on = 0;
      every 1 [s] offset 0.35 [ms] { on = 1; }
      Capacitor full(a = a, b = gnd, C = 1 [uF], u0 = 5 [V]);
      Capacitor empty(a = b, b = gnd, C = 3 [uF]);
      Switch s(a = a, b = b, on = on);
      simulate { until = 1 [ms], step = 0.1 [ms], scheme = radau } }"""
    columns, said, _ = run(text, "radau")
    before = 1e-6*columns["full.u"][0] + 3e-6*columns["empty.u"][0]
    for one, two in zip(columns["full.u"], columns["empty.u"]):
        need(abs(1e-6*one + 3e-6*two - before) <= 1e-14*before, f"charge {1e-6*one + 3e-6*two!r}")
    need(abs(columns["full.u"][-1] - 1.25) <= 1e-14, f"{columns['full.u'][-1]!r}")
    need("1 impulse of charge, the largest 3.75e-06 C" in said.replace("-3.75", "3.75"), said)


RESONATES = """model LC { param L = 1 [mH], C = 1 [uF];  state i : A = 1;  state u : V = 0;
  potential L*i^2/2 + C*u^2/2;  i' = (V - u - R*i)/L;  u' = i/C;  param R = 0 [ohm];  param V = 0 [V];
  simulate { until = 1 [ms], step = 40 [us], scheme = radau } }"""


def losses(stages):
    """What the scheme takes from a lossless circuit is its stability function's, and stands in the residue; nothing is
    said to be work. Of a lossy one, work and residue are the change of the energy."""
    names = ("--record", "energy,energy.residue")
    columns, said, _ = run(RESONATES, f"radau(stages = {stages})", *names)
    z = 40e-6/math.sqrt(1e-9)*1j
    R = ((1 + 2*z/5 + z*z/20)/(1 - 3*z/5 + 3*z*z/20 - z**3/60) if stages == 3 else
         (1 + z/3)/(1 - 2*z/3 + z*z/6))
    for before, after, took in zip(columns["energy"], columns["energy"][1:], columns["energy.residue"][1:]):
        need(abs(took - before*(abs(R)**2 - 1)) <= 1e-14*columns["energy"][0] and took < 0, f"{took!r} of {before!r}")
        need(abs(after - before - took) <= 1e-15*columns["energy"][0], f"{after - before!r}, not {took!r}")
    columns, said, _ = run(RESONATES, "moreau(theta = 1)", *names)       # so do those of others: 1/(1 - z)
    for before, after, took in zip(columns["energy"], columns["energy"][1:], columns["energy.residue"][1:]):
        need(abs(took - before*(1/abs(1 - z)**2 - 1)) <= 1e-14*columns["energy"][0], f"{took!r} of {before!r}")
    columns, said, _ = run(RESONATES, f"radau(stages = {stages})", *names, "--set", "R=10", "--set", "V=5")
    work = float(re.search(r"forces gave (\S+),", said).group(1))
    change = columns["energy"][-1] - columns["energy"][0] - sum(columns["energy.residue"])
    need(abs(work - change) <= 1e-3*abs(work) and work != 0, f"work {work!r} of {change!r}")


HELD = """import "std/circuit.nsm"; model Held { node gnd : V = 0, n1 : V, n2 : V, n3 : V, n4 : V;
  VoltageSource s(a = n1, b = gnd, V = 10 [V]*sin(2*pi*200 [1/s]*time));
  Inductor e1(a = n2, b = n1, L = 10 [mH]);  Diode e2(a = n3, b = gnd);  Diode e3(a = n4, b = gnd);
  Resistor e4(a = n1, b = n4, R = 100 [ohm]);  Diode e5(a = n2, b = n4);  Resistor e6(a = n1, b = n2, R = 10 [ohm]);
  Resistor e7(a = n4, b = n2, R = 10 [ohm]);  Resistor e8(a = n2, b = gnd, R = 100 [kohm]);
  Resistor e9(a = n3, b = gnd, R = 100 [kohm]);  Resistor e10(a = n4, b = gnd, R = 100 [kohm]);
  simulate { until = 20 [ms], step = 10 [us], scheme = radau } }"""


def held():
    """At the start diodes hold every potential at 0, so that all are what rounding leaves: their scale is that of what
    drives them, and no step is captured."""
    for stages in (3, 2):
        columns, said, _ = run(HELD, f"radau(stages = {stages})")
        need("0 steps captured" in said, said)
        need(all(abs(v) <= 1e-12 for v in columns["n4"][:100]), "n4 is not held")


def refuses():
    """What the scheme does not take is refused with the reason."""
    ball = "model B { coord z = 1; kinetic z'^2/2; simulate { until = 1, step = 0.1, scheme = radau } }"
    _, said, _ = run(ball, "radau", code=1)
    need("E0705" in said and "coordinates" in said, said)
    _, said, _ = run(LOGISTIC, "radau(stages = 4)", code=2)
    need("stages" in said, said)
    _, said, _ = run(LOGISTIC.replace("radau", "radau(theta = 1)"), "radau", code=0)
    p = subprocess.run([NSM, "check", "-"], input=LOGISTIC.replace("radau", "radau(theta = 1)"), capture_output=True,
                       text=True)
    need(p.returncode == 1 and "E0604" in p.stderr, p.stderr)
    p = subprocess.run([NSM, "check", "-"], input=LOGISTIC.replace("radau", "moreau(stages = 3)"), capture_output=True,
                       text=True)
    need(p.returncode == 1 and "E0604" in p.stderr, p.stderr)


def recorded_after(scheme):
    """A row at an instant belongs to one side of it, that after: potentials and currents as discrete variables."""
    columns, _, _ = by_default("""import "std/circuit.nsm";
        model Ladder { param n = 3;  node gnd : V = 0, a : V, b[n] : V;
          discrete s = 1 [V];  every 1 [ms] offset 0.5 [ms] { s = -s; }
          VoltageSource e(a = a, b = gnd, V = s);  Resistor r(a = a, b = b[1], R = 1 [kohm]);
          Resistor q[i in 1:n-1](a = b[i], b = b[i+1], R = 1 [kohm]);
          Capacitor c(a = b[n], b = gnd, C = 1 [uF]);  Diode d(a = gnd, b = b[n]);
          simulate { until = 3 [ms], step = 0.5 [ms], scheme = %s } }""" % scheme)
    for a, b1, b3, u, i in zip(*(columns[name] for name in ("a", "b[1]", "b[3]", "c.u", "e.i"))):
        need(abs(i - (b1 - a)/1e3) <= 1e-15 and abs(b3 - u) <= 1e-12, f"{i} A, {(b1 - a)/1e3} A; {b3} V, {u} V")
    need(columns["a"] == columns["s"], "the source is not that of its discrete variable")


CASES = [(f"radau, {name}", three_stages, name) for name in TABLE]
CASES += [(f"radau of 2 stages, {name}", two_stages, name) for name in TABLE]
CASES += [(f"radau without location, {name}", checked, name) for name in CHECKED]
CASES += [(f"radau, {name}", smallest, name) for name in SMALLEST]
CASES += [(f"radau of {s} stages, {name}", check, s) for s in (3, 2) for name, check in (
    ("an oscillator that switches", oscillator), ("kinks", kinks), ("tables and inputs", tables),
    ("nonlinear", nonlinear), ("what the scheme takes", losses))]
CASES += [("radau, what slides", slides), ("radau, a sampled converter", sampled), ("radau, cells that slide", cells)]
CASES += [("radau, times of events", extinction),
          *((f"{scheme}, a row at an instant", recorded_after, scheme) for scheme in (
              "radau", "radau(located = false)", "moreau(theta = 1)", "moreau(theta = 1/2)",
              "moreau(theta = 1/2, located = true)")),
          *((f"radau, a tank runs empty by {law}", empties, law, 1e-9, "radau", "radau(stages = 2)")
            for law in ("-sqrt(max(h, 0))", "-sqrt(abs(h))*sign(h)", "-max(h, 0)^(1/2)")),
          ("moreau, a tank runs empty", root_of_a_tank),
          ("radau, super-twisting", super_twisting, "-k2*sign(x)", ""),
          ("radau, super-twisting by a relation", super_twisting, "u", "multiplier u; relation r: u in -k2*sgn(x);"),
          ("radau, kinks that a law holds", kinks_at_rest),
          ("radau, what jumps where a law holds it", jump_at_rest),
          ("radau, charge", charge), ("radau, what is held at 0", held), ("radau, refusals", refuses)]
