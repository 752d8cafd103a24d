"""libnsm.so: where it is, and include/nsm.h for ctypes. tests/python compares the structures with the header.

It is looked for in this order: $NSM_LIBRARY; beside this package (pip); in the build of the tree that this package is a
part of, or a copy of (the file `built`); in the installation that it is a part of; where the system looks.
"""
import ctypes
import os
import pathlib
import sysconfig
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int, c_long, c_size_t, c_void_p

SONAME = "libnsm.so.0"
COLUMN_STATE = 1                      # NSM_COLUMN_STATE
OK, MODEL_WRONG, USAGE, FAILED, FILE, CLAIM, STOPPED, INTERRUPTED = 0, 1, 2, 3, 4, 5, 6, 130


class Place(Structure):
    _fields_ = [("kind", c_int), ("number", c_int), ("line", c_int)]


class RunErrorText(Structure):
    """nsm_error"""
    _fields_ = [("code", c_int), ("text", ctypes.c_char * 1024), ("at", Place)]


class Assignment(Structure):
    _fields_ = [("name", c_char_p), ("value", c_double)]


class CompileSettings(Structure):
    _fields_ = [("scheme", c_char_p), ("jit", c_char_p), ("set", POINTER(Assignment)), ("nset", c_int),
                ("order", c_int)]


class DiagnosticText(Structure):
    """nsm_diagnostic"""
    _fields_ = [("severity", c_int), ("code", c_char_p), ("message", c_char_p), ("file", c_char_p), ("line", c_int),
                ("column", c_int), ("end_line", c_int), ("end_column", c_int), ("label", c_char_p), ("help", c_char_p)]


class ParameterText(Structure):
    """nsm_parameter"""
    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("doc", c_char_p), ("fixed", c_int)]


class Meaning(Structure):
    _fields_ = [("unit", c_char_p), ("doc", c_char_p)]


class Input(Structure):
    _fields_ = [("name", c_char_p), ("path", c_char_p), ("column", c_char_p), ("between", c_int), ("n", c_int),
                ("time", POINTER(c_double)), ("value", POINTER(c_double))]


class Settings(Structure):
    _fields_ = [("set", POINTER(Assignment)), ("nset", c_int), ("until", c_double), ("step", c_double),
                ("start", c_double), ("theta", c_double), ("gamma", c_double), ("solver", c_char_p),
                ("tolerance", c_double), ("accept", c_double), ("solve_budget", c_double), ("dump_problems", c_char_p),
                ("general", c_int), ("step_by_step", c_int), ("project_start", c_int), ("input", POINTER(Input)),
                ("ninput", c_int), ("check_unique", c_int), ("located", c_int), ("any_start", c_int),
                ("stages", c_int), ("stop", POINTER(c_int)), ("strict", c_int),
                ("rtol", c_double), ("atol", c_double), ("projection", c_int),
                ("team", c_void_p)]


class BatchWork(Structure):
    """nsm_batch_work"""
    _fields_ = [("who", c_void_p), ("reset", c_int), ("nwrite", c_int), ("write", c_void_p), ("written", c_void_p),
                ("ninput", c_int), ("input", c_void_p), ("value", c_void_p), ("each_step", c_int), ("steps", c_long),
                ("ncolumn", c_int), ("column", c_void_p), ("row", c_void_p), ("code", c_void_p)]


class CounterValues(Structure):
    """nsm_counters"""
    _fields_ = [("steps", c_long), ("newton_iterations", c_long), ("solver_iterations", c_long), ("impacts", c_long),
                ("stagnations", c_long), ("worst_residual", c_double), ("whole_steps", c_long), ("left_out", c_long),
                ("frozen", c_long), ("unsettled", c_long), ("softened", c_long), ("max_residual", c_double),
                ("accepted", c_long), ("accepted_step", c_long), ("worst_accepted", c_double), ("contacts", c_long),
                ("deepest", c_double), ("events", c_long), ("located", c_long), ("captured", c_long),
                ("max_miss", c_double), ("halved", c_long), ("piles", c_long), ("pile_tolerance", c_double),
                ("missed", c_long), ("worst_missed", c_double), ("closing", c_double),
                ("pile_step", c_long), ("missed_step", c_long)]


class EnergyValues(Structure):
    """nsm_energy"""
    _fields_ = [(name, c_double) for name in ("kinetic", "potential", "initial", "forces", "dampers", "contacts",
                                              "friction", "residue")]


class LocatedEvent(Structure):
    """nsm_located_event"""
    _fields_ = [("time", c_double), ("kind", c_char_p), ("name", c_char_p), ("before", c_double), ("after", c_double),
                ("impulse", c_double), ("loss", c_double)]


class ClaimText(Structure):
    """nsm_claim"""
    _fields_ = [("text", c_char_p), ("line", c_int), ("held", c_int), ("nvalue", c_int), ("value", POINTER(c_double))]


