"""Laws by graphs: random polylines behind a random linear source, s = q - R u, against all intersections of the source
with the pieces. Monotone graphs have one solution, which the step finds; of others it finds one, or says none."""
import itertools
import math
import pathlib
import random
import tempfile

from suite import SANITIZED, need, nsm

CLOSE = 1e-9


def monotone(rng):
    """Points of a polyline that never falls: pieces are slopes, vertical ones, horizontal ones."""
    s, u = rng.uniform(-2, -1), rng.uniform(-2, -1)
    points, kind = [(s, u)], None
    for _ in range(rng.randint(1, 5)):
        kind = rng.choice([k for k in "svh" if k != kind or k == "s"])
        if kind != "v":
            s += rng.uniform(0.2, 1)
        if kind != "h":
            u += rng.uniform(0.2, 1)
        points.append((s, u))
    return points


def folded(rng):
    """Points of any polyline: s and u go forth and back."""
    points = [(rng.uniform(-2, 2), rng.uniform(-2, 2))]
    while len(points) < rng.randint(3, 6):
        s, u = points[-1]
        points.append((s + rng.choice([0, 1, 1])*rng.uniform(-1, 1.5), u + rng.choice([0, 1, 1])*rng.uniform(-1, 1.5)))
        if points[-1] == points[-2]:
            points.pop()
    return points


def source(rng, n):
    """R positive definite and not symmetric, q."""
    a = [[rng.gauss(0, 1) for _ in range(n)] for _ in range(n)]
    skew = [[rng.gauss(0, 1) for _ in range(n)] for _ in range(n)]
    R = [[sum(a[k][i]*a[k][j] for k in range(n)) + (0.3 if i == j else 0) + 0.5*(skew[i][j] - skew[j][i])
          for j in range(n)] for i in range(n)]
    return R, [rng.uniform(-3, 3) for _ in range(n)]


def eliminate(A, b):
    """x of A x = b, or None where A is singular."""
    n = len(b)
    M = [row[:] + [b[i]] for i, row in enumerate(A)]
    for k in range(n):
        p = max(range(k, n), key=lambda r: abs(M[r][k]))
        if abs(M[p][k]) < 1e-12:
            return None
        M[k], M[p] = M[p], M[k]
        for r in range(k + 1, n):
            f = M[r][k]/M[k][k]
            for c in range(k, n + 1):
                M[r][c] -= f*M[k][c]
    x = [0.0]*n
    for k in reversed(range(n)):
        x[k] = (M[k][n] - sum(M[k][c]*x[c] for c in range(k + 1, n)))/M[k][k]
    return x


def enumerated(graphs, R, q):
    """All u: on each choice of pieces, (s, u) = point + w (direction), w in [0, 1], open at the ends of the graph."""
    found, n = [], len(graphs)
    for pieces in itertools.product(*[range(len(g) - 1) for g in graphs]):
        p = [graphs[i][k] for i, k in enumerate(pieces)]
        d = [(graphs[i][k + 1][0] - p[i][0], graphs[i][k + 1][1] - p[i][1]) for i, k in enumerate(pieces)]
        # p.s + w d.s + R (p.u + w d.u) = q
        A = [[R[i][j]*d[j][1] + (d[i][0] if i == j else 0) for j in range(n)] for i in range(n)]
        w = eliminate(A, [q[i] - p[i][0] - sum(R[i][j]*p[j][1] for j in range(n)) for i in range(n)])
        if w is None or any((w[i] < -CLOSE and pieces[i] > 0) or
                            (w[i] > 1 + CLOSE and pieces[i] < len(graphs[i]) - 2) for i in range(n)):
            continue
        u = [p[i][1] + w[i]*d[i][1] for i in range(n)]
        if all(max(abs(a - b) for a, b in zip(u, v)) > 1e-6 for v in found):
            found.append(u)
    return found


def text_of(problems):
    """One model with all problems; its multipliers are u1, u2, ..."""
    lines, n = ["model Graphs {", "  state t = 0;  t' = 1;"], 0
    for graphs, R, q in problems:
        names = [f"u{n + i + 1}" for i in range(len(graphs))]
        for i, g in enumerate(graphs):
            s = " - ".join([f"({q[i]!r})"] + [f"({R[i][j]!r})*{names[j]}" for j in range(len(graphs))])
            points = ", ".join(f"({a!r}, {b!r})" for a, b in g)
            lines.append(f"  multiplier {names[i]};  relation r{n + i + 1}: {names[i]} in graph({s}, [{points}]);")
        n += len(graphs)
    return "\n".join(lines + ["  simulate { until = 1, step = 1 }", "}"])


