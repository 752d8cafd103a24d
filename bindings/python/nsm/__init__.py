"""nsm: nonsmooth dynamics from Python.

A model is compiled once, runs and simulations are made of it. Numbers are in SI units; "5 mm" is one with its own.

    import nsm
    ball = nsm.load("models/bouncing_ball.nsm")
    r = ball.run(e=0.5, until=5)              # parameters and settings of the run by name
    r["z"], r.units["z"], r.counters.impacts  # arrays by the names of the CSV
    print(ball.derive())

    sim = ball.simulate()                     # step by step, for control and learning
    while not sim.done:
        sim.step()
        height = sim["z"]

Errors are exceptions (nsm.Error and its kinds) whose text is what the command prints, with the line of the model and
its place marked. While C works, other threads of Python run; different simulations may run in different threads.
NumPy is used where it is there: arrays are views into the rows as they were written. Without it they are memoryviews.
"""
from ._batch import Batch, BatchResult
from ._derivatives import Derivatives, Jacobian, Sensitivities
from ._errors import ClaimError, Diagnostic, Error, FileError, ModelError, RunError, UsageError
from ._fit import Fit
from ._library import version
from ._model import Model, Parameter, load, loads
from ._result import Claim, Event, Result
from ._simulation import Counters, Energy, Simulation
from ._sweep import Sweep

__version__ = version()
__all__ = ["Batch", "BatchResult", "Claim", "ClaimError", "Counters", "Derivatives", "Diagnostic", "Energy", "Error",
           "Event", "FileError", "Fit", "Jacobian", "Model", "ModelError", "Parameter", "Result", "RunError",
           "Sensitivities", "Simulation", "Sweep", "UsageError", "load", "loads"]


def __getattr__(name: str) -> object:
    """nsm.gym is read when it is asked for: it needs NumPy."""
    if name == "gym":
        import importlib
        return importlib.import_module(".gym", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
