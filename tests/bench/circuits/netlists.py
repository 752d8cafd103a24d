#!/usr/bin/env python3
"""Random linear RLC netlists against an independent solution.

netlists.py NSM [count [most nodes [seed [theta]]]]

Each netlist has resistors, capacitors, inductors, voltage and current sources between random nodes; among them loops
of capacitors and sources and cut sets of inductors. The reference is modified nodal analysis [Ho, Ruehli and Brennan
1975] by the implicit Euler rule, theta = 1, assembled and solved here by Gauss' elimination with pivots; it shares
nothing with nsm. With theta = 0.5 capacitors and sources have a resistor in series, coils one beside them, so that all
unknowns follow from the states (index 1), and the reference is the trapezoidal rule. Potentials after the last step are
compared, relative to the largest of the run: at most 1e-9. Prints the worst; exit 1 where one is worse."""
import math
import os
import random
import subprocess
import sys
import tempfile

STEPS, H, BAR = 12, 1e-5, 1e-9


def netlist(rng, most):
    """Nodes 0 ... n (0 is the ground) and parts (kind, a, b, value); connected, with one voltage source at least."""
    n = rng.randint(2, most)
    parts = []
    for k in range(1, n + 1):                     # a tree: every node is reached
        kind = rng.choice("RRRCL") if k > 1 else "V"
        parts.append([kind, k, rng.randrange(k)])
    for _ in range(rng.randint(1, n)):
        a, b = rng.sample(range(n + 1), 2)
        parts.append([rng.choice("RRCCLI"), a, b])
    if rng.random() < 0.5:                        # a loop of a source and a capacitor
        parts.append(["C", 1, 0])
    if rng.random() < 0.5:                        # two inductors and nothing else at a node
        n += 1
        parts += [["L", n, rng.randrange(n)], ["L", n, 0]]
    size = {"R": (1, 1e3), "C": (1e-7, 1e-5), "L": (1e-4, 1e-2), "V": (1, 10), "I": (1e-3, 1e-1)}
    for p in parts:
        lo, hi = size[p[0]]
        p.append(float("%.6g" % (lo * (hi / lo) ** rng.random())))
    return n, parts


def with_resistors(n, parts):
    """The same of index 1."""
    out = []
    for kind, a, b, value in parts:
        if kind in "CV":
            n += 1
            out += [["R", a, n, 10.0], [kind, n, b, value]]
        else:
            out += [[kind, a, b, value]] + ([["R", a, b, 1e3]] if kind in "LI" else [])
    return n, out


def wave(value, t):
    return value * math.sin(2 * math.pi * 1000.0 * t)


def factored(rows):
    """Gauss' elimination of rows {column: value}, each divided by its largest entry, with the pivot of least fill that
    is not small. What was done, to be done to right sides: scales, exchanges (row, pivot row, factor), and the rows
    that are left with their pivots' columns."""
    n = len(rows)
    scales = [max(abs(v) for v in r.values()) for r in rows]
    rows = [{j: v / s for j, v in r.items()} for r, s in zip(rows, scales)]
    columns = [set() for _ in range(n)]
    for i, r in enumerate(rows):
        for j in r:
            columns[j].add(i)
    free = set(range(n))
    order, done = [], []
    while free:
        best = None
        for i in sorted(free, key=lambda i: len(rows[i]))[:8]:
            largest = max(abs(v) for v in rows[i].values()) if rows[i] else 0
            for j, v in rows[i].items():
                if abs(v) < 1e-2 * largest or v == 0:
                    continue
                fill = (len(rows[i]) - 1) * (len(columns[j] & free) - 1)
                if best is None or fill < best[0]:
                    best = (fill, i, j)
        _, i, j = best
        free.remove(i)
        order.append((i, j))
        for k in columns[j] & free:
            f = rows[k].pop(j) / rows[i][j]
            for c, v in rows[i].items():
                if c != j:
                    rows[k][c] = rows[k].get(c, 0.0) - f * v
                    columns[c].add(k)
            done.append((k, i, f))
        columns[j] = {i}
    return scales, done, rows, order


def solve(factors, rhs):
    """x for the rows that were factored."""
    scales, done, rows, order = factors
    rhs = [r / s for r, s in zip(rhs, scales)]
    for k, i, f in done:
        rhs[k] -= f * rhs[i]
    x = [0.0] * len(rhs)
    for i, j in reversed(order):
        x[j] = (rhs[i] - sum(v * x[c] for c, v in rows[i].items() if c != j)) / rows[i][j]
    return x


