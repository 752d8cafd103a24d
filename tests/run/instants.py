"""Instants that depend on time alone end a step, in every scheme, located or not: against closed forms."""
import math
import pathlib
import re
import tempfile

from located import run
from suite import need

MECHANICS = ("moreau(theta = 1/2)", "moreau(located = true)", "midpoint", "consistent", "consistent(located = true)",
             "consistent_explicit_mass")
FIRST_ORDER = ("moreau(theta = 1)", "moreau(theta = 1/2)", "moreau(theta = 1/2, located = true)")


def staircase(edges, values, until):
    """Integral of the function that is values[k] from edges[k - 1] to edges[k]."""
    ends = [0, *[e for e in edges if e < until], until]
    return sum(v*(b - a) for v, a, b in zip(values, ends, ends[1:]))


def first_order():
    """A right side of time alone that is constant in pieces is integrated exactly, at any step, fused or generic."""
    n = 37
    cases = {
        "if time > 1.03 then 0 else 1": 1.03,
        "if time >= 0.3 and not (time > 1.7) then 1 else 0": 1.4,
        "floor(time/0.37)": staircase([0.37*k for k in range(1, 9)], range(9), 2),
        "floor(time/0.4)": staircase([0.4*k for k in range(1, 5)], range(5), 2),          # at ends of steps of 0.1 s
        "if time/0.4 - floor(time/0.4) < 0.25 then 5 else -1": 5*(0.1*5 - 0.3),
        "sign(sin(2*pi*time/0.23))": 0.23*0 + (2 - 8*0.23 if 2 - 8*0.23 < 0.115 else 0.23 - (2 - 8*0.23)),
        "if time/0.23 - floor(time/0.23) < 0.3 then 5 else -1": 8*0.23*0.8 + 5*0.069 - (2 - 8*0.23 - 0.069),
        "if sin(2*pi*time) > 0.998 then 10 else 0": 2*10*math.acos(0.998)/math.pi,        # pulses of 0.02 s
        "if floor(time/0.31) == 2*floor(time/0.62) then 1 else 0": 0.93 + 2 - 1.86,
        "if abs(time - 1.03) < 0.002 then 100 else 0": 0.4,
        "(if time > 0.7 then 1 else 0)*(if time < 0.7001 then 1e4 else 0)": 1.0,
        f"sum(i in 1:{n}) (if time > 0.05*i then 1 else 0)": sum(2 - 0.05*i for i in range(1, n + 1)),
    }
    for scheme in FIRST_ORDER:
        for text, exact in cases.items():
            model = f"model A {{ state x = 0; x' = {text}; simulate {{ until = 2, step = 0.1 }} }}"
            for step in (0.1, 0.013):
                for flag in ("on", "off"):
                    c, _, _ = run(model, step, scheme, f"--whole-steps={flag}")
                    need(abs(c["x"][-1] - exact) <= 1e-11*max(1, abs(exact)),
                         f"{text}, {scheme}, {step}, {flag}: {c['x'][-1]!r}, not {exact!r}")
                    need(list(c) == ["time", "x"], f"columns {list(c)}")


def kinks():
    """abs, min, max and tables are continuous: the trapezoidal rule is exact between their kinks."""
    for text, exact in (("abs(time - 0.777)", (0.777**2 + 1.223**2)/2), ("min(time, 1.03)", 1.03**2/2 + 0.97*1.03),
                        ("max(0.7, 2 - time)", 0.7*0.7 + 1.3*(2 + 0.7)/2),
                        ("table(time, [0, 0.333, 0.777, 1.511], [0, 3, -1, 2])",
                         0.333*1.5 + 0.444*1 + 0.734*0.5 + 0.489*2),
                        ("table(time, [0, 0.133, 0.277], [0, 3, 0], periodic)", 7*0.277*1.5 + 0.061**2/0.133*3/2)):
        model = f"model A {{ state x = 0; x' = {text}; simulate {{ until = 2, step = 0.1 }} }}"
        for scheme in FIRST_ORDER[1:]:
            c, _, _ = run(model, 0.1, scheme)
            need(abs(c["x"][-1] - exact) <= 1e-13, f"{text}, {scheme}: {c['x'][-1]!r}, not {exact!r}")


