"""An importer of FMUs for co-simulation and model exchange, 2.0 and 3.0, by ctypes: what a master does, and no more. It
knows the standard and nothing of nsm. Values go in and out by the names of modelDescription.xml, arrays by the names of
the arrays."""
import ctypes as c
import pathlib
import platform
import xml.etree.ElementTree as xml
import zipfile

OK, WARNING, DISCARD, ERROR = 0, 1, 2, 3
P, D, S, U, B, Z = c.c_void_p, c.c_double, c.c_char_p, c.c_uint32, c.c_bool, c.c_size_t
PLATFORM = {2: "linux64", 3: f"{platform.machine()}-linux"}


class Refused(Exception):
    """A call that did not give OK; .status is what it gave, the text what the instance said last."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class Variable:
    def __init__(self, at):
        real = at if at.find("Real") is None else at.find("Real")
        self.name, self.reference = at.get("name"), int(at.get("valueReference"))
        self.causality, self.variability = at.get("causality"), at.get("variability")
        self.derivative = int(real.get("derivative", 0))   # 2.0: the place of the state in the list; 3.0: its reference
        self.unit, self.display = real.get("unit"), real.get("displayUnit")
        self.start = [float(x) for x in real.get("start", "").split()]
        self.dim = [int(d.get("start")) for d in at.findall("Dimension")]
        self.size = 1
        for d in self.dim:
            self.size *= d


class Fmu:
    """The archive, unpacked into a folder."""

    def __init__(self, path, folder):
        self.folder = pathlib.Path(folder)
        with zipfile.ZipFile(path) as z:
            z.extractall(self.folder)
        self.root = xml.parse(self.folder / "modelDescription.xml").getroot()
        self.version = int(self.root.get("fmiVersion")[0])
        self.token = self.root.get("guid" if self.version == 2 else "instantiationToken")
        self.variable = [Variable(v) for v in self.root.find("ModelVariables")]
        self.named = {v.name: v for v in self.variable}
        kind = self.root.find("CoSimulation")
        self.exchange = kind is None
        name = (self.root.find("ModelExchange") if self.exchange else kind).get("modelIdentifier")
        self.library = c.CDLL(str(self.folder / "binaries" / PLATFORM[self.version] / f"{name}.so"))
        experiment = self.root.find("DefaultExperiment")
        self.start, self.stop, self.step = (float(experiment.get(k)) for k in ("startTime", "stopTime", "stepSize"))

    def states(self):
        """Of model exchange: the states, in the order of their derivatives in the structure."""
        if self.version == 2:
            derivative = [self.variable[int(u.get("index")) - 1]
                          for u in self.root.findall("ModelStructure/Derivatives/Unknown")]
            return [self.variable[v.derivative - 1] for v in derivative]
        by = {v.reference: v for v in self.variable}
        return [by[by[int(u.get("valueReference"))].derivative]
                for u in self.root.findall("ModelStructure/ContinuousStateDerivative")]

    def of_causality(self, *which):
        return [v for v in self.variable if v.causality in which]

    def instance(self, name="one", **more):
        return (Instance2 if self.version == 2 else Instance3)(self, name, **more)


def c_bool(version):
    return c.c_int(0) if version == 2 else B(False)


class Instance:
    """What both versions have in common."""

    def __init__(self, fmu):
        self.fmu, self.said = fmu, []

    def call(self, name, *arguments, allowed=(OK,)):
        status = getattr(self.fmu.library, f"fmi{self.fmu.version}{name}")(P(self.at), *arguments)
        if status not in allowed:
            raise Refused(status, self.said[-1] if self.said else "nothing was said")
        return status

    def find(self, name):
        return name if isinstance(name, Variable) else self.fmu.named[name]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.free()

    def free(self):
        if self.at:
            getattr(self.fmu.library, f"fmi{self.fmu.version}FreeInstance")(P(self.at))
        self.at = None

    def reset(self):
        self.call("Reset")

    def terminate(self):
        self.call("Terminate")

    # Model exchange.
    def begin(self, start=0.0, stop=None):
        self.initialize(start, stop)
        self.event()

    def event(self):
        """From event mode into continuous-time mode; whether states have changed."""
        changed = self.update_now()
        self.call("EnterContinuousTimeMode")
        return changed

    def set_state(self, t, x):
        self.call("SetTime", D(t))
        self.call("SetContinuousStates", (D * len(x))(*x), Z(len(x)))

    def numbers(self, name, n):
        out = (D * n)()
        self.call(name, out, Z(n))
        return list(out)

    def rates(self, t, x):
        self.set_state(t, x)
        return self.numbers("GetDerivatives" if self.fmu.version == 2 else "GetContinuousStateDerivatives", len(x))

    def derivative(self, unknown, known, seed, adjoint=False):
        """Of the variables `unknown` along `seed`, of the elements of `known`; adjoint: by these, of a sum of those."""
        lists, out = [], (D * sum(self.find(n).size for n in (known if adjoint else unknown)))()
        for names in (unknown, known):
            lists += [(U * len(names))(*(self.find(n).reference for n in names)), Z(len(names))]
        seed = (D * len(seed))(*seed)
        sizes = self.fmu.version == 3
        self.call("GetAdjointDerivative" if adjoint else "GetDirectionalDerivative", *lists, seed,
                  *[Z(len(seed))] * sizes, out, *[Z(len(out))] * sizes)
        return list(out)

    def runge_kutta(self, x, start, steps, h):
        """`steps` steps of the classic method of order 4; events where the FMU wants them. The states; how many."""
        events = 0
        for i in range(steps):
            t, k, at = start + i * h, [], x
            for part in (0, 0.5, 0.5, 1):
                at = [a + part * h * d for a, d in zip(x, k[-1])] if k else x
                k.append(self.rates(t + part * h, at))
            x = [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(x, *k)]
            self.set_state(start + (i + 1) * h, x)
            event, ends = (c_bool(self.fmu.version) for _ in range(2))
            self.call("CompletedIntegratorStep", type(event)(True), c.byref(event), c.byref(ends))
            if event.value:
                events += 1
                self.call("EnterEventMode")
                if self.event():
                    x = self.numbers("GetContinuousStates", len(x))
        return x, events

    # States: handles, and bytes.
    def keep(self):
        state = P(None)
        self.call(self.words["get"], c.byref(state))
        return state

    def restore(self, state):
        self.call(self.words["set"], state)

    def drop(self, state):
        self.call(self.words["free"], c.byref(state))

    def to_bytes(self, state):
        size = Z(0)
        self.call(self.words["size"], state, c.byref(size))
        to = (c.c_char * size.value)()
        self.call(self.words["serialize"], state, to, size)
        return bytes(to)

    def from_bytes(self, data):
        state = P(None)
        self.call(self.words["deserialize"], data, Z(len(data)), c.byref(state))
        return state


class Instance2(Instance):
    words = {"get": "GetFMUstate", "set": "SetFMUstate", "free": "FreeFMUstate", "size": "SerializedFMUstateSize",
             "serialize": "SerializeFMUstate", "deserialize": "DeSerializeFMUstate"}
    LOGGER = c.CFUNCTYPE(None, P, S, c.c_int, S, S, S)

    class Callbacks(c.Structure):
        _fields_ = [("logger", P), ("allocate", P), ("release", P), ("finished", P), ("environment", P)]

    class EventInfo(c.Structure):
        _fields_ = [(n, c.c_int) for n in ("again", "ends", "nominals", "values", "has_next")] + [("next", D)]

    def __init__(self, fmu, name, token=None, kind=None, logging=False):
        super().__init__(fmu)
        kind = int(not fmu.exchange) if kind is None else kind
        self.log = self.LOGGER(lambda _e, _n, _s, _c, message, first:
                               self.said.append((first if message == b"%s" else message).decode()))
        self.calls = self.Callbacks(c.cast(self.log, P))
        make = fmu.library.fmi2Instantiate
        make.restype = P
        self.at = make(name.encode(), c.c_int(kind), (token or fmu.token).encode(), b"file:///", c.byref(self.calls),
                       c.c_int(0), c.c_int(logging))
        if not self.at:
            raise Refused(ERROR, self.said[-1] if self.said else "nothing was said")

    def setup(self, start=0.0, stop=None):
        self.call("SetupExperiment", c.c_int(0), D(0), D(start), c.c_int(stop is not None), D(stop or 0))

    def initialize(self, start=0.0, stop=None):
        self.setup(start, stop)
        self.call("EnterInitializationMode")
        self.call("ExitInitializationMode")

    def get(self, *names):
        which = [self.find(n).reference for n in names]
        out = (D * len(which))()
        self.call("GetReal", (U * len(which))(*which), Z(len(which)), out)
        return list(out)

    def set(self, **values):
        self.set_all(values)

    def set_all(self, values):
        which = [self.find(n).reference for n in values]
        self.call("SetReal", (U * len(which))(*which), Z(len(which)), (D * len(which))(*values.values()))

    def step(self, t, h):
        return self.call("DoStep", D(t), D(h), c.c_int(1))

    def update_now(self):
        info = self.EventInfo()
        self.call("NewDiscreteStates", c.byref(info))
        return bool(info.values)


class Instance3(Instance):
    words = {"get": "GetFMUState", "set": "SetFMUState", "free": "FreeFMUState", "size": "SerializedFMUStateSize",
             "serialize": "SerializeFMUState", "deserialize": "DeserializeFMUState"}
    LOGGER = c.CFUNCTYPE(None, P, c.c_int, S, S)

    def __init__(self, fmu, name, token=None, event_mode=False, early_return=False, logging=False, exchange=None):
        super().__init__(fmu)
        self.log = self.LOGGER(lambda _e, _s, _c, message: self.said.append(message.decode()))
        exchange = fmu.exchange if exchange is None else exchange
        make = fmu.library.fmi3InstantiateModelExchange if exchange else fmu.library.fmi3InstantiateCoSimulation
        make.restype = P
        first = (name.encode(), (token or fmu.token).encode(), b"/", B(False), B(logging))
        self.at = make(*first, None, self.log) if exchange else \
            make(*first, B(event_mode), B(early_return), None, Z(0), None, self.log, None)
        if not self.at:
            raise Refused(ERROR, self.said[-1] if self.said else "nothing was said")

    def initialize(self, start=0.0, stop=None):
        self.call("EnterInitializationMode", B(False), D(0), D(start), B(stop is not None), D(stop or 0))
        self.call("ExitInitializationMode")

    def get(self, *names):
        all_of = [self.find(n) for n in names]
        which = [v.reference for v in all_of]
        n = sum(v.size for v in all_of)
        out = (D * n)()
        self.call("GetFloat64", (U * len(which))(*which), Z(len(which)), out, Z(n))
        return list(out)

    def set(self, **values):
        self.set_all(values)

    def set_all(self, values):
        which = [self.find(n).reference for n in values]
        flat = []
        for x in values.values():
            flat += x if isinstance(x, (list, tuple)) else [x]
        self.call("SetFloat64", (U * len(which))(*which), Z(len(which)), (D * len(flat))(*flat), Z(len(flat)))

    def step(self, t, h):
        """Returns (event, terminate, early, last)."""
        event, ends, early, last = B(False), B(False), B(False), D(0)
        self.call("DoStep", D(t), D(h), B(True), c.byref(event), c.byref(ends), c.byref(early), c.byref(last),
                  allowed=(OK, WARNING))
        return event.value, ends.value, early.value, last.value

    def update(self):
        """fmi3UpdateDiscreteStates; whether values of states changed."""
        self.call("EnterEventMode")
        return self.update_now()

    def update_now(self):
        flags = [B(False) for _ in range(5)]
        next_time = D(0)
        self.call("UpdateDiscreteStates", *(c.byref(f) for f in flags), c.byref(next_time))
        return flags[3].value
