#!/usr/bin/env python3
"""Bodies: bars of docs/numerics/bodies.md, section 5, and what is measured here; times a step, and their growth.

Usage: tests/bench/bodies.py. NSM is the program (default build/release/nsm). Times are the least of five runs.
"""
import json
import math
import pathlib
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(here/"lib"), str(here/"run")]
import bodies                                                       # noqa: E402
from claims import run                                              # noqa: E402
from suite import ROOT, nsm                                            # noqa: E402


def line(what, bar, measured):
    print(f"{what:58} {bar:>22} {measured:>12}")


def step_ns(text):
    best = math.inf
    with tempfile.TemporaryDirectory() as name:
        model, summary = pathlib.Path(name)/"m.nsm", pathlib.Path(name)/"s.json"
        model.write_text(text)
        for _ in range(5):
            nsm("run", model, "--bench", "1", "--summary", summary).expect(0)
            best = min(best, json.loads(summary.read_text())["step_ns"])
    return best


def conservation():
    speed = math.hypot(*bodies.SPIN)
    c, _, _ = run(bodies.FREE.format(*bodies.SPIN, 10**4*0.4/speed, 0.4/speed, "consistent"))
    size = math.hypot(*(j*w for j, w in zip(bodies.J, bodies.SPIN)))
    off = max(abs(x - c["E"][0]) for x in c["E"])/c["E"][0]
    line("free top, 10^4 steps of h|w| = 0.4: |dE|/E", "1e-13", f"{off:.1e}")
    line("  |dL|/|L| in the world", "1e-13", f"{bodies.max_off(c, ('Lx', 'Ly', 'Lz'), size):.1e}")
    line("  |p| - 1", "1e-14", f"{max(abs(x) for x in c['off']):.1e}")


def tippe():
    text = (ROOT/"models/tippe_top.nsm").read_text()
    c, _, _ = run(text, "--step", "1e-3", "--until", "1.5")
    line("tippe top at 1 ms: 90 degrees", "0.97294 +- 1.5e-3", f"{bodies.passes(c, 'inclination', 90):.6f}")
    c, _, _ = run(text, "--step", "1e-5", "--until", "1.45", "--every", "2")
    for degrees, t in ((45, "0.59887"), (90, "0.97294"), (150, "1.4364")):
        line(f"  at 10 us: {degrees} degrees", f"{t} +- 5e-5", f"{bodies.passes(c, 'inclination', degrees):.6f}")


def times():
    free = bodies.FREE.format(*bodies.SPIN, 10, 1e-3, "consistent")
    line("free top, consistent, ns a step", "", f"{step_ns(free):.0f}")
    chain = (ROOT/"models/chain_of_bodies.nsm").read_text()
    chain = "\n".join(x for x in chain.splitlines() if "expect" not in x).replace("until = 1 [s]", "until = 0.2 [s]")
    before = None
    for n in (5, 10, 20, 40):
        ns = step_ns(chain.replace("n = 5", f"n = {n}"))
        growth = f"n^{math.log2(ns/before):.2f}" if before else ""
        line(f"chain of {n} rods on ball joints, us a step", "O(n)" if before else "", f"{ns/1000:.0f} {growth}")
        before = ns


conservation()
tippe()
times()