def bounds():
    """A bound of a relay that jumps."""
    model = """model A { state x = 0; multiplier u; x' = 1 - u;
        relation r: u in (if time > 1.03 then 0.25 else 2)*sgn(x - 0.5); simulate { until = 2, step = 0.1 } }"""
    for scheme in FIRST_ORDER:
        c, _, _ = run(model, 0.1, scheme)
        need(abs(c["x"][-1] - (0.5 + 0.75*0.97)) <= 1e-12, f"{scheme}: {c['x'][-1]!r}")


def families():
    """Each member has its own instant; one that all share is one; and a discrete variable may say when."""
    model = """model A { param n = 5; state x[n] = 0, y[n] = 0, z = 0; discrete since = 0;
        every 0.5 { since = time; }
        for i in 1:n { x[i]' = if time > 0.1*i + 0.03 then 0 else i; y[i]' = if time > 1.03 then i else 0; }
        z' = if time - since < 0.123 then 4 else 0;
        simulate { until = 2, step = 0.1 } }"""
    for scheme in FIRST_ORDER:
        c, err, _ = run(model, 0.1, scheme)
        for i in range(1, 6):
            need(abs(c[f"x[{i}]"][-1] - i*(0.1*i + 0.03)) <= 1e-13, f"x[{i}] = {c[f'x[{i}]'][-1]!r}")
            need(abs(c[f"y[{i}]"][-1] - i*0.97) <= 1e-13, f"y[{i}] = {c[f'y[{i}]'][-1]!r}")
        need(abs(c["z"][-1] - 4*4*0.123) <= 1e-12, f"z = {c['z'][-1]!r}")
        need(" 5 events" in err, err)                      # those of `every`: an instant of time is none of the model's


def forces():
    """Forces, potentials and coefficients of friction; the jump of a potential is booked."""
    for scheme in MECHANICS:
        model = """model A { coord x = 0; kinetic x'^2/2; force x = if time > 1.03 then 0 else 2;
            simulate { until = 2, step = 0.1 } }"""
        c, _, _ = run(model, 0.1, scheme)
        need(abs(c["x"][-1] - (1.03**2 + 2.06*0.97)) <= 1e-12, f"{scheme}: {c['x'][-1]!r}")
        v = 3 - 0.1*1.03
        for law in ("normal_force = 1; slip = x'; with coulomb(if time > 1.03 then 0.5 else 0.1);",
                    "normal_force = if time > 1.03 then 5 else 1; slip = x'; with coulomb(0.1);"):
            model = f"""model A {{ coord x = 0, x' = 3; kinetic x'^2/2; contact p {{ {law} }}
                simulate {{ until = 2, step = 0.1 }} }}"""
            c, _, _ = run(model, 0.1, scheme)
            exact = 3*1.03 - 0.05*1.03**2 + v*0.97 - 0.25*0.97**2
            need(abs(c["x"][-1] - exact) <= 1e-11, f"{scheme}: {c['x'][-1]!r}")
        model = """model A { coord x = 1; kinetic x'^2/2; potential (if time > 1.03 then 4 else 1)*x^2/2;
            simulate { until = 2, step = 0.1 } }"""
        a, b = math.cos(1.03), -math.sin(1.03)
        exact, off = a*math.cos(1.94) + b*math.sin(1.94)/2, []
        for step in (0.02, 0.01):
            c, err, _ = run(model, step, scheme, "--record", "x,energy.residue")
            off.append(abs(c["x"][-1] - exact))
            residue = max(abs(r) for r in c["energy.residue"])
            need(residue <= (1e-12 if "consistent" in scheme else 1e-2), f"{scheme}: {err}")
        need(1.8 <= math.log2(off[0]/off[1]) <= 2.2, f"{scheme}: {off}")