def solved(problems, folder):
    """The values of u that one step gives, problem by problem; "none" where it says that there is no solution, "lost"
    where it finds none."""
    model = pathlib.Path(folder, "graphs.nsm")
    model.write_text(text_of(problems))
    r = nsm("run", model, "--quiet", "--record", ",".join(f"u{i + 1}" for i in range(sum(len(p[0]) for p in problems))))
    if r.code == 3:
        need("no solution" in r.err or "could not be solved" in r.err, f"the message is {r.err[:400]}")
        return "none" if "no solution" in r.err else "lost"
    need(r.code == 0, r.err[:600])
    values = [float(x) for x in r.out.strip().splitlines()[-1].split(",")[1:]]
    out = []
    for graphs, _, _ in problems:
        out.append(values[:len(graphs)])
        values = values[len(graphs):]
    return out


def monotone_graphs():
    rng, number = random.Random(11), 0
    with tempfile.TemporaryDirectory() as folder:
        while number < 500:
            problems = []
            for _ in range(20):
                n = rng.choice([1, 1, 2, 3])
                problems.append(([monotone(rng) for _ in range(n)], *source(rng, n)))
                number += n
            for (graphs, R, q), u in zip(problems, solved(problems, folder)):
                all_u = enumerated(graphs, R, q)
                need(len(all_u) == 1, f"{len(all_u)} solutions of a monotone problem: {graphs} {R} {q}")
                apart = max(abs(a - b) for a, b in zip(u, all_u[0]))
                need(apart <= CLOSE, f"{apart:.3g} from the intersection: {graphs} {R} {q}: {u}, {all_u}")


def from_graph(graph, s, u):
    """How far (s, u) is from a polyline whose first and last pieces go on."""
    nearest = math.inf
    for k, ((a, b), (c, d)) in enumerate(zip(graph, graph[1:])):
        w = ((s - a)*(c - a) + (u - b)*(d - b))/((c - a)**2 + (d - b)**2)
        w = w if (w < 0 and k == 0) or (w > 1 and k == len(graph) - 2) else min(max(w, 0), 1)
        nearest = min(nearest, math.hypot(s - a - w*(c - a), u - b - w*(d - b)))
    return nearest


def coupled_graphs():
    """Up to 60 monotone graphs behind one source: the solution is unique, so to lie on all of them will do."""
    rng = random.Random(13)
    with tempfile.TemporaryDirectory() as folder:
        for n in (5, 8, 12, 20, 35, 60):
            graphs, (R, q) = [monotone(rng) for _ in range(n)], source(rng, n)
            answer = solved([(graphs, R, q)], folder)
            need(not isinstance(answer, str), f"{n} graphs: {answer}")
            u = answer[0]
            worst = max(from_graph(g, q[i] - sum(r*x for r, x in zip(R[i], u)), u[i]) for i, g in enumerate(graphs))
            need(worst <= CLOSE, f"{n} graphs: {worst:.3g} from them")


def other_graphs():
    """None is left open: each problem has its solution, or the proof that there is none."""
    rng, none, count = random.Random(12), 0, 60 if SANITIZED else 300
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            n = rng.choice([1, 1, 2, 3])
            graphs = [folded(rng) for _ in range(n)]
            R, q = source(rng, n)
            all_u, answer = enumerated(graphs, R, q), solved([(graphs, R, q)], folder)
            if isinstance(answer, str):
                need(answer == "none", f"it is left open: {graphs} {R} {q}: {all_u}")
                need(not all_u, f"there is a solution: {graphs} {R} {q}: {all_u}")
                none += 1
                continue
            need(any(max(abs(a - b) for a, b in zip(answer[0], u)) <= CLOSE*max(1, *map(abs, u)) for u in all_u),
                 f"not on the graph: {graphs} {R} {q}: {answer}, {all_u}")
    need(6*none > count, f"only {none} of {count} have no solution")


CASES = [("500 random monotone graphs", monotone_graphs), ("systems of many monotone graphs", coupled_graphs),
         ("random graphs that are not monotone", other_graphs)]
