"""Settings of a run by name: what each may be, and nsm_settings of them. UsageError: what it may not be."""
import ctypes
import difflib
import math
import operator
import os
import re
from collections.abc import Mapping as AnyMapping
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

from ._errors import UsageError, in_si, run_error
from ._library import C, Input, RunErrorText, Settings, assignments, byref

Value = Union[float, str]                                   # a number in SI, or text with a unit
# An input over time: a file, one number, values at all steps, points, or a function of time.
InputValue = Union[str, "os.PathLike[str]", float, Sequence[float], Tuple[Sequence[float], Sequence[float]],
                   Tuple[Sequence[float], Sequence[float], str], Callable[[float], float]]

NUMBERS = ("until", "step", "start", "theta", "gamma", "tolerance", "accept", "solve_budget", "rtol", "atol")
TIMES = ("until", "step", "start")
FLAGS = ("project_start", "step_by_step", "general", "strict")
# What a setting may be, and how that is said.
RANGES = {"step": (lambda x: x > 0, "it must be positive"), "tolerance": (lambda x: x > 0, "it must be positive"),
          "solve_budget": (lambda x: x > 0, "it must be positive"),
          "rtol": (lambda x: 0 < x < 1, "it lies between 0 and 1"), "atol": (lambda x: x > 0, "it must be positive"),
          "accept": (lambda x: x >= 0, "it cannot be negative"),
          "theta": (lambda x: 0 <= x <= 1, "it lies between 0 and 1"),
          "gamma": (lambda x: 0 <= x <= 1, "it lies between 0 and 1")}
ON_OFF = ("located", "projection")
SETTINGS = (*TIMES, *(name for name in NUMBERS if name not in TIMES), "inputs", *ON_OFF, "stages", "solver", *FLAGS)


def meant(word: Any, words: Any) -> str:
    near = difflib.get_close_matches(str(word), words, 1)
    if near:
        return f"; did you mean `{near[0]}`?"
    words = list(words)
    return "; there are " + ", ".join(words[:12]) + (", ..." if len(words) > 12 else "") if words else ""


def meant_here(name: str, words: Any) -> str:
    """As `meant`, for a parameter: what one member of a family has, or an argument of a part, is given to `load`."""
    compiled = "." in name or "[" in name
    return meant(name, words) + (f" What one member has, and arguments of parts, load(..., set={{'{name}': ...}}) sets"
                                 if compiled else "")


