"""Model.fit: parameters and initial values that fit data; docs/answers.md, 5, says how."""
import csv
import ctypes
import json
import os
import tempfile
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._analysis import Asked
from ._errors import UsageError, in_si, run_error
from ._library import C, byref, c_char_p
from ._settings import mapping, probe, settings_of

if TYPE_CHECKING:
    from ._model import Model
    from ._result import Result

Names = Union[str, Sequence[str]]


class Fit:
    """What a fit has found, in SI: values and sd by name, covariance [i][j] in the order of `values`; rss, points,
    starts and profile as in the JSON of `nsm fit` (json)."""

    def __init__(self, model: "Model", found: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        self.json, self._model, self._settings = found, model, settings
        unit = found["unit"]
        self.scale: Dict[str, float] = {name: in_si(name, f"1 {of}", None) if of else 1.0 for name, of in unit.items()}
        names = list(self.scale)
        self.values: Dict[str, float] = {name: found["values"][name] * self.scale[name] for name in names}
        self.sd: Dict[str, float] = {name: self._number(found["sd"][name]) * self.scale[name] for name in names}
        self.covariance: List[List[float]] = [
            [self._number(x) * self.scale[a] * self.scale[b] for b, x in zip(names, row)]
            for a, row in zip(names, found["covariance"])]
        self.rss: float = found["rss"]
        self.points: int = found["points"]
        self.freedom: int = found["freedom"]

    @staticmethod
    def _number(x: Optional[float]) -> float:
        return float("nan") if x is None else x

    def interval(self, level: float = 0.95) -> Dict[str, Tuple[float, float]]:
        """By name: value -+ t sd, t of Student's distribution; NaN of what is held at a bound."""
        if not 0 < level < 1:
            raise UsageError(f"level = {level!r}: it lies between 0 and 1")
        t = C.nsm_student_quantile(level, self.freedom)
        return {name: (x - t * self.sd[name], x + t * self.sd[name]) for name, x in self.values.items()}

    def run(self, **values: Any) -> "Result":
        """The model with what was found; values as in Model.run. What each file has of its own is left out."""
        names = {name: x for name, x in self.values.items() if name not in self.json["own"]}
        own = {name[:-3] if name.endswith("(0)") else name: x for name, x in names.items()}
        given = {**self._settings, **values}
        return self._model.run(set={**own, **mapping("set", given.pop("set", None))}, **given)

    def __repr__(self) -> str:
        found = ", ".join(f"{name} = {x:.6g} +- {self.sd[name]:.2g}" for name, x in self.values.items())
        return f"<nsm.Fit {found}>"


def _bound(unit: str, x: Any) -> str:
    """A number in SI, or text, as the command takes it."""
    if isinstance(x, str) or not unit:
        return str(x) if isinstance(x, str) else repr(float(x))
    return f"{float(x) / in_si('a unit', f'1 {unit}', None)!r} {unit}"


def _unit(model: "Model", name: str) -> str:
    unit = model.unit(name[:-3] if name.endswith("(0)") else name)
    return "" if unit == "1" else unit


def _vary(model: "Model", vary: Any) -> List[str]:
    """{name: (low, high), (low, high, start), "log(1, 1e4)" or None}, or names alone."""
    if isinstance(vary, str):
        return [vary]
    if not isinstance(vary, Mapping):
        return [str(name) for name in vary]
    words = []
    for name, of in vary.items():
        if of is None or isinstance(of, str):
            words.append(name if of is None else f"{name}={of}")
            continue
        ends = tuple(of)
        if len(ends) not in (2, 3):
            raise UsageError(f"vary[{name!r}] = {of!r}: it is (low, high), (low, high, start), text or None")
        unit = _unit(model, name)
        words.append(f"{name}={_bound(unit, ends[0])}:{_bound(unit, ends[1])}" +
                     (f" from {_bound(unit, ends[2])}" if len(ends) == 3 else ""))
    return words


def _prior(model: "Model", name: str, mean: Any, sd: Any) -> str:
    unit = _unit(model, name)
    return f"{name} ~ normal({_bound(unit, mean)}, {_bound(unit, sd)})"


def _files(data: Any, folder: str) -> List[str]:
    """Paths; columns by name, as a dictionary or a frame, are written to a file."""
    if data is None:
        return []
    if isinstance(data, (str, os.PathLike)):
        return [os.fspath(data)]
    if isinstance(data, (list, tuple)):
        return [path for i, one in enumerate(data) for path in _files(one, f"{folder}{i}_")]
    try:
        columns = {str(name): list(data[name]) for name in data}
    except (TypeError, KeyError):
        raise UsageError(f"data = {data!r}: it is a file, columns by name with `time`, or a list of these") from None
    if "time" not in columns or len({len(x) for x in columns.values()}) != 1:
        raise UsageError("data: its columns have one length, and one of them is `time`")
    names = ["time", *(name for name in columns if name != "time")]
    path = folder + ".csv"
    with open(path, "w", newline="") as f:
        rows = csv.writer(f)
        rows.writerow(names)
        rows.writerows([repr(float(x)) for x in row] for row in zip(*(columns[name] for name in names)))
    return [path]


def _list(of: Optional[Names]) -> List[str]:
    return [] if of is None else [of] if isinstance(of, str) else list(of)


def _flags(model: "Model", folder: str, asked: Mapping[str, Any]) -> List[str]:
    match, prior = asked["match"], asked["prior"]
    named = {
        "data": _files(asked["data"], os.path.join(folder, "data")),
        "match": [f"{a} ~ {b}" for a, b in match.items()] if isinstance(match, Mapping) else _list(match),
        "vary": _vary(model, asked["vary"]) if asked["vary"] is not None else [],
        "each": _list(asked["each"]), "profile": _list(asked["profile"]),
        "prior": [_prior(model, a, *of) for a, of in prior.items()] if isinstance(prior, Mapping) else _list(prior)}
    flags = [f"--{name}={word}" for name, words in named.items() for word in words]
    return flags + [f"--{name}={asked[name]}" for name in ("loss", "starts", "seed", "threads")
                    if asked[name] is not None]


def fit(model: "Model", asked: Mapping[str, Any], set: Optional[Mapping[str, Any]], values: Mapping[str, Any]) -> Fit:
    run = Asked(model)
    settings = settings_of(model, mapping("set", set), dict(values), lambda s: probe(run, s))
    with tempfile.TemporaryDirectory() as folder:
        flags = _flags(model, folder, asked)
        words = (c_char_p * len(flags))(*(os.fsencode(word) for word in flags))
        at = C.nsm_fit(model._program.at, byref(settings), words, len(flags), run._error_at)
    if not at:
        raise run_error(model._program.at, run._error)
    try:
        text = ctypes.string_at(at).decode(errors="surrogateescape")
    finally:
        C.nsm_analysis_free(at)
    return Fit(model, json.loads(text), {**values, "set": mapping("set", set)})
