"""Multipliers and unknowns without inertia in the first row belong to the initial values. Against closed forms."""
import math

from located import run
from suite import need


def first(text, step, scheme="moreau(theta = 1/2)", code=0):
    c, err, _ = run(text, step, scheme, code=code)
    return {name: values[0] for name, values in c.items()}, err


def graph():
    """R i + d = 5 - u with d on a polyline: on its slope, on its vertical piece, on its horizontal one."""
    for u, i, d in ((1, 4/3, 4/3), (4.5, 0, 0.5), (-7, 5, 2)):
        text = f"""model G {{ state u = {u}; algebraic i; multiplier d; 0.5*u' = i; 0 = 5 - u - 2*i - d;
            relation D: d in graph(i, [(0, 0), (0, 1), (1, 1), (2, 2), (3, 2)]);
            simulate {{ until = 1, step = 0.1 }} }}"""
        row, _ = first(text, 0.1)
        need(abs(row["i"] - i) <= 1e-14 and abs(row["d"] - d) <= 1e-14, f"u = {u}: {row}")


def sliding():
    """On its surface from the start: the force is the one that holds it there; where it leaves, one of +-1."""
    for push, u in ((0.5, -0.5), (-0.7, 0.7), (1.7, -1.0)):
        text = f"""model S {{ state x = 0, w = 2; multiplier u; x' = {push}*cos(time) + w - 2 + u; w' = -w*w;
            relation r: u in -sgn(x); simulate {{ until = 1, step = 0.01 }} }}"""
        row, _ = first(text, 0.01)
        need(abs(row["u"] - u) <= 1e-10, f"push {push}: u = {row['u']!r}")
        need(row["x"] == 0 and row["w"] == 2, "the state moved")


def oscillator():
    """Diodes as in tests/run/located.py: complementarity with resistors, at once."""
    for v, expected in ((10, {"iF1": 0.01, "iR2": 0, "uR1": 10, "uF2": 0}),
                        (-4, {"iF1": 0, "iR2": 0.004, "uR1": 0, "uF2": 4})):
        from located import BRIDGE
        row, _ = first(BRIDGE.replace("v = 10", f"v = {v}"), 1e-6, "moreau(theta = 1/2, gamma = 1/2)")
        for name, value in expected.items():
            need(abs(row[name] - value) <= 1e-15, f"{name} = {row[name]!r}, not {value}")


def loop_of_capacitors():
    """Two capacitors in a row at a source whose voltage changes: I/C1 + (I - u2/R)/C2 = V'. Where the initial values
    contradict each other there is a jump and no current, and a note says so."""
    text = """import "std/circuit.nsm";
    model Loop { node a : V, b : V, gnd : V = 0;
      VoltageSource s(a = a, b = gnd, V = 5 [V] + 1 [V]*sin(1000 [1/s]*time));
      Capacitor c1(a = a, b = b, C = 1 [uF], u0 = %s [V]);
      Capacitor c2(a = b, b = gnd, C = 2 [uF], u0 = 3 [V]);
      Resistor r(a = b, b = gnd, R = 1 [kohm]);
      simulate { until = 1 [ms], step = 1 [us] } }"""
    row, err = first(text % "2", 1e-6, "moreau(theta = 1)")
    need(abs(row["c1.i"] - 2.5e3/1.5e6) <= 1e-9*row["c1.i"] and abs(row["b"] - 3) <= 1e-12, f"{row}")
    need("jumps" not in err, err)
    row, err = first(text % "1", 1e-6, "moreau(theta = 1)")
    need(row["c2.i"] == 0 and row["c1.u"] == 1 and "the first step jumps there" in err, f"{row}\n{err}")


def family(n=12):
    """Nodes as states without inertia: a ladder of resistors between two voltages, theta = 1/2 and 1."""
    text = f"""model Ladder {{ param n = {n}; state u = 2; algebraic a[n], b; u' = a[1] - u; 0 = b^3 + b - a[1];
        for i in 1:n {{ 0 = (if i > 1 then a[i-1] else u) - 2*a[i] + (if i < n then a[i+1] else 0); }}
        simulate {{ until = 1, step = 0.01 }} }}"""
    for scheme in ("moreau(theta = 1/2)", "moreau(theta = 1)"):
        row, _ = first(text, 0.01, scheme)
        for i in range(1, n + 1):
            need(abs(row[f"a[{i}]"] - 2*(1 - i/(n + 1))) <= 1e-13, f"a[{i}] = {row[f'a[{i}]']!r}")
        b, top = row["b"], 2*n/(n + 1)
        need(row["u"] == 2 and abs(b**3 + b - top) <= 1e-12, f"u = {row['u']!r}, b = {b!r}")


