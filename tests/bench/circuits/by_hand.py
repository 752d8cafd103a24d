#!/usr/bin/env python3
"""Circuits by nodes against the same circuits with the nodes eliminated by hand (by_hand/*.nsm).

by_hand.py NSM [repetitions]: prints for each how far the results are apart, relative to the largest value (bar 1e-12),
and the ratio of the times of a step, least of the repetitions (bar 1.3). Exit 1 where a bar is missed."""
import csv
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent / "by_hand"
BAR, SLOWER = 1e-12, 1.3
STAGES = range(1, 51)
CIRCUITS = {                                     # columns of the one by nodes and of the one by hand
    "bridge": [("coil", [("L1.i", "i"), ("C1.u", "u")])],
    "buck": [("coil", [("coil.i", "i"), ("c.u", "u")])],
    "multiplier": [("nodes", [(f"B[{i}]", f"B[{i}]") for i in STAGES])],
}


def table(nsm, path, flags=()):
    r = subprocess.run([str(nsm), "run", str(path), "--quiet", *flags], capture_output=True, text=True)
    if r.returncode:
        raise RuntimeError(r.stderr)
    rows = list(csv.reader(io.StringIO(r.stdout)))
    return {name: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0])}


def difference(nsm, name, folder):
    """The largest difference of a group of columns, relative to its largest value; from the first step on."""
    ours, theirs = (table(nsm, HERE / f"{name}_{kind}.nsm") for kind in ("nodes", "hand"))
    worst = 0.0
    for _, columns in CIRCUITS[name]:
        for a, b in columns:
            x, y = ours[a][1:], theirs[b][1:]
            largest = max(max(map(abs, theirs[c][1:])) for _, c in columns if c == b or name == "multiplier")
            worst = max(worst, max(abs(p - q) for p, q in zip(x, y)) / largest)
            assert len(x) == len(y) > 100 and largest > 0
    return worst


def time_of(nsm, path, jit):
    r = subprocess.run([str(nsm), "run", str(path), "--bench", "5", "--jit", jit], capture_output=True, text=True)
    return float(re.search(r"([\d.e+]+) ns per step", r.stdout + r.stderr).group(1))


def main():
    nsm, repetitions = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    missed = 0
    print("circuit      apart (bar %g)   jit    nodes [ns]    hand [ns]   ratio (bar %g)" % (BAR, SLOWER))
    with tempfile.TemporaryDirectory() as folder:
        for name in CIRCUITS:
            apart = difference(nsm, name, pathlib.Path(folder))
            for jit in ("tcc", "cc"):
                nodes, hand = [], []
                for _ in range(repetitions):
                    nodes.append(time_of(nsm, HERE / f"{name}_nodes.nsm", jit))
                    hand.append(time_of(nsm, HERE / f"{name}_hand.nsm", jit))
                ratio = min(nodes) / min(hand)
                missed += apart > BAR or ratio > SLOWER
                print("%-12s %-16.2g %-4s %12.4g %12.4g   %.2f" % (name, apart, jit, min(nodes), min(hand), ratio))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
