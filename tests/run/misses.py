"""What no residual of a step tells: how far constraints are missed, and energy that comes from nowhere."""
import json
import math
import pathlib
import tempfile

from suite import ROOT, need, nsm

HOOP = """model Hoop {                       // a bead on a hoop that a driven body turns
  param R = 0.5 [m], w = 6 [rad/s], m = 1 [kg];
  gravity [0, 0, -9.81] [m/s^2];
  body hoop { driven, position = [0, 0, 0] [m], attitude = rotation([0, 0, 1], w*time) }
  body bead {
    mass = m, inertia = [1e-3, 1e-3, 1e-3] [kg*m^2], position = R*[sin(0.5), 0, -cos(0.5)],
    velocity = [0 [m/s], w*R*sin(0.5), 0 [m/s]]
  }
  constraint ring: dot(bead.r, bead.r)/(2*R) = R/2;
  constraint plane: dot(bead.r, hoop.vector([0, 1, 0])) = 0;
  simulate { until = 3 [s], step = 1 [ms] }
}"""
ROD = """model Rod {
  coord x = 1, y = 0;  kinetic (x'^2 + y'^2)/2;  potential 9.81*y;
  constraint rod: x^2 + y^2 = 1;
  simulate { until = 3 [s], step = 1 [ms] }
}"""
OSCILLATOR = """model Oscillator {
  coord x = 1;  kinetic x'^2/2;  potential x^2/2;
  simulate { until = 200 [s], step = 0.25 [s], scheme = midpoint }
}"""


def run(text, *flags):
    """Columns, summary, messages."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "m.nsm").write_text(text)
        ran = nsm("run", place / "m.nsm", *flags, "--summary", place / "s.json").expect(0)
        rows = [line.split(",") for line in ran.out.strip().splitlines()]
        summary = json.loads((place / "s.json").read_text())
    return {name: [float(r[i]) for r in rows[1:]] for i, name in enumerate(rows[0])}, summary, ran.err


def ring(c, k):
    square = sum(c[f"bead.r[{i}]"][k]**2 for i in (1, 2, 3))
    return abs(square - 0.25)/(square + 0.25)


def plane(c, k):
    """0.y: the turned vector is [-sin, cos, 0], and the size of the terms of its product with r."""
    a = 6*c["time"][k]
    p, q = -math.sin(a)*c["bead.r[1]"][k], math.cos(a)*c["bead.r[2]"][k]
    return abs(p + q)/(abs(p) + abs(q))


def is_what_it_says():
    """The largest miss is that of the recorded places, at every 128th step and at the end."""
    columns, summary, said = run(HOOP, "--scheme", "midpoint")
    looked = [*range(128, 3001, 128), 3000]
    wanted = max(max(ring(columns, k), plane(columns, k)) for k in looked)
    need(abs(summary["max_miss"]/wanted - 1) <= 1e-9, f"{summary['max_miss']} is not {wanted}")
    need("warning[W0850]" in said, f"no warning: {said}")
    need("largest miss of a constraint" in said, f"the summary does not say it: {said}")
    need("max_miss" not in run(OSCILLATOR)[1], "a miss where there is no constraint")


def same_by_all_steps():
    """Whole steps, single ones, and runs of which nothing is recorded tell the same."""
    told = [run(ROD, "--scheme", "midpoint", *flags)[1]["max_miss"]
            for flags in ((), ("--whole-steps", "off"), ("--every", "100000"), ("--jit", "cc"))]
    need(max(told)/min(told) - 1 <= 1e-11, f"several misses: {told}")


def falls_with_the_step():
    """midpoint drifts by h, moreau(theta = 1/2) by h^2, consistent does not; the warning stops at 1e-3."""
    for scheme, order in (("midpoint", 1), ("moreau(theta = 1/2)", 2)):
        e = []
        for h in ("4ms", "2ms", "1ms"):
            _, summary, said = run(ROD, "--scheme", scheme, "--step", h, "--every", "10000")
            e.append(summary["max_miss"])
            need(("W0850" in said) == (e[-1] > 1e-3), f"{scheme} at {h}: {e[-1]:.3g}, and said: {said}")
        for a, b in zip(e, e[1:]):
            need(abs(math.log2(a/b) - order) <= 0.15, f"{scheme}: {e}")
    _, summary, said = run(ROD, "--scheme", "consistent")
    need(summary["max_miss"] <= 1e-14 and "W0850" not in said, f"consistent: {summary['max_miss']}")


def in_the_origin():
    """A joint without any length, in the origin: nothing to be missed."""
    text = """model Spinner {
  import_joint
  body top { mass = 1 [kg], inertia = [1, 2, 3] [kg*m^2], position = [0, 0, 0] [m], spin = [1, 2, 0.1] [rad/s] }
  constraint pin: top.point([0, 0, 0] [m]) = [0, 0, 0] [m];
  gravity [0, 0, -9.81] [m/s^2];
  simulate { until = 1 [s], step = 1 [ms] }
}""".replace("  import_joint\n", "")
    for scheme in ("midpoint", "moreau(theta = 1/2)", "consistent"):
        _, summary, said = run(text, "--scheme", scheme, "--every", "10000")
        need(summary["max_miss"] == 0 and "W0850" not in said, f"{scheme}: {summary['max_miss']}")


def from_nowhere():
    """consistent.md (15b): (h w)^2/16 of what is exchanged, and told where the rule has no bound."""
    columns, _, said = run(OSCILLATOR, "--record", "energy.kinetic,energy.potential,energy.residue")
    brought = sum(max(r, 0) for r in columns["energy.residue"])
    exchanged = sum(abs(b - a) for name in ("energy.kinetic", "energy.potential")
                    for a, b in zip(columns[name], columns[name][1:]))
    need(abs(256*brought/exchanged - 1) <= 0.02, f"{brought/exchanged} of the exchange, not 1/256")
    need("W0851" not in said, f"told at h w = 1/4: {said}")
    for step, told in (("1.5", False), ("2.02", True)):
        said = run(OSCILLATOR, "--step", step, "--record", "energy")[2]
        need(("warning[W0851]" in said) == told, f"at h w = {step}: {said}")


def of_axes():
    """Axes that stay at right angles: the terms of their product are as small as it, and a radian is what counts."""
    text = (ROOT / "models/iftomm_a04_bricard.nsm").read_text()
    columns, summary, said = run(text, "--scheme", "moreau", "--step", "1ms", "--until", "1.5 s")
    off = max(map(abs, columns["off"]))
    miss = summary["max_miss"]
    need(off <= 1e-5 and miss <= 1e-4 and "W0850" not in said, f"{miss} where places miss {off} m: {said}")


CASES = [("misses of constraints are what is recorded", is_what_it_says),
         ("misses of constraints, all steps", same_by_all_steps),
         ("misses of constraints fall with the step", falls_with_the_step),
         ("misses of constraints in the origin", in_the_origin),
         ("misses of axes at right angles", of_axes),
         ("energy from nowhere", from_nowhere)]