def reference(n, parts, theta=1.0):
    """Potentials of nodes 1 ... n after the last step, and the largest of all steps."""
    h = H * theta
    other = H * (1 - theta)
    branch = {k: n + i for i, k in enumerate(k for k, p in enumerate(parts) if p[0] in "VLC")}
    size = n + len(branch)
    state = {k: 0.0 for k, p in enumerate(parts) if p[0] in "LC"}
    rate = dict(state)                            # of the begin of the step: all is 0 at the start
    rows = [{} for _ in range(size)]

    def add(i, j, v):
        if i >= 0 and j >= 0:
            rows[i][j] = rows[i].get(j, 0.0) + v

    for k, (kind, a, b, value) in enumerate(parts):
        a, b = a - 1, b - 1
        if kind == "R":
            for i, s in ((a, 1), (b, -1)):
                add(i, a, s / value)
                add(i, b, -s / value)
        elif kind != "I":
            j = branch[k]
            add(a, j, 1.0)
            add(b, j, -1.0)
            add(j, a, 1.0)
            add(j, b, -1.0)
            if kind == "C":
                add(j, j, -h / value)             # u1 = u0 + h (theta i1 + (1 - theta) i0) / C
            if kind == "L":
                add(j, j, -value / h)             # theta (a - b)1 + (1 - theta) (a - b)0 = L (i1 - i0) / h
    factors, largest = factored(rows), 0.0
    for step in range(1, STEPS + 1):
        rhs = [0.0] * size
        for k, (kind, a, b, value) in enumerate(parts):
            if kind == "I":
                for i, s in ((a - 1, -1), (b - 1, 1)):
                    if i >= 0:
                        rhs[i] += s * wave(value, step * H)
            elif kind == "V":
                rhs[branch[k]] = wave(value, step * H)
            elif kind == "C":
                rhs[branch[k]] = state[k] + other * rate[k]
            elif kind == "L":
                rhs[branch[k]] = -value / h * (state[k] + other * rate[k])
        x = solve(factors, rhs)
        for _ in range(2):                        # refined: the reference is to be better than what it verifies
            left = [r - sum(v * x[j] for j, v in row.items()) for r, row in zip(rhs, rows)]
            x = [a + b for a, b in zip(x, solve(factors, left))]
        for k in state:
            kind, a, b, value = parts[k]
            voltage = (x[a - 1] if a else 0.0) - (x[b - 1] if b else 0.0)
            new = (voltage if kind == "L" else x[branch[k]]) / value
            state[k] = x[branch[k]] if kind == "L" else state[k] + h * new + other * rate[k]
            rate[k] = new
        largest = max([largest] + [abs(v) for v in x[:n]])
    return x[:n], largest


def model(n, parts, theta=1.0):
    names = {"R": "Resistor", "C": "Capacitor", "L": "Inductor", "V": "VoltageSource", "I": "CurrentSource"}
    letter = {"R": "R", "C": "C", "L": "L", "V": "V", "I": "I"}
    unit = {"R": "ohm", "C": "F", "L": "H", "V": "V", "I": "A"}
    out = ['import "std/circuit.nsm";', "model Netlist {", "  node n0 : V = 0;"]
    out += ["  node n%d : V;" % k for k in range(1, n + 1)]
    for k, (kind, a, b, value) in enumerate(parts):
        text = "%r [%s]" % (value, unit[kind])
        if kind in "VI":
            text += "*sin(2*pi*1000 [1/s]*time)"
        out.append("  %s p%d(a = n%d, b = n%d, %s = %s);" % (names[kind], k, a, b, letter[kind], text))
    out.append("  simulate { until = %r [s], step = %r [s], scheme = moreau(theta = %g) }\n}"
               % (STEPS * H, H, theta))
    return "\n".join(out) + "\n"


def error_of(nsm, n, parts, folder, theta=1.0):
    path = os.path.join(folder, "netlist.nsm")
    with open(path, "w") as f:
        f.write(model(n, parts, theta))
    r = subprocess.run([nsm, "run", path, "--jit", "tcc"], capture_output=True, text=True)
    if r.returncode:
        return math.inf, r.stderr.strip().splitlines()[:1]
    lines = r.stdout.strip().splitlines()
    row = dict(zip(lines[0].split(","), map(float, lines[-1].split(","))))
    x, largest = reference(n, parts, theta)
    return max(abs(row["n%d" % (k + 1)] - x[k]) for k in range(n)) / largest, ""


def main():
    nsm = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    theta = float(sys.argv[5]) if len(sys.argv) > 5 else 1.0
    worst, bad = 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(count):
            rng = random.Random(1000003 * seed + i)
            n, parts = netlist(rng, most)
            if theta < 1:
                n, parts = with_resistors(n, parts)
            e, why = error_of(nsm, n, parts, folder, theta)
            worst = max(worst, e)
            if not e <= BAR:
                bad += 1
                print("netlist %d of seed %d: %d nodes, %d parts: error %.3g %s" % (i, seed, n, len(parts), e, why))
    print("%d netlists, up to %d nodes: worst error %.3g of the largest potential, bar %g; %d worse"
          % (count, most, worst, BAR, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
