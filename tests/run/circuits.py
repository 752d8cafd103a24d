"""Circuits by nodes: random linear netlists against nodal analysis (tests/bench/circuits/netlists.py has 2000), and a
bridge and a multiplier against the same circuits with the nodes eliminated by hand."""
import pathlib
import random
import sys
import tempfile

from suite import NSM, ROOT, need

sys.path.insert(0, str(ROOT / "tests/bench/circuits"))
import netlists
import by_hand


def random_netlists():
    with tempfile.TemporaryDirectory() as folder:
        for i in range(40):
            rng = random.Random(4711 + i)
            n, parts = netlists.netlist(rng, 12 if i < 34 else 60)
            error, why = netlists.error_of(NSM, n, parts, folder)
            need(error <= netlists.BAR, f"netlist {i}: {n} nodes, error {error:.3g} {why}")


def eliminated_by_hand(name):
    with tempfile.TemporaryDirectory() as folder:
        apart = by_hand.difference(NSM, name, pathlib.Path(folder))
        need(apart <= by_hand.BAR, f"{name}: {apart:.3g} apart")


CASES = [("random netlists", random_netlists)] + [
    (f"{name} by nodes and by hand", eliminated_by_hand, name) for name in by_hand.CIRCUITS]
