"""Exceptions. Their text is what the command prints, where flags that a hint names are arguments; exit_code is what it
would end with."""
import math
import re
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, Optional

from ._library import C, CLAIM, FILE, MODEL_WRONG, USAGE, byref, c_double, text_of

if TYPE_CHECKING:
    from ._result import Result


class Diagnostic(NamedTuple):
    """What the compiler says of one place. Lines and columns count from 1; 0: no place."""
    severity: str
    code: str
    message: str
    file: Optional[str]
    line: int
    column: int
    end_line: int
    end_column: int
    label: str
    help: str


class Error(Exception):
    """Of a model or a run. diagnostics: those of the compiler, in the order of their places; code: of the first error,
    "E0420", or ""; result: the rows of a run up to the error, None where there are none."""
    exit_code = 3

    def __init__(self, text: str, exit_code: Optional[int] = None, diagnostics: Iterable[Diagnostic] = ()) -> None:
        super().__init__(text.rstrip("\n"))
        self.diagnostics = list(diagnostics)
        self.code = next((d.code for d in self.diagnostics if d.severity == "error"), "")
        self.result: Optional["Result"] = None
        self.rows = 0
        if exit_code is not None:
            self.exit_code = exit_code


class ModelError(Error):
    """The model is wrong."""
    exit_code = MODEL_WRONG


class UsageError(Error, ValueError):
    """A name or a value that the model does not take."""
    exit_code = USAGE


class RunError(Error):
    """A step did not succeed."""


class FileError(Error, OSError):
    """What the system gives is missing: a file, memory."""
    exit_code = FILE


class ClaimError(Error):
    """An assertion of the model does not hold."""
    exit_code = CLAIM


KINDS = {MODEL_WRONG: ModelError, USAGE: UsageError, FILE: FileError, CLAIM: ClaimError}


def _text(of):
    return of.decode("utf-8", "replace") if of is not None else None


def diagnostics_of(program):
    all_of_them, severities = C.nsm_diagnostics(program), ("error", "warning", "note")
    for d in all_of_them[:C.nsm_ndiagnostic(program)]:
        yield Diagnostic(severities[d.severity], _text(d.code), _text(d.message), _text(d.file), d.line, d.column,
                         d.end_line, d.end_column, _text(d.label), _text(d.help))


def compile_error(program):
    status = C.nsm_program_status(program)
    return KINDS.get(status, Error)(text_of(C.nsm_diagnostics_text, program), status, diagnostics_of(program))


def _argument(flag: "re.Match[str]") -> str:
    """`--located on` is located=True, `--project-start` project_start."""
    return flag[1].replace("-", "_") + {"on": "=True", "off": "=False"}.get(flag[2], "")


def run_error(program, error):
    text = text_of(C.nsm_run_error_text, program, error)
    text = re.sub(r"(?<![\w-])--([a-z][a-z-]*)(?: (on|off)\b)?", _argument, text)
    return KINDS.get(error.code, RunError)(text, error.code)


def in_si(name: str, value: Any, unit: Optional[str]) -> float:
    """A number, or text with a unit, "5 mm", as a number in SI. unit: what it must agree with; None: anything.
    UsageError: it is neither, or it is NaN."""
    if not isinstance(value, str):
        if isinstance(value, bool) or type(value).__name__ == "bool_" or getattr(value, "ndim", False):
            raise UsageError(f"{name} = {value!r}: it is not a number")
        try:
            x = float(value)
        except (TypeError, ValueError, OverflowError):
            raise UsageError(f"{name} = {value!r}: it is not a number") from None
        if math.isnan(x):
            raise UsageError(f"{name} = {value!r}: it is not a number")
        return x
    number = c_double()
    wrong = C.nsm_read_quantity(value.encode(), None if unit is None else unit.encode(), byref(number))
    if wrong:
        raise UsageError(f"{name} = {value!r}: {wrong.decode()}" + (f" (it is in {unit})" if unit else ""))
    return float(number.value)