def mapping(name: str, value: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    """A copy of a dictionary from names."""
    if value is None:
        return {}
    if not isinstance(value, AnyMapping) or not all(isinstance(key, str) for key in value):
        raise UsageError(f"{name} = {value!r}: it is a dictionary of values by their names")
    return dict(value)


def flag(name: str, value: Any, words: Sequence[str] = ()) -> bool:
    """True or False, or one of two words for them."""
    if isinstance(value, str) and value in words:
        return value == words[0]
    if isinstance(value, bool) or type(value).__name__ == "bool_" or isinstance(value, int) and value in (0, 1):
        return bool(value)
    raise UsageError(f"{name} = {value!r}: it is True or False" + "".join(f", {word!r}" for word in words))


def _number(name, value):
    x = in_si(name, value, "s" if name in TIMES else "")
    good, what = RANGES.get(name, (math.isfinite, "it must be finite"))
    if not good(x) or not math.isfinite(x):
        raise UsageError(f"{name} = {value!r}: {what if math.isfinite(x) else 'it must be finite'}")
    return x


def whole(name: str, value: Any, least: int, none: bool = True) -> Any:
    if value is None and none:
        return None
    try:
        n = operator.index(value)
        if least <= n <= 2**62 and not isinstance(value, bool) and type(value).__name__ != "bool_":
            return n
    except TypeError:
        pass
    raise UsageError(f"{name} = {value!r}: it is a whole number, at least {least}")


# ---- inputs ---------------------------------------------------------------------------------------------------------
def probe(sim, settings):
    """The times of the steps of a run with these settings: its start, and the end of each step."""
    bare = Settings.from_buffer_copy(settings)
    bare.ninput, bare.any_start = 0, 1
    at = C.nsm_simulate(sim.model._program.at, byref(bare), sim._error_at)
    if not at:
        raise run_error(sim.model._program.at, sim._error)
    try:
        return [C.nsm_time_of_step(at, k) for k in range(C.nsm_steps_total(at) + 1)]
    finally:
        C.nsm_close(at)


def input_names(model):
    """Of a message: empty where the model cannot be opened as it is."""
    error, bare = RunErrorText(), C.nsm_default_settings()
    bare.any_start = 1
    at = C.nsm_simulate(model._program.at, byref(bare), byref(error))
    if not at:
        return []
    try:
        return [C.nsm_input_name(at, i).decode() for i in range(C.nsm_ninput(at))]
    finally:
        C.nsm_close(at)


BETWEEN = "linear", "hold", "smooth"       # two points: NSM_INPUT_... of nsm.h

# Where schemes ask for an input within a step, as shares of it: the middle (moreau, midpoint, consistent), the stages
# of radau (2 and 3 of them: docs/numerics/radau.md). Between these points a function is taken as a monotone cubic.
ASKED = (0.4 - math.sqrt(6)/10, 1/3, 0.5, 0.4 + math.sqrt(6)/10, 1.0)


def refined(times):
    pairs = zip(times, times[1:])
    return times[:1] + [t0 + share*(t1 - t0) if share < 1 else t1 for t0, t1 in pairs for share in ASKED]


def _numbers_of(name, values, unit):
    if getattr(getattr(values, "dtype", None), "kind", "") in ("f", "i", "u") and values.ndim == 1:
        return [float(x) for x in values.tolist()]
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise UsageError(f"the input {name}: {values!r} is no list of numbers")
    return [in_si(f"the input {name}", x, unit) for x in values]


def _points(name, value, unit, times):
    """(times, values, what is between) of an input that is no file; times(): those of the steps of the run."""
    if callable(value):
        at = refined(times())
        return at, [in_si(f"the input {name} at t = {t:g}", value(t), unit) for t in at], "smooth"
    if isinstance(value, (int, float, str)) or getattr(value, "ndim", None) == 0:
        return [0.0], [in_si(f"the input {name}", value, unit)], "hold"
    if not callable(getattr(value, "index", None)) and hasattr(value, "index") and hasattr(value, "values"):
        value = value.index, value.values                  # a column of pandas
    if getattr(value, "ndim", 1) == 2:
        raise UsageError(f"the input {name} has an array of shape {tuple(value.shape)}: points are (times, values), "
                         f"two columns of it are (a[:, 0], a[:, 1])")
    if isinstance(value, tuple):
        if len(value) not in (2, 3) or len(value) == 3 and (not isinstance(value[2], str) or value[2] not in BETWEEN):
            raise UsageError(f'the input {name}: points are (times, values), or (times, values, "hold"), or "smooth"')
        at, values = _numbers_of(name, value[0], "s"), _numbers_of(name, value[1], unit)
        if len(at) != len(values):
            raise UsageError(f"the input {name} has {len(at)} times, and {len(values)} values")
        return at, values, value[2] if len(value) == 3 else "linear"
    values, at = _numbers_of(name, value, unit), times()
    if len(values) != len(at):
        raise UsageError(f"the input {name} has {len(values)} values, and the run {len(at) - 1} steps: a list has one "
                         f"for the start and one for the end of each step; points are (times, values)")
    return at, values, "linear"


QUANTITY = re.compile(r"\s*[-+]?(\d+(\.\d+)?|\.\d+)([eE][-+]?\d+)?\s*(\[.*\]|[^\W\d_][^.]*)?\s*")


def is_file(value):
    """A path; not a text that is a number with a unit, unless there is a file of that name."""
    if isinstance(value, str):
        return QUANTITY.fullmatch(value) is None or os.path.exists(value)
    return isinstance(value, (bytes, os.PathLike))


def _inputs(model, given, times):
    """nsm_input of {name: an input over time}, which in `given` becomes a file or points."""
    out = (Input * len(given))()
    for to, (name, value) in zip(out, given.items()):
        to.name = name.encode()
        if is_file(value):
            to.path = os.fsencode(value)
            continue
        at, values, between = _points(name, value, model.unit(name) or None, times)
        to.n, to.between = len(at), BETWEEN.index(between)
        to.time, to.value = (ctypes.c_double * len(at))(*at), (ctypes.c_double * len(at))(*values)
        given[name] = at, values, between
    return out


# ---- all of them ----------------------------------------------------------------------------------------------------
def settings_of(model, values, settings, times_of) -> Settings:
    """nsm_settings of values by name; what it points to is kept by it. times_of(nsm_settings): as `probe`. Inputs that
    are functions or lists become points in `settings`, so that these can be pickled."""
    s = C.nsm_default_settings()
    inputs: Dict[str, Any] = {}
    for name, value in settings.items():
        if name not in SETTINGS:
            values[name] = value
        elif value is None:
            pass
        elif name in NUMBERS:
            setattr(s, name, _number(name, value))
        elif name in ON_OFF:
            setattr(s, name, 1 if flag(name, value, ("on", "off")) else -1)
        elif name == "stages":
            s.stages = whole(name, value, 2)
            if s.stages > 3:
                raise UsageError(f"stages = {value!r}: radau has 2 or 3")
        elif name in FLAGS:
            setattr(s, name, int(flag(name, value)))
        elif name == "solver":
            if not isinstance(value, str):
                raise UsageError(f"solver = {value!r}: it is the name of one")
            s.solver = value.encode()
        else:
            inputs = mapping("inputs", value)
    unknown = next((name for name in values if name not in model.parameters), None)
    if unknown is not None and unknown in input_names(model):
        raise UsageError(f"`{unknown}` is an input of the model: inputs={{'{unknown}': ...}} gives it values")
    if unknown == "scheme":
        raise UsageError("the scheme is compiled into the model: nsm.load(path, scheme=...) chooses it")
    if unknown is not None:
        raise UsageError(f"there is no parameter or setting `{unknown}`" +
                         meant_here(unknown, [*model.parameters, *SETTINGS]))
    s.set, s.nset = assignments({name: in_si(name, value, model.parameters[name].unit)
                                 for name, value in values.items()})
    if inputs:
        s.input, s.ninput = _inputs(model, inputs, lambda: times_of(s)), len(inputs)
        settings["inputs"] = inputs
    return s
