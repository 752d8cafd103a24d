"""Claims about piles of bodies under the default scheme: they run to their ends, no step gains energy, and what is left
of the laws is small. The scenes are those of tests/bench/piles/scenes, short.

Each function takes the case; CASES lists them with their names for the suite.
"""
import importlib.machinery
import importlib.util
import pathlib
import tempfile

from claims import run
from suite import ROOT, need, nsm

_loader = importlib.machinery.SourceFileLoader("pile_scenes", str(ROOT/"tests/bench/piles/scenes"))
scenes = importlib.util.module_from_spec(importlib.util.spec_from_loader("pile_scenes", _loader))
_loader.exec_module(scenes)


def falls(name, law, until, worst, frozen):
    """Exit 0, no gain, residue of the ledger, residual; whether directions were kept is said."""
    text = scenes.whole(name, scenes.LAWS[law])
    _, s, err = run(text, "--until", str(until), "--every", "1000")
    size = abs(s["energy"]["initial"])
    need(s["status"] == "ok" and s["scheme"] == "consistent", f"{s['status']} of {s['scheme']}")
    need(s["energy"]["gain"] <= 1e-13*size, f"a step gains {s['energy']['gain']} J of {size}")
    need(abs(s["energy"]["residue"]) <= 1e-10*size, f"residue {s['energy']['residue']} J")
    need(s["max_residual"] <= worst, f"residual {s['max_residual']}")
    need(frozen or "did not settle" not in err, err)
    need("left to the next step" not in err, err)


def dome_falls(mu):
    """Stones that fall together: rates at their vertical joints are nothing but round-off. No step gains energy; the
    stones on top sink."""
    text = (ROOT/"models/dome_of_blocks.nsm").read_text()
    text = text[:text.index("  expect drift(key)")] + "}\n"
    columns, s, _ = run(text, "--set", f"mu={mu}", "--until", "0.005")
    size, key = abs(s["energy"]["initial"]), columns["key"]
    need(s["status"] == "ok" and s["steps"] == 5 and s["accepted"] == 0, f"{s['status']} after {s['steps']} steps")
    need(s["max_residual"] <= 1e-12, f"residual {s['max_residual']}")
    need(s["energy"]["gain"] <= 1e-13*size and abs(s["energy"]["residue"]) <= 1e-13*size, f"{s['energy']}")
    need(all(a > b for a, b in zip(key, key[1:])) and key[0] - key[-1] > 5e-6, f"{key}")


RECTANGLES = """model Scene {
  gravity [0, -9.81] [m/s^2];
  body floor { fixed, shape = halfplane }
  body part[i in 1:3] {
    shape = rectangle([0.1, 0.06] [m]), density = 1000, position = [1 [mm]*i, (i - 0.5)*0.06 [m] + 0.01 [mm]*i]
  }
  contact wall { between = part, floor; with inelastic, coulomb(0.6); }
  contact hit { among = part; with inelastic, coulomb(0.6); }
  simulate { until = 0.5 [s], step = 2 [ms] }
}
"""


def rests(text, most):
    """Bodies on each other come to rest exactly, and a step of theirs is one evaluation: so many iterations in all."""
    columns, s, err = run(text)
    need(s["status"] == "ok" and s["scheme"] == "consistent", f"{s['status']} of {s['scheme']}")
    need(s["newton_iterations"] <= most, f"{s['newton_iterations']} iterations in {s['steps']} steps")
    moving = [n for n, v in columns.items() if ("'" in n or "spin" in n) and v[-1] != 0]
    need(not moving, f"not at rest: {moving}")
    need("did not settle" not in err, err)


TILTED = """model Scene {
  gravity [3, 0, -9.81] [m/s^2];
  body floor { fixed, shape = halfspace }
  body part[i in 1:3] { shape = box([0.2, 0.2, 0.1] [m]), mass = i, position = [0, 0, 0.05 + 0.1*(i - 1)] }
  contact ground { between = part, floor; with newton(0), coulomb(0.5); }
  contact pile { among = part; with newton(0), coulomb(0.5); }
  MORE
  simulate { until = 0.2 [s], step = 1 [ms] }
}
"""


def goes_on_resting(scheme):
    """What rests goes on resting, with the same bytes as by real steps (an assertion asks for them); a force that
    begins later moves it."""
    quick, s, _ = run(TILTED.replace("MORE", ""), "--scheme", scheme)
    slow, each, _ = run(TILTED.replace("MORE", "assert part[1].r[3] >= 0 [m];"), "--scheme", scheme)
    need(quick == slow, "other numbers")
    need(s["steps"] == each["steps"] == 200 and s["energy"] == each["energy"], f"{s['energy']} for {each['energy']}")
    need(s["newton_iterations"] == each["newton_iterations"], f"{s['newton_iterations']} iterations")
    pushed, _, _ = run(TILTED.replace("MORE", "force part[3].r[1] = if time > 0.15 [s] then 50 [N] else 0 [N];"),
                       "--scheme", scheme)
    x = pushed["part[3].r[1]"]
    need(x[150] == x[0] and x[-1] > x[0] + 1e-3, f"{x[150]}, {x[-1]} m")