def nonlinear_family(n=12):
    """a^3 + a = x for each of a family; the events at the start see it, and may move it."""
    text = f"""model Cubes {{ param n = {n}; state x = 2; algebraic a[n] = 0.1; discrete seen = 0, gain = 1; x' = -x;
        for i in 1:n {{ 0 = a[i]^3 + a[i] - gain*i*x; }}
        every 0.1 {{ seen = a[1]; gain = 5; }} simulate {{ until = 0.2, step = 0.01 }} }}"""
    row, _ = first(text, 0.01)
    need(abs(row["seen"] - 1) <= 1e-13, f"sampled {row['seen']!r}, not 1")
    for i in range(1, n + 1):
        a = row[f"a[{i}]"]
        need(abs(a**3 + a - 10*i) <= 1e-12*10*i, f"a[{i}] = {a!r}")


def impulses():
    """Contacts and constraints: impulses of a step, and none was made."""
    text = """model C { coord z = 0, x = 0, x' = 1; kinetic (z'^2 + x'^2)/2; potential 9.81*z;
        contact f: z >= 0 with newton(0); constraint c: x - time = 0; simulate { until = 0.3, step = 0.1 } }"""
    row, _ = first(text, 0.1)
    need(row["f.lambda"] == 0 and row["c.lambda"] == 0, str(row))



def into_an_obstacle():
    """A block that moves a coordinate into an obstacle: refused by every scheme, as a start there is."""
    text = """model R { coord z = 1; kinetic z'^2/2; potential 9.81*z; contact floor: z >= 0 with newton(0.5);
        when time >= 0.1 { z = DEPTH; } simulate { until = 0.2, step = 0.01 } }"""
    for scheme in ("moreau", "moreau(located = true)", "consistent", "consistent(located = true)", "midpoint",
                   "consistent(order = 4)", "d1minus", "moreau(projection = true)"):
        _, err, _ = run(text.replace("DEPTH", "-0.3"), 0.01, scheme, code=3)
        need("E0510" in err and "contact floor" in err, err)
        run(text.replace("DEPTH", "0"), 0.01, scheme)
        c, _, _ = run(text.replace("DEPTH", "-0.3"), 0.01, scheme, "--project-start")
        need(min(c["z"]) > -0.1, f"{scheme}: {min(c['z'])}")


def no_number():
    """What has no derivative at the start, and a division by 0, are named by their statements."""
    text = """model N { coord x = 0, y = 0; kinetic (x'^2 + y'^2)/2;
        potential 10*(norm([x, y]) - 1)^2; simulate { until = 0.1, step = 0.01 } }"""
    for scheme, code in (("moreau", 1), ("consistent", 3), ("moreau(located = true)", 1), ("consistent(order = 4)", 3)):
        _, err, _ = run(text, 0.01, scheme, code=code)
        need("line 2 (potential)" in err and "infinite" in err, f"{scheme}: {err}")
    circuit = """import "std/circuit.nsm"; model RC { node a, gnd = 0; Resistor R(a = a, b = gnd, R = 0);
        Capacitor C(a = a, b = gnd, C = 1e-6, u0 = 1); simulate { until = 1e-3, step = 1e-5 } }"""
    _, err, _ = run(circuit, 1e-5, "radau", code=1)
    need("infinite" in err and "singular" not in err, err)


CASES = [("first row: a graph", graph), ("first row: sliding", sliding), ("first row: diodes", oscillator),
         ("first row: a family of nodes", family), ("first row: events at the start", nonlinear_family),
         ("first row: impulses", impulses), ("a reset into an obstacle", into_an_obstacle),
         ("no number at the start", no_number),
         ("first row: a loop of capacitors", loop_of_capacitors)]
