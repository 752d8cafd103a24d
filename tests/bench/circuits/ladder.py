#!/usr/bin/python3
"""A ladder of resistors and capacitors as a family: time a stage and step. Bar: 2 us with 10^4 stages.

    tests/bench/circuits/ladder.py [nsm]
"""
import json
import pathlib
import subprocess
import sys
import tempfile

BAR = 2.0                                                  # us
MODEL = """import "std/circuit.nsm";
model Ladder {
  param n = %d;
  node v[n] : V, gnd : V = 0, src : V;
  VoltageSource s(a = src, b = gnd, V = 1 [V]);
  Resistor first(a = src, b = v[1], R = 100 [ohm]);
  Resistor r[i in 1:n-1](a = v[i], b = v[i+1], R = 100 [ohm]);
  Capacitor c[i in 1:n](a = v[i], b = gnd, C = 100 [nF]);
  simulate { until = 1 [ms], step = 10 [us], scheme = moreau(theta = 1) }
}
"""


def stage_us(nsm, stages, jit="tcc", runs=3):
    with tempfile.TemporaryDirectory() as folder:
        model, summary = pathlib.Path(folder, "ladder.nsm"), pathlib.Path(folder, "summary.json")
        model.write_text(MODEL % stages)
        subprocess.run([nsm, "run", model, f"--jit={jit}", "--bench", str(runs), "--quiet", "--summary", summary],
                       check=True)
        return json.loads(summary.read_text())["step_ns"]/1000/stages


if __name__ == "__main__":
    nsm = sys.argv[1] if len(sys.argv) > 1 else "build/release/nsm"
    for stages in (100, 1000, 10000):
        print(f"{stages:6d} stages: {stage_us(nsm, stages):.3f} us a stage and step (bar {BAR} with 10000)")