def driven():
    """A belt that starts and stops carries a crate: what it slips at the start it slips back at the end."""
    model = """model A { body belt { driven, shape = box([20, 1, 0.2]),
            position = [0.7*max(time - 0.433, 0) - 0.7*max(time - 1.333, 0), 0, -0.1] }
        body crate { mass = 1, shape = box([0.2, 0.2, 0.2]), position = [0, 0, 0.1] }
        potential 9.81*crate.r[3]; contact c { between = crate, belt; with newton(0), coulomb(0.5); }
        simulate { until = 2, step = 0.01 } }"""
    for scheme in ("moreau", "consistent", "consistent(located = true)"):
        c, _, _ = run(model, 0.01, scheme)
        need(abs(c["crate.r[1]"][-1] - 0.63) <= 1e-11, f"{scheme}: {c['crate.r[1]'][-1]!r}")


def network():
    """A chopper by nodes: second order through all its switches."""
    T, duty, exact, t = 0.37, 0.3, 0.0, 0.0
    edges = sorted([T*k for k in range(1, 6)] + [T*(k + duty) for k in range(6)])
    for k, end in enumerate([e for e in edges if e < 2] + [2]):
        source = 5 if k % 2 == 0 else 0
        exact = source + (exact - source)*math.exp(-(end - t)/0.3)
        t = end
    model = """import "std/circuit.nsm";
        model A { var p = time/(0.37 [s]) - floor(time/(0.37 [s])); node a : V, b : V, gnd : V = 0;
        VoltageSource s(a = a, b = gnd, V = if p < 0.3 then 5 [V] else 0 [V]); Resistor r(a = a, b = b, R = 1 [ohm]);
        Capacitor c(a = b, b = gnd, C = 0.3 [F]); simulate { until = 2 [s], step = 10 [ms] } }"""
    off = []
    for step in (0.005, 0.0025):
        c, _, _ = run(model, step, "moreau(theta = 1/2)")
        off.append(abs(c["b"][-1] - exact))
    need(off[0] <= 1e-5 and 1.6 <= math.log2(off[0]/off[1]) <= 2.4, str(off))


def too_many():
    """A function that jumps a million times in a step ends the run, with its place."""
    model = "model A { state x = 0; x' = floor(1e7*time); simulate { until = 2, step = 0.1 } }"
    _, err, _ = run(model, 0.1, "moreau", code=3)
    need("`floor(1e7*time)` jumps more than 1000 times within one step" in err, err)


def in_parts():
    """A step of which Newton's method finds no solution is taken in parts, also between events; it is counted."""
    model = """model H { state x = 5; discrete n = 0; x' = sin(50*x) - 2*x; EVERY
        simulate { until = 3, step = 0.5 } }"""
    for every in ("", "every 0.7 { n = n + 1; }"):
        c, err, _ = run(model.replace("EVERY", every), 0.5, "moreau(theta = 1)")
        need(c["time"] == [0.5*k for k in range(7)] and re.search("steps? in parts", err), err)
        need(abs(math.sin(50*c["x"][-1]) - 2*c["x"][-1]) <= 1, str(c["x"]))
    c, err, _ = run(model.replace("EVERY", ""), 1e-3, "moreau(theta = 1)")
    need("steps in parts" not in err, err)


def parts_add_up(scheme):
    """Multipliers of contacts and constraints are impulses of the step, also where `every` or `when` end parts of it;
    name.force is their mean."""
    text = """model A { param g = 10; coord z = 0, y = 0, x = 0, x' = 0.4; kinetic (z'^2 + y'^2 + x'^2)/2;
      potential g*(z + y); contact floor { normal = z; slip = x'; with newton(0), coulomb(0.2); }
      constraint rod: y = 0;
      discrete k = 0; every 0.7 [ms] { k = k + 1; } when time >= 3.3 [ms] { k = k + 1; }
      output mean = floor.force, held = rod.force; simulate { until = 10 [ms], step = 1 [ms], scheme = SCHEME } }"""
    c, _, _ = run(text.replace("SCHEME", scheme), 1e-3, scheme)
    for name, each in (("floor.lambda", 0.01), ("rod.lambda", 0.01), ("mean", 10), ("held", 10),
                       ("floor.lambda_t", -0.002)):
        need(all(abs(v - each) <= 1e-10*max(1, abs(each)) for v in c[name][1:]), f"{name}: {c[name]}")


