"""Many runs of a model, side by side in threads: C does the work, so that they fill the processors."""
import concurrent.futures
import html
import itertools
import math
import os
import re
from typing import Any, Dict, Iterator, List, Mapping

from . import _arrays
from ._errors import Error, UsageError, in_si
from ._settings import SETTINGS, mapping, meant, whole

# As in runtime/record/statistics.c, from all rows of a run.
_MEASURE = re.compile(r"\s*(?:(final|initial|min|max|mean|drift|gain)\(\s*(.*?)\s*\)"
                      r"|at\(\s*(.*),\s*([^,]*?)\s*\)|(.*?))\s*$")


def _at(t, y, time):
    for k in range(1, len(t)):
        h = t[k] - t[k - 1]
        if t[k] >= time - 1e-9 * h:
            f = (time - t[k - 1]) / h
            return float(y[k] if f >= 1 - 1e-9 else y[k - 1] + f * (y[k] - y[k - 1])) if time >= t[0] else math.nan
    return math.nan


def _mean(t, y):
    if len(t) < 2:
        return float(y[0])
    area = 0.0
    for part in map(lambda a, b, s, e: 0.5 * (a + b) * (e - s), y, y[1:], t, t[1:]):
        area += part
    return area / (t[-1] - t[0])


def _extreme(pick, y):
    return math.nan if any(x != x for x in y) else pick(y)


_OF = {
    "final": lambda t, y: y[-1],
    "initial": lambda t, y: y[0],
    "min": lambda t, y: _extreme(min, y),
    "max": lambda t, y: _extreme(max, y),
    "mean": _mean,
    "drift": lambda t, y: _extreme(max, [abs(x - y[0]) for x in y]),
    "gain": lambda t, y: _extreme(max, [0.0, *map(lambda a, b: b - a, y, y[1:])]),
}


def _measure(text):
    """(column, whether every step counts, function of a Result) of "max(z)"."""
    found = _MEASURE.fullmatch(text)
    if not found:
        raise UsageError(f"{text!r} is no measure, such as \"final(x)\"")
    kind, inside, column, time, bare = found.groups()
    if column is not None:
        try:
            when = float(time)
        except ValueError:
            raise UsageError(f"{text}: `at` takes a column and a time in seconds: at(x, 2.5)") from None
        return column, True, lambda r: _at(r.time.tolist(), r[column].tolist(), when)
    word = bare.split("(")[0].strip() if bare and bare.rstrip().endswith(")") else ""
    if word.isidentifier():
        raise UsageError(f"{text}: no measure is called `{word}`{meant(word, [*_OF, 'at'])}")
    name, f = inside or bare, _OF[kind or "final"]
    return name, kind not in (None, "final", "initial"), lambda r: f(r.time.tolist(), r[name].tolist())


class Sweep(Mapping[str, Any]):
    """Columns by name: the parameters, then the measures, one value for each run. errors: {number of a run: what went
    wrong}."""

    def __init__(self, names: List[str], rows: List[List[float]], errors: Dict[int, Error]) -> None:
        self.names, self.errors, self._rows = names, errors, rows

    def __getitem__(self, name: str) -> Any:
        i = self.names.index(name) if name in self.names else None
        if i is None:
            raise KeyError(name)
        return _arrays.vector([row[i] for row in self._rows])

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def nrow(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"<nsm.Sweep: {self.nrow} runs, {len(self.errors)} failed; {', '.join(self.names)}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.names)
        body = "".join("<tr>" + "".join(f"<td>{x:g}</td>" for x in row) + "</tr>" for row in self._rows[:20])
        return f"{self.nrow} runs<table><tr>{head}</tr>{body}</table>"


def sweep(model: Any, measure: Any, vary: Any, threads: Any, set: Any, values: Dict[str, Any]) -> Sweep:
    grid, set = mapping("vary", vary), mapping("set", set)
    whole("threads", threads, 1)
    for word in ("every", "record", "ledger"):
        if word in values:
            raise UsageError(f"a sweep takes no `{word}`: it keeps one row of each run")
    for name in list(values):
        several = name not in SETTINGS and not isinstance(values[name], (int, float, str, dict, type(None)))
        if name not in model.parameters and name not in SETTINGS:
            what = "parameter" if several else "parameter or setting"
            raise UsageError(f"there is no {what} `{name}`{meant(name, [*model.parameters, *SETTINGS])}")
        if name in model.parameters and several:
            grid[name] = values.pop(name)
    if not grid:
        raise UsageError("nothing varies: vary={\"e\": [0.1, 0.5]}, or e=[0.1, 0.5]")
    for name, points in grid.items():
        grid[name] = list(points) if hasattr(points, "__iter__") and not isinstance(points, str) else []
        if not grid[name]:
            raise UsageError(f"{name} = {points!r}: it is a list of values")
    if isinstance(measure, str):
        measure = [measure]
    good = isinstance(measure, dict) and all(map(callable, measure.values())) or \
        isinstance(measure, (list, tuple)) and all(isinstance(m, str) for m in measure)
    if not good or not measure:
        raise UsageError(f"measure = {measure!r}: it is a list of texts such as \"final(x)\", or {{name: function}}")
    by_name = {} if isinstance(measure, dict) else {m: _measure(m) for m in measure}
    functions = measure if isinstance(measure, dict) else {m: f for m, (_, _, f) in by_name.items()}
    record = None if isinstance(measure, dict) else [column for column, _, _ in by_name.values()]
    every = 1 if isinstance(measure, dict) or any(all_of_them for _, all_of_them, _ in by_name.values()) else 2**62
    units = {name: p.unit for name, p in model.parameters.items()}
    points = list(itertools.product(*([in_si(name, value, units.get(name)) for value in grid[name]] for name in grid)))

    def one(point):
        try:
            r = model.run(every=every, record=record, set={**set, **dict(zip(grid, point))}, **values)
            return [*point, *(float(f(r)) for f in functions.values())], None
        except UsageError:
            raise
        except Error as e:
            return [*point, *(math.nan for _ in functions)], e

    with concurrent.futures.ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        done = list(pool.map(one, points))
    return Sweep([*grid, *functions], [row for row, _ in done], {i: e for i, (_, e) in enumerate(done) if e})
