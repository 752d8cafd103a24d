"""Model.analyse: equilibria, linear models, modes, orbits, responses, maps, exponents; docs/answers.md says how."""
import csv
import ctypes
import functools
import io
import json
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional

from ._errors import UsageError, run_error
from ._library import C, RunErrorText, byref, c_char_p, c_int
from ._settings import mapping, probe, settings_of

if TYPE_CHECKING:
    from ._model import Model


class Questions(NamedTuple):
    """The entries of `analyse { }`: words alone, words with a value; what asks something, and what of it of rest."""
    words: List[str]
    valued: List[str]
    asking: List[str]
    rest: List[str]


@functools.lru_cache(maxsize=1)
def _questions() -> Questions:
    all_of = Questions([], [], [], [])
    block, word, valued, asks = c_char_p(), c_char_p(), c_int(), c_int()
    i = 0
    while C.nsm_question(i, byref(block), byref(word), byref(valued), byref(asks)):
        i += 1
        name = (word.value or b"").decode()
        if block.value != b"analyse":
            continue
        (all_of.valued if valued.value else all_of.words).append(name)
        if asks.value:
            all_of.asking.append(name)
        if asks.value == 1:
            all_of.rest.append(name)
    return all_of


def _option(name: str) -> bool:
    """Does `analyse` take it by its name? from is a word of Python: from_."""
    return name.rstrip("_") in _questions().valued


def _flags(questions: Any, options: Mapping[str, Any]) -> List[str]:
    flags: List[str] = []
    known = _questions()
    for word in questions:
        if word not in known.words:
            alone, valued = ([q for q in known.asking if q in of] for of in (known.words, known.valued))
            raise UsageError(f"there is no question {word!r}; there are {', '.join(alone)}, and "
                             f"{', '.join(valued)}, which take a value: {valued[0]}=...")
        flags.append(f"--{word}")
    for name, value in options.items():
        words = [str(x) for x in value] if isinstance(value, (list, tuple)) else [str(value)]
        flags += [f"--{name.rstrip('_')}", ",".join(words)]
    return flags


def _table(text: str) -> Dict[str, List[Any]]:
    """Columns by name; what is no number stays text."""
    rows = list(csv.reader(io.StringIO(text)))
    columns: Dict[str, List[Any]] = {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}
    for name, values in columns.items():
        if name != "kind":
            columns[name] = [float(x) if x else float("nan") for x in values]
    return columns


class Asked:
    """What settings look at."""

    def __init__(self, model: "Model") -> None:
        self.model, self._error = model, RunErrorText()
        self._error_at = ctypes.pointer(self._error)


def asked_by(model: "Model", block: str) -> Dict[str, str]:
    """The flags that `fit { }` or `analyse { }` of the model gives."""
    words = c_char_p(), c_char_p(), c_char_p()
    asks: Dict[str, str] = {}
    i = 0
    while C.nsm_asked(model._program.at, i, *(byref(w) for w in words)):
        of, name, text = ((w.value or b"").decode() for w in words)
        i += 1
        if of == block:
            asks[name] = text
    return asks


def analyse(model: "Model", questions: Any, set: Optional[Mapping[str, Any]], values: Mapping[str, Any]) -> Any:
    options = {name: value for name, value in values.items()
               if _option(name) and not isinstance(value, Mapping)}      # a dictionary: inputs over time
    rest = {name: value for name, value in values.items() if name not in options}
    flags = _flags(questions, options)
    if not flags:                                          # the model's own block asks
        asks = asked_by(model, "analyse")
        questions = list(asks)
        if not asks:
            raise UsageError("nothing is asked: analyse(\"equilibrium\"), or `analyse { }` in the model")
        options = asks
    if any(q in _questions().rest for q in questions) or ("bode" in options and "period" not in options):
        model = model._with_scheme("moreau")
    run = Asked(model)
    settings = settings_of(model, mapping("set", set), rest, lambda s: probe(run, s))
    asked = (c_char_p * len(flags))(*(word.encode() for word in flags))
    at = C.nsm_analyse(model._program.at, byref(settings), asked, len(flags), run._error_at)
    if not at:
        raise run_error(model._program.at, run._error)
    try:
        text = ctypes.string_at(at).decode()
    finally:
        C.nsm_analysis_free(at)
    return json.loads(text) if text.startswith("{") else _table(text)