UNSETTLED = """model Scene {
  coord x : m = 0, x' = 1 [m/s];
  kinetic 1 [kg]*x'^2/2;
  contact plane { normal_force = 9.81 [N]; slip = x'; with coulomb(0.5); }
  simulate { until = 0.5 [s], step = 10 [ms], scheme = consistent }
}
"""


def unsettled():
    """A solver that takes no such friction: the projected step finds the motion, nothing finds the end of the step. The
    run goes on to its end, the velocity left over changes its sign and is not gained, and it is said."""
    columns, s, err = run(UNSETTLED, "--solver", "sigma")
    left, v = s.get("unsettled", 0), columns["x'"]
    need(s["status"] == "ok" and left > 10 and not s["tolerance_reached"], f"{s}"[:300])
    need(f"note: in {left} of 50 steps the friction of some bodies was not settled" in err, err)
    need(s["energy"]["gain"] <= 1e-15 and abs(s["energy"]["residue"]) <= 1e-14, f"{s['energy']}")
    need(all(abs(a) <= abs(b) + 1e-14 for a, b in zip(v[1:], v)) and v[-1] != 0, f"{v[-5:]}")
    columns, s, err = run(UNSETTLED)
    need("unsettled" not in s and s["tolerance_reached"] and columns["x'"][-1] == 0 and "not settled" not in err, err)


ROD = """model Scene {
  gravity [0, 0, -9.81] [m/s^2];
  body floor { fixed, shape = halfspace }
  body rod {
    shape = capsule(0.02 [m], 0.4 [m]), mass = 1, position = [0, 0, 0.3] [m], velocity = [-1, 0, -2] [m/s],
    attitude = rotation([0, 1, 0], 50 [deg])
  }
  contact hit { between = rod, floor; with newton(E), coulomb(0.3); }
  simulate { until = 0.2 [s], step = 1 [ms] }
}
"""


def softened():
    """With e = 1 and friction Newton's law gives a rod that falls on its end a joule; it strikes with less, which is
    said. With e = 0 there is nothing to say."""
    _, s, err = run(ROD.replace("E)", "1)"))
    size = abs(s["energy"]["initial"])
    need(s["status"] == "ok" and s.get("softened", 0) >= 1 and "less restitution than given" in err, err)
    need(s["energy"]["gain"] <= 1e-13*size and abs(s["energy"]["residue"]) <= 1e-12*size, f"{s['energy']}")
    _, s, err = run(ROD.replace("E)", "0)"))
    need("softened" not in s and "less restitution" not in err and s["energy"]["gain"] <= 1e-13*size, err)


# A lattice of spheres that touch from the begin on: one problem of 880 contacts, which a sideways push shears.
LATTICE = """model Lattice {
  param n = 8, k = 5, R = 0.05 [m];
  gravity [0.5, 0, -9.81] [m/s^2];
  body floor { fixed, shape = halfspace }
  body ball[x in 1:n, y in 1:n, z in 1:k] { shape = sphere(R), mass = 0.5 [kg],
    position = [2*R*x, 2*R*y, 2*R*z - R] }
  contact ground { between = floor, ball; with inelastic, coulomb(0.4); }
  contact pile { among = ball; with inelastic, coulomb(0.4); }
  simulate { until = 0.1 [s], step = 2 [ms], scheme = moreau }
}"""


def large_piles():
    """To 1e-4 by default, and said; heights are those of 1e-8."""
    few, s, err = run(LATTICE)
    need(s["piles"] > 5 and s["missed"] == 0 and s["pile_tolerance"] == 1e-4, f"{s}"[:400])
    need("solved to 0.0001 (--tolerance)" in err, err)
    many, s, err = run(LATTICE, "--tolerance", "1e-8")
    need("piles" not in s and s["max_residual"] <= 1e-8, f"{s}"[:400])
    off = max(abs(few[z][-1] - many[z][-1]) for z in few if z.endswith("r[3]"))
    need(off <= 1e-5, f"heights are {off:.2g} m apart")
    coarse, s, err = run(LATTICE, "--tolerance", "1e-3")
    need(s["pile_tolerance"] == 1e-3 and 1e-4 < s["max_residual"] <= 1e-3, f"residual {s['max_residual']}")
    for law in ("coulomb(0)", "rolling(0.4, 1 [mm])"):             # ice; rolling friction
        _, s, err = run(LATTICE.replace("coulomb(0.4)", law, 1), "--until", "20ms")
        need(s["piles"] > 5 and s["missed"] == 0 and s["max_residual"] <= 1e-4, f"{law}: {err}")
    one, two = (run(LATTICE, "--set", "k=14", "--until", "4ms", "--threads", n)[0] for n in "12")
    need(one == two, "another number of threads, other results")   # 2464 contacts: they stand in slabs
    return f"heights {off:.2g} m apart"