class Drawing(Structure):
    """nsm_drawing"""
    _fields_ = [("shape", c_char_p), ("text", c_char_p), ("nargument", c_int), ("argument", c_int*8)]


class SensAsked(Structure):
    """nsm_sens_asked"""
    _fields_ = [("of", c_char_p), ("by", c_char_p), ("refine", c_int), ("every", c_long)]


EVENT_HOOK = ctypes.CFUNCTYPE(None, c_void_p, POINTER(LocatedEvent))
ERROR, DOUBLES, INTS = POINTER(RunErrorText), POINTER(c_double), POINTER(c_int)
FUNCTIONS = {  # name: (what it returns, what it takes); tests/python compares the number of arguments with the header
    "nsm_version": (c_char_p, []),
    "nsm_compile_file": (c_void_p, [c_char_p, POINTER(CompileSettings)]),
    "nsm_compile_text": (c_void_p, [c_char_p, c_char_p, POINTER(CompileSettings)]),
    "nsm_program_free": (None, [c_void_p]),
    "nsm_program_status": (c_int, [c_void_p]),
    "nsm_program_name": (c_char_p, [c_void_p]),
    "nsm_program_c": (c_char_p, [c_void_p]),
    "nsm_ndiagnostic": (c_int, [c_void_p]),
    "nsm_diagnostics": (POINTER(DiagnosticText), [c_void_p]),
    "nsm_diagnostics_text": (c_size_t, [c_void_p, c_char_p, c_size_t]),
    "nsm_derivation": (c_size_t, [c_void_p, c_char_p, c_char_p, c_size_t]),
    "nsm_meaning_of": (Meaning, [c_void_p, c_char_p]),
    "nsm_nparameter": (c_int, [c_void_p]),
    "nsm_parameter_at": (ParameterText, [c_void_p, c_int]),
    "nsm_read_quantity": (c_char_p, [c_char_p, c_char_p, DOUBLES]),
    "nsm_default_settings": (Settings, []),
    "nsm_simulate": (c_void_p, [c_void_p, POINTER(Settings), ERROR]),
    "nsm_close": (None, [c_void_p]),
    "nsm_step": (c_int, [c_void_p, ERROR]),
    "nsm_advance": (c_int, [c_void_p, c_long, ERROR]),
    "nsm_step_by": (c_int, [c_void_p, c_double, ERROR]),
    "nsm_record": (c_int, [c_void_p, c_long, c_long, INTS, c_int, c_void_p, POINTER(c_long), ERROR]),
    "nsm_ndrawing": (c_int, [c_void_p]),
    "nsm_drawing_at": (Drawing, [c_void_p, c_int]),
    "nsm_drawing_members": (c_int, [c_void_p, c_void_p, c_int]),
    "nsm_read_drawing": (None, [c_void_p, c_void_p, c_int, DOUBLES]),
    "nsm_read_columns": (c_int, [c_void_p, INTS, c_int, c_void_p, ERROR]),
    "nsm_begin": (c_int, [c_void_p, c_int, INTS, DOUBLES, ERROR]),
    "nsm_time": (c_double, [c_void_p]),
    "nsm_steps_done": (c_long, [c_void_p]),
    "nsm_steps_total": (c_long, [c_void_p]),
    "nsm_time_of_step": (c_double, [c_void_p, c_long]),
    "nsm_ncolumn": (c_int, [c_void_p]),
    "nsm_column_name": (c_char_p, [c_void_p, c_int]),
    "nsm_column_in_unit": (None, [c_void_p, c_int, c_void_p, c_long, c_long]),
    "nsm_read_column": (c_double, [c_void_p, c_int]),
    "nsm_write_column": (c_int, [c_void_p, c_int, c_double, ERROR]),
    "nsm_set_parameter": (c_int, [c_void_p, c_char_p, c_double, ERROR]),
    "nsm_get_parameter": (c_double, [c_void_p, c_char_p]),
    "nsm_set_input": (c_int, [c_void_p, c_char_p, c_double, ERROR]),
    "nsm_ninput": (c_int, [c_void_p]),
    "nsm_input_name": (c_char_p, [c_void_p, c_int]),
    "nsm_kind_of_column": (c_int, [c_void_p, c_int]),
    "nsm_batch_of": (c_void_p, [c_void_p, c_long, c_int, ERROR]),
    "nsm_batch_close": (None, [c_void_p]),
    "nsm_batch_member": (c_void_p, [c_void_p, c_long]),
    "nsm_batch_code": (c_int, [c_void_p, c_long]),
    "nsm_batch_do": (c_int, [c_void_p, POINTER(BatchWork), ERROR]),
    "nsm_batch_restore": (c_int, [c_void_p, c_long, c_char_p, c_int, ERROR]),
    "nsm_state_size": (c_size_t, [c_void_p]),
    "nsm_save": (None, [c_void_p, c_void_p]),
    "nsm_restore": (c_int, [c_void_p, c_char_p, ERROR]),
    "nsm_clone": (c_void_p, [c_void_p, ERROR]),
    "nsm_get_counters": (None, [c_void_p, POINTER(CounterValues)]),
    "nsm_on_event": (None, [c_void_p, EVENT_HOOK, c_void_p]),
    "nsm_nclaim": (c_int, [c_void_p]),
    "nsm_keep_claims": (c_int, [c_void_p, ERROR]),
    "nsm_claim_at": (c_int, [c_void_p, c_int, POINTER(ClaimText)]),
    "nsm_ncontact": (c_int, [c_void_p]),
    "nsm_contact_name": (c_char_p, [c_void_p, c_int]),
    "nsm_contact_state_at": (c_int, [c_void_p, c_int]),
    "nsm_keep_ledger": (None, [c_void_p]),
    "nsm_get_energy": (c_int, [c_void_p, POINTER(EnergyValues)]),
    "nsm_analyse": (c_void_p, [c_void_p, POINTER(Settings), POINTER(c_char_p), c_int, ERROR]),
    "nsm_fit": (c_void_p, [c_void_p, POINTER(Settings), POINTER(c_char_p), c_int, ERROR]),
    "nsm_question": (c_int, [c_int, POINTER(c_char_p), POINTER(c_char_p), POINTER(c_int), POINTER(c_int)]),
    "nsm_asked": (c_int, [c_void_p, c_int, POINTER(c_char_p), POINTER(c_char_p), POINTER(c_char_p)]),
    "nsm_student_quantile": (c_double, [c_double, c_int]),
    "nsm_analysis_free": (None, [c_void_p]),
    "nsm_differentiate": (c_void_p, [c_void_p, POINTER(Settings), POINTER(SensAsked), ERROR]),
    "nsm_sens_free": (None, [c_void_p]),
    "nsm_sens_nof": (c_int, [c_void_p]),
    "nsm_sens_nby": (c_int, [c_void_p]),
    "nsm_sens_of": (c_char_p, [c_void_p, c_int]),
    "nsm_sens_by": (c_char_p, [c_void_p, c_int]),
    "nsm_sens_value": (DOUBLES, [c_void_p]),
    "nsm_sens_d": (DOUBLES, [c_void_p]),
    "nsm_sens_error": (DOUBLES, [c_void_p]),
    "nsm_sens_rows": (DOUBLES, [c_void_p, POINTER(c_long)]),
    "nsm_nstate": (c_int, [c_void_p, INTS]),
    "nsm_jacobian": (c_int, [c_void_p, c_void_p, c_char_p, c_void_p, ERROR]),
    "nsm_run_error_text": (c_size_t, [c_void_p, ERROR, c_char_p, c_size_t]),
}
NSM_ENERGIES = 4


