"""Implicit discrete laws, relations inside of `every`, against what they must give; --check-unique."""
import json
import pathlib
import tempfile

from suite import need, nsm


def run_of(text, *flags, code=0):
    with tempfile.TemporaryDirectory() as folder:
        model, summary = pathlib.Path(folder, "model.nsm"), pathlib.Path(folder, "summary.json")
        model.write_text(text)
        ran = nsm("run", model, "--summary", summary, *flags).expect(code)
        said = json.loads(summary.read_text()) if summary.exists() else {}
    rows = [line.split(",") for line in ran.out.strip().splitlines()]
    return {name: [float(r[i]) for r in rows[1:]] for i, name in enumerate(rows[0])}, ran.err, said


def sliding(extra):
    """s' = u, u in -K sgn(s + T u): u = max(-K, min(K, -s/T)) at each instant, whatever else the model has."""
    run, _, _ = run_of("""model Sliding { param T = 0.01, K = 2;  state s = 1.003, x = 0;  discrete u = 0;
      %s  s' = u;  every T { relation law: u in -K*sgn(s + T*u); }
      simulate { until = 1, step = 0.007 } }""" % extra)
    s, at = 1.003, 0.0
    for k in range(100):
        u = max(-2.0, min(2.0, -s/0.01))
        s += 0.01*u
        at = (k + 1)*0.01
        row = max(i for i, t in enumerate(run["time"]) if t <= at + 1e-9)
        if abs(run["time"][row] - at) < 1e-9:
            need(abs(run["s"][row] - s) <= 1e-13, f"s({at}) = {run['s'][row]!r}, not {s!r}")
    need(abs(run["s"][-1]) <= 1e-15 and abs(run["u"][-1]) <= 1e-12, f"no rest: {run['s'][-1]}, {run['u'][-1]}")


def coupled():
    """Two laws that read each other, two instances and a neighbour: unknowns in one group and in several."""
    run, _, _ = run_of("""model Cell(x0 = 1) { param T = 0.1;  state x = x0, y = -x0;  discrete u = 0, v = 0;
        x' = u + 0.5*v;  y' = v;
        every T {
          relation first: u in -sgn(x + T*(u + 0.5*v));
          relation second: v in -sgn(y + T*v);
        } }
      model Cells { Cell c[i in 1:3](x0 = 0.2*i);  simulate { until = 3, step = 0.05 } }""")
    for i in range(1, 4):
        for name in ("x", "y"):
            need(abs(run[f"c[{i}].{name}"][-1]) <= 1e-15, f"c[{i}].{name} is {run[f'c[{i}].{name}'][-1]!r}")


def nonlinear():
    """u^3 + u = s by a free law: Cardano's root."""
    run, _, _ = run_of("""model Root { state s = 2;  discrete u = 0;  s' = 0.1;
      every 0.1 { relation r: -(u^3 + u - s) in normal_cone([-inf, inf], u); }
      simulate { until = 1, step = 0.1 } }""")
    for s, u in zip(run["s"], run["u"]):
        need(abs(u**3 + u - s) <= 1e-12, f"{u!r} is no root for {s!r}")


def assignments_read_laws():
    run, _, _ = run_of("""model After { state s = 1;  discrete u = 0, w = 0;  s' = 0;
      every 1 { w = w + u;  relation r: u in -sgn(s - 3); }  simulate { until = 2, step = 1 } }""")
    need(run["u"] == [1, 1, 1] and run["w"] == [1, 2, 3], f"u {run['u']}, w {run['w']}")


def none():
    _, said, _ = run_of("""model None { state s = 1;  discrete u = 0;  s' = 0;
      every 1 { relation never: 0 <= -1 - u perp u >= 0; }  simulate { until = 2, step = 1 } }""", code=3)
    need("relation never has no solution at t = 0" in said, said)


def several():
    """u in sgn(x) at 0 has the solutions -1, 0 and 1; u in -sgn(x) has one."""
    text = """model Several { state x = 0;  multiplier u;  x' = u;
      relation r: u in %ssgn(x);  simulate { until = 1, step = 0.1, scheme = moreau } }"""
    _, said, summary = run_of(text % "", "--check-unique")
    need(summary["several_solutions"] == 10 and "relation r has 3" in said, said)
    _, said, summary = run_of(text % "-", "--check-unique")
    need(summary["several_solutions"] == 0 and "no one-step problem of 10 had a second solution" in said, said)
    table, said, summary = run_of("""model Table { coord z = 0, f = 0;  kinetic z'^2/2 + f'^2/20;  potential 9.81*z;
      contact left: z - f >= 0 with inelastic;  contact right: z + f >= 0 with inelastic;
      contact middle: z >= 0 with inelastic;
      simulate { until = 1, step = 0.1, scheme = moreau } }""", "--check-unique")
    need(summary["several_solutions"] == 0, f"forces that are shared are no second solution: {said}")
    need(max(map(abs, table["z"])) <= 1e-15, "the table does not rest")


CASES = [("an implicit law", sliding, "x' = 0;"), ("an implicit law beside an input", sliding, "input w = 1;  x' = w;"),
         ("laws that are coupled", coupled), ("a law that is not affine", nonlinear),
         ("assignments read what laws gave", assignments_read_laws), ("a law without a solution", none),
         ("several solutions are told", several)]