def part_fails():
    """Where a later part of a step fails, the run stands before the step, and the message counts steps of the clock."""
    model = """model A { state x = 0; discrete n = 0; every 0.25 { n = n + 1; } x' = 1/(n - 7);
        contact c: x + 1e3 >= 0 with inelastic; simulate { until = 3, step = 0.5 } }"""
    for text, scheme in ((model.replace("contact c: x + 1e3 >= 0 with inelastic;", ""), "moreau"), (model.replace(
            "state x = 0", "coord z = 1; kinetic z'^2/2; state x = 0").replace("x + 1e3", "z"), "event_driven")):
        _, err, _ = run(text, 0.5, scheme, code=3)
        need("step 4" in err and "t = 1.5 s after 3 of 6 steps" in err, err)


def sliding():
    """Where a right side drives back from both sides no value solves a step: the message says so, of which line, and
    the relation that slides as Filippov says. A located run goes to and fro, and says so."""
    model = "model A { state x = 1; x' = if x > 0 then -0.3 else 1.5; simulate { until = 5, step = 0.1 } }"
    _, err, _ = run(model, 0.1, "moreau", code=3)
    need("the right side of line 1 jumps: where it drives back from both sides no value solves it" in err and
         "u in (a - b)/2*sgn(s)" in err, err)
    for scheme, slides in ("moreau(located = true)", False), ("radau", True):
        c, err, _ = run(model, 0.1, scheme)
        told = "warning[W0853]: the `if` of line 1 goes to and fro" in err
        need(told != slides and abs(c["x"][-1]) <= (1e-12 if slides else 0.15), f"{scheme}: {c['x'][-1]}, {err}")
    model = """model A { param n = 2; state x[n] = 1; multiplier u[n]; simulate { until = 5, step = 0.1 }
        for i in 1:n { x[i]' = i*0.6 + u[i]; relation r[i]: u[i] in -0.9*i*sgn(x[i] - 0.1*i); } }"""
    for scheme in "moreau", "moreau(located = true)", "radau":
        c, err, _ = run(model, 0.1, scheme)
        off = max(abs(c[f"x[{i}]"][-1] - 0.1*i) + abs(c[f"u[{i}]"][-1] + 0.6*i) for i in (1, 2))
        need(off <= 1e-12 and "warning" not in err, f"{scheme}: {off}, {err}")


def several_pulses():
    """Each rise of a condition of time counts, also where it falls and rises again within a step."""
    model = """model A { param F = 1; state x = 0; discrete n = 0; x' = n;
        when sin(2*pi*F*time + 0.3) > 0.2 { n = n + 1; } simulate { until = 1, step = 1e-3 } }"""
    first = 1 - (0.3 - math.asin(0.2))/(2*math.pi)         # of a period: the condition holds at the start
    for frequency in 300, 1500, 2900, 4500:
        exact = sum(1 - (k + first)/frequency for k in range(frequency))
        for scheme in FIRST_ORDER:
            c, _, _ = run(model.replace("F = 1", f"F = {frequency}"), 1e-3, scheme)
            need(c["n"][-1] == frequency and abs(c["x"][-1] - exact) <= 1e-9*exact,
                 f"{scheme}, {frequency} Hz: {c['n'][-1]} rises, x = {c['x'][-1]!r}, not {exact!r}")
    model = """model A { state x = 0; discrete n = 0; x' = n;
        when abs(time - 0.5005) > 2e-4 { n = n + 1; } simulate { until = 1, step = 1e-3 } }"""
    c, _, _ = run(model, 1e-3, "moreau")
    need(abs(c["x"][-1] - (1 - 0.5007)) <= 1e-12, f"a gap within a step: {c['x'][-1]!r}")


