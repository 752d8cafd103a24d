#!/usr/bin/python3
"""Imported netlists against ngspice: `compare.py [netlist...]` prints for each node the largest and the mean square
difference over the range of its voltage, diodes by Shockley's equation on both sides, ngspice at reltol 1e-6."""
import bisect
import csv
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NSM = os.environ.get("NSM", str(HERE.parents[2] / "build/release/nsm"))
# Nodes that are compared: not those that jump with a switch, where a shift of a nanosecond is the whole range.
NODES = {"amplifier": "c out y3", "boost": "out", "bridge": "p n out", "buck": "out", "classd": "sig out",
         "cockcroft": "a b c d",
         "flyback": "out", "globals": "q w", "temperature": "b c d", "windings": "p1 s1 s2",
         "halfwave": "out", "lines": "a b e f g h p z", "multivibrator": "c1 b1", "rlc": "a out",
         "threephase": "p n out", "thyristor": "out", "wien": "out p", "zener": "b c"}

# The largest step of ngspice where that of the netlist is too long for it: the edges of the multivibrator take 1 ns,
# and at 20 ns ngspice is off by 1.1e-2 of the range from ngspice at 1 ns.
FINE = {"multivibrator": "1n"}


def ngspice(path, nodes, folder):
    text = re.sub(r"^\.end\s*$", "", path.read_text(), flags=re.M)
    if path.stem in FINE:
        text = re.sub(r"^(\.tran \S+ \S+ \S+) \S+", rf"\1 {FINE[path.stem]}", text, flags=re.M)
    probes = " ".join(f"v({n})" for n in nodes)
    text += f""".options reltol=1e-6 abstol=1e-13 vntol=1e-9 chgtol=1e-17 method=trap
.control
run
set wr_singlescale
set numdgt=12
wrdata {folder}/ng.txt {probes}
.endc
.end
"""
    (folder / "ng.cir").write_text(text)
    subprocess.run(["ngspice", "-b", folder / "ng.cir"], capture_output=True, timeout=600)
    return [[float(x) for x in line.split()] for line in (folder / "ng.txt").read_text().splitlines()]


def imported(path, folder, *flags):
    """The rows of the imported model, and its names."""
    for argv in ([NSM, "import", path, "-o", folder / "m.nsm", "--quiet", *flags],
                 [NSM, "run", folder / "m.nsm", "--quiet", "-o", folder / "m.csv"]):
        ran = subprocess.run(argv, capture_output=True, text=True)
        if ran.returncode:
            raise RuntimeError(ran.stderr)
    rows = list(csv.reader((folder / "m.csv").read_text().splitlines()))
    return rows[0], [[float(x) for x in row] for row in rows[1:]]


def differences(path, nodes):
    """{node: (largest, root of the mean square)} of the differences, relative to the range of the node."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        names, rows = imported(path, folder, "--diode", "exponential")
        other = ngspice(path, nodes, folder)
    times, out = [row[0] for row in other], {}
    for k, node in enumerate(nodes, 1):
        column = names.index(node if node in names else node + "_")
        values = [row[k] for row in other]
        size, largest, sum2 = max(values) - min(values), 0.0, 0.0
        for row in rows[5:]:
            i = min(max(bisect.bisect(times, row[0]), 1), len(times) - 1)
            part = (row[0] - times[i - 1]) / (times[i] - times[i - 1]) if times[i] > times[i - 1] else 0
            d = abs(values[i - 1] + (values[i] - values[i - 1]) * part - row[column]) / size
            largest, sum2 = max(largest, d), sum2 + d * d
        out[node] = (largest, math.sqrt(sum2 / len(rows)))
    return out


if __name__ == "__main__":
    for path in [pathlib.Path(p) for p in sys.argv[1:]] or sorted(HERE.glob("*.cir")):
        try:
            found = differences(path, NODES[path.stem].split())
            print(path.stem, ", ".join(f"{n} {a:.1e} ({b:.1e})" for n, (a, b) in found.items()), flush=True)
        except RuntimeError as e:
            print(path.stem, e, flush=True)