def _candidates():
    if os.environ.get("NSM_LIBRARY"):
        yield os.environ["NSM_LIBRARY"]
        return
    package = pathlib.Path(__file__).resolve().parent
    arch = sysconfig.get_config_var("MULTIARCH") or ""
    yield package / "native/lib" / SONAME
    if package.parent.parts[-2:] == ("bindings", "python"):
        yield package.parents[2] / "build/release/lib" / SONAME
    if (package.parent / "built").exists():
        yield pathlib.Path((package.parent / "built").read_text().strip()) / "build/release/lib" / SONAME
    for above in list(package.parents)[:6]:
        for lib in ("lib", f"lib/{arch}", "lib64"):
            yield above / lib / SONAME
    yield SONAME


def _open():
    for path in _candidates():
        if str(path) == SONAME or os.environ.get("NSM_LIBRARY") or pathlib.Path(path).exists():
            try:
                # models that the C compiler made (jit="cc") look for the runtime among global names
                return ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)
            except OSError as e:
                raise ImportError(f"{SONAME} cannot be loaded: {e}; build it (./nsm version), install it "
                                  "(cmake --install), or name it in NSM_LIBRARY") from None


def _declared(library):
    for name, (gives, takes) in FUNCTIONS.items():
        try:
            f = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{library._name} has no {name}: it is of another version of nsm") from None
        f.restype, f.argtypes = gives, takes
    return library


C = _declared(_open())


def version() -> str:
    return str(C.nsm_version().decode())


def text_of(f, *args):
    """What a function gives that fills a text as snprintf does."""
    n = f(*args, None, 0)
    room = ctypes.create_string_buffer(n + 1)
    f(*args, room, n + 1)
    return room.value.decode("utf-8", "replace")


def assignments(values):
    """A dictionary of numbers in SI as (array, its length). TypeError: no number."""
    array = (Assignment * len(values))()
    for place, (name, value) in zip(array, values.items()):
        place.name, place.value = name.encode(), float(value)
    return array, len(values)