def held_coefficients():
    """A coefficient and a normal force that `every` and inputs change: a brake by steps of its force, to its stop."""
    model = """model Brake { coord x = 0, x' = 3; kinetic x'^2/2; discrete F = 2, mu = 0.5; input share = 0.5;
        every 0.1 offset 0.1 { F = F + 1; mu = 1.5 - mu; }
        contact pad { normal_force = F; slip = x'; with coulomb(mu); }
        contact drag { normal_force = 2*share; slip = x'; with coulomb(share); }
        simulate { until = 1, step = 7e-3 } }"""
    v, x, k = 3.0, 0.0, 0
    while True:                                              # v' = -(F mu + 0.5), constant over 0.1
        a = (2 + k)*(0.5, 1.0)[k % 2] + 0.5
        if v < 0.1*a:
            break
        x, v, k = x + 0.1*v - a*0.1**2/2, v - 0.1*a, k + 1
    x += v*v/(2*a)
    for scheme, error in [(s, 1e-12 if "located" in s else 1e-4) for s in (*MECHANICS, "d1minus")] + [
            ("consistent(order = 4, located = true)", 1e-12), ("event_driven", 1e-9)]:
        c, _, _ = run(model, 7e-3, scheme)
        need(abs(c["x"][-1] - x) <= error and abs(c["x'"][-1]) <= 1e-12,
             f"{scheme}: ends at {c['x'][-1]!r}, not {x!r}")


def late():
    """What `every` assigns comes late as the jump that it is, by every scheme, with delays that the step divides or
    not, and a delay of what is late."""
    def exact(T, until=2.2, x=0.0, v=0.0):
        edges = sorted({0, until, *(t for t in (T + 0.5*k for k in range(9)) if t < until)})
        for a, b in zip(edges, edges[1:]):
            u = 1 if b <= T else 2 + math.floor(((a + b)/2 - T)/0.5)
            x, v = x + v*(b - a) + u*(b - a)**2/2, v + u*(b - a)
        return x, v
    blocks = "discrete d = 1; every 0.5 { d = d + 1; } simulate { until = 2.2, step = 0.1 }"
    for T in (0.2, 0.25, 0.37):
        x, v = exact(T)
        for scheme in (*FIRST_ORDER, "radau(stages = 3)", "radau(stages = 2)"):
            c, _, _ = run(f"model A {{ state v = 0; v' = delay(d, {T}); {blocks} }}", 0.1, scheme)
            need(abs(c["v"][-1] - v) <= 1e-13, f"late by {T}, {scheme}: {c['v'][-1]!r}, not {v!r}")
        for scheme in (*MECHANICS, "consistent(order = 4)", "consistent(order = 6)", "d1minus"):
            c, _, _ = run(f"model A {{ coord x = 0; kinetic x'^2/2; force x = delay(d, {T}); {blocks} }}", 0.1, scheme)
            need(abs(c["x'"][-1] - v) + abs(c["x"][-1] - x) <= 1e-13,
                 f"late by {T}, {scheme}: {c['x'][-1]!r}, not {x!r}")
    c, _, _ = run(f"model A {{ state v = 0; var y = delay(d, 0.2); v' = delay(y, 0.3); {blocks} }}", 0.1, "radau")
    need(abs(c["v"][-1] - exact(0.5)[1]) <= 1e-13, f"late twice: {c['v'][-1]!r}")


