"""Cells in a sweep by LLVM, whose fused steps go together in the lanes of vectors (docs/numerics/whole-steps.md, 4a):
rows of five values of a load or of the places at the begin have the bytes of libtcc, which takes runs one by one."""
import pathlib
import re
import tempfile

from cells import build
from suite import need, nsm

FUSED = [f"{scheme}, {law}, {kind}, {feature}" for scheme, law, kind, feature in (
    ("moreau", "newton", "coordinates", "every"), ("moreau", "coulomb", "coordinates", "family"),
    ("moreau located", "elastic", "coordinates", "every"), ("moreau located", "coulomb", "coordinates", "wall"),
    ("midpoint", "newton", "coordinates", "plain"), ("midpoint", "inelastic", "constraints", "family"),
    ("consistent", "newton", "coordinates", "branches"), ("consistent located", "newton", "coordinates", "walls"),
    ("moreau", "relation", "first order", "plain"), ("moreau located", "relation", "coils", "every"))]


def swept(text):
    text = re.sub(r"\{\n", "{\n  param zz = 1;\n", text, count=1)
    other, n = re.subn(r"potential 10\*", "potential 10*zz*", text, count=1)
    return other if n else re.sub(r"(coord|state) (\w+) = ([-0-9.e]+)", r"\1 \2 = \3*zz", text)


def runs_go_together(cells):
    """Of the cells above those that have fused steps, with their places at the end and the largest on the way."""
    fused = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "cell.nsm"
        for cell in (c for c in cells if str(c) in FUSED):
            text, _ = build(cell)
            if text is None:
                continue
            path.write_text(swept(text))
            fused += "whole_step" in nsm("emit", path).expect(0).out
            kept = ",".join(f"final({x}),max({x})" for x in re.findall(r"output (\w+) =", text)[:4])
            rows = [nsm("sweep", path, "--vary", "zz=0.5:1.5:5", "--jit", jit, "--quiet", "--record", kept)
                    for jit in ("tcc", "llvm")]
            need(rows[0].code == rows[1].code and rows[0].out == rows[1].out, f"{cell}: {rows[0].out} {rows[1].out}")
    need(fused >= 5, f"{fused} cells have fused steps")
