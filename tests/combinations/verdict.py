"""Runs a cell and compares it with what it must do."""
import math

import nsm
from cells import SET, build, expected
from laws import LAWS
from parts import STEP, UNTIL

REST, TIED, BUDGET = 1e-12, 1e-9, 1
SEEN = 0.1          # s: after the first impact, before what bounces has come to rest


def verdict(cell, inputs):
    """("refused", codes with a place), ("runs", ""), ("wrong", why), or ("meaningless", ""): it has no model."""
    text, host = build(cell)
    if text is None:
        return "meaningless", ""
    try:
        model = nsm.loads(text)
    except nsm.ModelError as e:
        return "refused", " ".join(dict.fromkeys(d.code for d in e.diagnostics if d.severity == "error" and d.line > 0))
    try:
        given = {"inputs": inputs if cell.feature == "input" else {}, "solve_budget": BUDGET,
                 "set": SET.get(cell.feature, {})}
        r = model.run(**given)
        others = {single: gone_on(model, len(r.time), given, single) for single in ways(cell)}
    except nsm.Error as e:
        return "wrong", f"exit {e.exit_code}: {str(e).splitlines()[0]}"
    why = [*checked(cell, host, r)]
    for single, (ends, residue) in others.items():
        why += [*same(r, ends, single), *(energy(cell, residue) if single else ())]
    return ("wrong", "; ".join(why)) if why else ("runs", "")


def ways(cell):
    """How the cell runs once more, copied in its middle: by single steps with the ledger (True), where that says more,
    or as before (False)."""
    if cell.feature in ("plain", "family"):
        return True, False
    fused_at_events = cell.feature in ("every", "input") and cell.scheme in ("moreau", "midpoint")
    return [cell.scheme.startswith("consistent") or fused_at_events]


def gone_on(model, rows, given, single):
    """What a run ends with that was copied in its middle and goes on by the copy: places and velocities, and what the
    ledger misses."""
    with model.simulate(step_by_step=single, **given) as sim:
        if single:
            sim.keep_ledger()
        sim.advance(rows // 2)
        with sim.clone() as other:
            other.advance(rows)
            return {c: float(other[c]) for c in other.columns if c[0] in "PV"}, other.energy.residue


def last(r, name):
    return float(r[name][-1])


def at(r, name, time):
    return float(r[name][min(range(len(r.time)), key=lambda i: abs(r.time[i] - time))])


def bound(cell):
    """How far places may be from the closed form; velocities ten times that, and more where there are impacts."""
    if cell.feature == "compliant" and LAWS[cell.law].group == "impact" and "consistent" not in cell.scheme:
        return 4e-2 if cell.scheme == "schatzman_paoli" else 2e-2                  # its error is twice that of moreau
    return 1e-2 if LAWS[cell.law].group == "impact" and not LAWS[cell.law].rests else 3e-3


def checked(cell, host, r):
    law = LAWS[cell.law]
    if abs(float(r.time[-1]) - UNTIL) > 1e-12:
        yield f"ends at {float(r.time[-1])}"
    if r.counters.unsettled or r.counters.accepted or r.counters.stagnations:
        yield f"unsettled {r.counters.unsettled}, accepted {r.counters.accepted}, stagnations {r.counters.stagnations}"
    if cell.feature == "asked":
        first, second = (last(r, f"V{law.directions[0]}[{i}]") for i in (1, 2))
        if last(r, "READ") != second - first:
            yield f"READ is {last(r, 'READ')}, not {second - first}"
    for member in range(2 if cell.family else 1):
        index = f"[{member + 1}]" if cell.family else ""
        if host.miss and not max(abs(x) for x in r["MISS" + index]) <= TIED:
            yield f"constraints apart by {max(abs(x) for x in r['MISS' + index]):.2g}"
        want = expected(cell, host, member)
        for d in law.directions:
            place, rate = want[d]
            if "P" + d + index in r.names:
                off = abs(last(r, "P" + d + index) - place)
                if not off <= bound(cell):
                    yield f"place {d}{index} is off by {off:.2g} (is {last(r, 'P' + d + index):.6g})"
            if law.group == "impact" and "P" + d + index in r.names:
                off = abs(at(r, "P" + d + index, SEEN) - expected(cell, host, member, SEEN)[d][0])
                if not off <= bound(cell):
                    yield f"place {d}{index} is off by {off:.2g} at {SEEN} s"
            v = last(r, "V" + d + index)
            at_rest = rests(cell, law) and rate == 0
            if at_rest and not abs(v) <= REST:
                yield f"{d}{index} has {v:.2g} where it rests"
            if not at_rest and not abs(v - rate) <= 10*bound(cell):
                yield f"velocity {d}{index} is off by {abs(v - rate):.2g} (is {v:.6g})"


def rests(cell, law):
    return law.rests and cell.feature != "compliant" and law.cone != "sampled"


def same(r, ends, single):
    """A run goes on from its copy as it does at once, and gives the same by whole steps and by single ones."""
    for name, value in ends.items():
        if not abs(last(r, name) - value) <= (1e-9 if single else 1e-12)*(1 + abs(value)):
            yield f"{name}: {last(r, name):.17g}, {value:.17g} by a copy" + " and single steps"*single


def energy(cell, residue):
    """The ledger of the energy-consistent schemes closes to round-off."""
    if cell.scheme.startswith("consistent") and not math.isnan(residue):
        if not abs(residue) <= 1e-11:
            yield f"the ledger misses {residue:.2g} J"