def held_inputs():
    """An input that holds the values of its rows is a staircase, exact to round-off by every scheme, located or not,
    with rows on times of the clock or not; what reads it late, and a condition of it, have its jumps."""
    values = [1, -2, 3, 0.5, -1, 2, 2.5, -3, 1, 0, 4]*9
    for gap in (0.1, 0.17, 0.011):
        rows = [(round(k*gap, 6), v) for k, v in zip(range(int(1/gap) + 1), values)]
        v = x = 0.0
        for (a, u), (b, _) in zip(rows, [*rows[1:], (1.0, 0)]):
            v, x = v + u*(b - a), x + v*(b - a) + u*(b - a)**2/2
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "u.csv"
            file.write_text("time,u\n" + "".join(f"{a},{b}\n" for a, b in rows))
            flag = "--input", f"u={file}:u,hold"
            for scheme in (*MECHANICS, "consistent(order = 4)", "d1minus"):
                c, _, _ = run("""model A { coord x = 0; input u = 0; kinetic x'^2/2; force x = u;
                    contact far: x + 9 >= 0 with newton(0); simulate { until = 1, step = 0.05 } }""", 0.05, scheme,
                              *flag)
                need(abs(c["x'"][-1] - v) + abs(c["x"][-1] - x) <= 1e-13,
                     f"rows of {gap}, {scheme}: {c['x'][-1]!r}, not {x!r}")
            first = """model A { state x = 0, y = 0; input u = 0; discrete n = 0; x' = u; y' = delay(u, 0.25);
                when u > 1.7 { n = n + 1; } simulate { until = 1, step = 0.05 } }"""
            n = sum(b > 1.7 and a <= 1.7 for (_, a), (_, b) in zip(rows, rows[1:]))
            late = 0.25 + sum(u*(min(b, 0.75) - a) for (a, u), (b, _) in zip(rows, [*rows[1:], (1, 0)]) if a < 0.75)
            for scheme in (*FIRST_ORDER, "radau(stages = 3)", "radau(stages = 2)"):
                c, _, _ = run(first, 0.05, scheme, *flag)
                need(abs(c["x"][-1] - v) <= 1e-13 and c["n"][-1] == n, f"rows of {gap}, {scheme}: {c['n'][-1]} times")
                need(gap != 0.1 or abs(c["y"][-1] - late) <= 1e-13, f"{scheme}, late: {c['y'][-1]!r}, not {late!r}")


def many():
    """Twenty `every` and twenty `when`, one by one: the state had room for eight of each, and a run did not end."""
    n, until, begin, model = 20, 1.0, 0.013, []
    for i in range(1, n + 1):
        T = 0.05 + 0.01*i
        model.append(f"state x{i} = 0; discrete u{i} = 1, c{i} = 0; x{i}' = u{i};"
                     f" every {T} offset {begin} {{ u{i} = -u{i}; }}"
                     f" when x{i} < {begin} - {T/2} {{ c{i} = c{i} + 1; }}")
    text = f"model A {{ {' '.join(model)} simulate {{ until = {until}, step = 0.1 }} }}"
    for scheme in (*FIRST_ORDER, "radau(stages = 3)"):
        c, _, _ = run(text, 0.1, scheme)
        for i in range(1, n + 1):
            T = 0.05 + 0.01*i
            turns, rest = divmod(until - begin, T)
            x = begin - (rest if turns % 2 == 0 else T - rest)
            count = sum(begin + 2*m*T + T/2 < until for m in range(n))
            need(abs(c[f"x{i}"][-1] - x) <= 1e-12 and c[f"c{i}"][-1] == count,
                 f"{scheme}, {i}: {c[f'x{i}'][-1]!r}, not {x!r}; {c[f'c{i}'][-1]}, not {count}")


CASES = [("instants: inputs that hold", held_inputs), ("instants: steps in parts", in_parts),
         *((f"instants: impulses of parts add up, {scheme}", parts_add_up, scheme)
           for scheme in (*MECHANICS, "consistent(order = 4)", "event_driven", "d1minus")),
         ("instants: many", many), ("instants: a part fails", part_fails),
         ("instants: a sliding mode", sliding),
         ("instants: right sides", first_order), ("instants: kinks", kinks), ("instants: bounds", bounds),
         ("instants: families", families), ("instants: forces and friction", forces), ("instants: driven", driven),
         ("instants: a network", network), ("instants: several pulses in a step", several_pulses),
         ("instants: coefficients that are held", held_coefficients),
         ("instants: what is late", late), ("instants: too many", too_many)]