def goes_on():
    """A budget for one sweep or two: steps go on with the best answer, which makes no energy, the same in each run;
    --strict and --accept end the run there."""
    flags = ["--solve-budget", "1e-3", "--until", "6ms"]
    (a, s, err), (b, _, _) = run(LATTICE, *flags), run(LATTICE, *flags)
    need(s["missed"] == s["piles"] == 3 and not s["tolerance_reached"], f"{s}"[:400])
    need("3 of them went on with the best answer" in err and 0 < s["closing"] < 0.1, err)
    need(s["energy"]["gain"] <= 0 and a == b, f"gain {s['energy']['gain']}")
    with tempfile.TemporaryDirectory() as tmp:
        path = pathlib.Path(tmp)/"lattice.nsm"
        path.write_text(LATTICE)
        for more in (["--strict"], ["--accept", "1e-4"]):
            ran = nsm("run", path, *flags, *more, "-o", "/dev/null").expect(3)
            need("billion operations (--solve-budget)" in ran.err, ran.err)


FALLING = """model Scene {
  gravity [0, 0, -9.81] [m/s^2];
  body floor { fixed, shape = halfspace }
  body part[i in 1:6] {
    shape = box([0.09, 0.09, 0.09] [m]), density = 1000, attitude = rotation([sin(3*i), cos(5*i), sin(7*i) + 0.1],
    0.3*sin(11*i)), position = [5e-4*sin(12.9898*i), 5e-4*sin(78.233*i), 0.1 + 0.16*(i - 1)]
  }
  contact ground { between = part, floor; with newton(0), coulomb(0.5); }
  contact pile { among = part; with newton(0), coulomb(0.5); }
  simulate { until = 0.5 [s], step = 2 [ms], scheme = moreau }
}
"""


def warm(most):
    """Few contacts at 1e-12: the problem of a step begins with the forces of the last, not from afar."""
    _, s, err = run(FALLING)
    need(s["solver_iterations"] <= most and s["max_residual"] <= 1e-12, f"{s['solver_iterations']} iterations: {err}")
    return f"{s['solver_iterations']} iterations"


# A ball goes through a wall of bricks in bond.
WALL = """model Wall {
  param rows = 8, cols = 6, L = 0.2 [m], H = 0.1 [m], W = 0.1 [m];
  gravity [0, 0, -9.81] [m/s^2];
  body floor { fixed, shape = halfspace }
  body brick[k in 1:rows, c in 1:cols] {
    shape = box([L, W, H]), mass = 3 [kg],
    position = [(c - 1)*(L + 1 [mm]) + (k - 2*floor(k/2))*L/2, 0, (k - 0.5)*H]
  }
  body ball {
    shape = sphere(0.15 [m]), mass = 20 [kg], position = [0.55, -1, 0.5] [m], velocity = [0, 6, 1.5] [m/s]
  }
  contact ground { between = brick, floor; with newton(0), coulomb(0.6); }
  contact wall { among = brick; with newton(0), coulomb(0.6); }
  contact strike { between = ball, brick; with newton(0.2), coulomb(0.3); }
  contact bounce { between = ball, floor; with newton(0.5), coulomb(0.3); }
  simulate { until = 0.145 [s], step = 2 [ms], scheme = moreau }
}
"""


def wall_of_bricks(most):
    """160 contacts that contradict each other by 1e-12: the loop creeps until the verifier takes its answer, and no way
    is gone twice."""
    _, s, err = run(WALL)
    need(s["status"] == "ok" and s["solver_iterations"] <= most, f"{s['solver_iterations']} iterations: {err}")
    return f"{s['solver_iterations']} iterations"


FIVE, TEN = ("model Scene {\n" + scenes.stack(n, 0.5).replace("LAWS", scenes.LAWS[1]) + "\n}\n" for n in (5, 10))
CASES = [("friction that no solver settles", unsettled), ("a rod strikes without a gain", softened),
         ("boxes at rest on each other", rests, FIVE, 30), ("ten boxes at rest", rests, TEN, 30),
         ("planar rectangles at rest on each other", rests, RECTANGLES, 60),
         ("what rests goes on resting, consistent", goes_on_resting, "consistent"),
         ("what rests goes on resting, moreau", goes_on_resting, "moreau"),
         ("boxes that fall on each other, from the forces of the last step", warm, 3000),
         ("a ball through a wall of bricks", wall_of_bricks, 12000),
         ("large piles have a tolerance of their own", large_piles),
         ("a large pile goes on with the best answer", goes_on)]
CASES += [(f"pile: {name}, {scenes.LAWS[law]}", falls, name, law, until, worst, frozen)
         for name, law, until, worst, frozen in (
             ("spheres 10", 0, 0.5, 1e-10, False), ("boxes 8", 1, 0.4, 1e-10, True),
             ("cylinders 8", 0, 0.4, 1e-9, True), ("rectangles 12", 0, 0.5, 1e-10, True),
             ("polyhedra 12", 0, 0.3, 1e-10, True), ("card house falls", -1, 0.3, 1e-9, True))]
CASES += [(f"dome of blocks falls, friction {mu}", dome_falls, mu) for mu in (0, 0.05)]
