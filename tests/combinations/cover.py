"""Which cells `./check` takes: few, with all triples of what runs.

Taken are all cells without a feature, which are all (scheme, law, kind). Of those with a feature that run, so many that
each (scheme, law, feature), (scheme, kind, feature) and (law, kind, feature) that runs at all is there. Of those that a
rule refuses, so many that each scheme, law and kind of the rule is there with each feature. So what goes wrong where
two or three things meet is seen; what takes four at once is seen by `--all` alone."""


def meetings(cell, rule):
    """What a cell with a feature shows."""
    parts = {"scheme": cell.scheme_name, "law": cell.law, "kind": cell.kind}
    for name, part in parts.items():
        shown = [(id(rule), name, part)] if rule else [tuple(kv for kv in parts.items() if kv[0] != name)]
        yield from ((cell.feature, *what) for what in shown)


def covering(cells):
    """Of [(cell, rule)] those that are taken: first what shows three new things, then two, one."""
    taken = {cell for cell, rule in cells if cell.feature == "plain" or rule and rule.code == "?"}
    seen = set()
    for new in (3, 2, 1):
        for cell, rule in cells:
            if cell not in taken and len(more := set(meetings(cell, rule)) - seen) == new:
                taken.add(cell)
                seen |= more
    return taken
