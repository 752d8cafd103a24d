#!/usr/bin/python3
"""Models that are nearly right: valid ones in which a name stands where one of another kind belongs, a number, unit,
index, function, law, scheme or clause is another one. Whatever it is, nsm says what is wrong, or runs it.

    tests/faults/mutate.py [--nsm PROGRAM] [--first SEED] [--number N] [--jobs J] [--keep FOLDER]

Each model has a seed of its own, which makes it again: --first SEED --number 1 --keep .
What must not be: exit code 125, a signal, a sanitizer's report, a compiler that is deaf to Ctrl-C or takes longer than
PATIENCE to check a model.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE, RUNS = 20, 2                  # s: of the processor, for check; of a run, before it is interrupted
TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"[^\"\n]*\"|[A-Za-z_]\w*|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|\s+|"
                   r"<=|>=|==|!=|&&|\|\||\.\.|.", re.S)
KINDS = ["param", "state", "coord", "discrete", "output", "multiplier", "input", "var", "body", "contact", "constraint",
         "relation", "function", "node", "model"]
FUNCTIONS = "sin cos tan exp log sqrt abs sign floor ceil round min max atan2 hypot norm dot cross sum der pre delay " \
            "table if pwl ramp pulse initial final mean drift gain at sat tanh asin acos mod".split()
LAWS = ["newton(e)", "newton(0)", "newton(1)", "poisson(0.5)", "coulomb(0.3)", "coulomb(mu)", "elliptic(0.3, 0.2)",
        "plastic", "stick", "newton(0.5), coulomb(0.3)", "rolling(0.01)", "relay(-1, 1)", "box(0, 1)"]
SCHEMES = ["moreau", "midpoint", "consistent", "consistent1", "implicit_euler", "moreau(theta = 1)",
           "moreau(located = true)", "consistent(located = true)", "nothing", "moreau(theta = 0)"]
NUMBERS = ["0", "1", "-1", "2", "3", "0.5", "1e300", "1e-300", "1e9", "1e-9", "1e17", "0/0", "1/0", "7", "2147483647",
           "2147483648", "4294967296", "1.5", "100", "-0.5"]
UNITS = ["m", "s", "kg", "N", "rad", "deg", "m/s", "V", "A", "1", "ohm", "kg*m^2", "J", "mm", "1/s", "H", "F", "N*m",
         "m^2", "s^2"]
CLAIMS = ["final({})", "initial({})", "max({})", "min({})", "mean({})", "drift({})", "gain({})", "at({}, {})", "{}",
          "abs(final({}))", "final({}[1])", "final({}')", "final({} + {})", "events({})", "drift(energy)"]
ITEMS = ["expect {c} < {n};", "assert {n} < {n};", "output q_out = {n};", "output q_out = {n}';", "var q_var = {n};",
         "every {n} {{ {d} = {n}; }}", "when {n} > {n} {{ {d} = {n}; }}", "for i in 1:3 {{ output q_i[i] = {n}; }}",
         "contact q_c: {n} >= 0 with {l};", "constraint q_k: {n} = 0;", "{n}' = {n};", "{n} = {n};",
         "kinetic {n}^2;", "potential {n};", "dissipation {n}^2;", "force {n} = {n};", "initial {n} = {n};",
         "relation q_r: 0 <= {n} perp {n} >= 0;", "draw {{ disk([{n}, {n}], {n}); }}", "state q_s = {n}; q_s' = {n};",
         "param q_p = {n};", "discrete q_d = {n};", "input {n};", "if {n} {{ var q_w = {n}; }}",
         "for i in 1:{n} {{ var q_w[i] = {n}; }}", "connect {n}, {n};", "discrete q_d = 0; every {n} {{ q_d = {n}; }}"]
SETTINGS = ["until", "step", "scheme", "every", "tolerance", "located", "theta", "record"]


def tokens(text):
    return TOKEN.findall(text)


def is_name(t):
    return re.fullmatch(r"[A-Za-z_]\w*", t) is not None


def is_number(t):
    return re.fullmatch(r"\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+", t) is not None


def declared(toks):
    """Kind -> names, read roughly: the names after a word of declaration, up to the end of the item."""
    out, kind, depth, begins = {k: [] for k in KINDS}, None, 0, False
    for t in toks:
        if t.isspace() or t.startswith(("//", "/*")):
            continue
        if t in KINDS:
            kind, depth, begins = t, 0, True
        elif t in ";{}":
            kind = None
        elif kind and t in "([":
            depth += 1
        elif kind and t in ")]":
            depth -= 1
        elif kind and depth == 0:
            if begins and is_name(t):
                out[kind].append(t)
            begins = t == ","
    return out


class Mutator:
    def __init__(self, text, rng, others):
        self.t, self.rng, self.others = tokens(text), rng, others
        self.kinds = {k: v for k, v in declared(self.t).items() if v}
        self.names = sorted({n for v in self.kinds.values() for n in v}) or ["x"]

    def any_name(self):
        """First a kind, so that rare kinds come as often as common ones."""
        if self.rng.random() < 0.04:
            return self.rng.choice(["time", "i", "pi", "energy", "true", "none", "step", "inf", "self"])
        return self.rng.choice(self.kinds[self.rng.choice(sorted(self.kinds))]) if self.kinds else "x"

    def expression(self):
        n, r = self.any_name(), self.rng.random()
        return (n if r < 0.5 else n + "'" if r < 0.6 else f"{n}[1]" if r < 0.68 else f"{n}[i]" if r < 0.72 else
                f"{self.rng.choice(FUNCTIONS)}({n})" if r < 0.85 else f"({n} - {self.any_name()})" if r < 0.92 else
                f"[{n}, {self.any_name()}]" if r < 0.94 else f"{n}.{self.any_name()}" if r < 0.97 else
                self.rng.choice(NUMBERS))

    def at(self, fits):
        places = [i for i, t in enumerate(self.t) if fits(t)]
        return self.rng.choice(places) if places else None

    def put(self, fits, make):
        i = self.at(fits)
        if i is not None:
            self.t[i] = make(self.t[i])

    def name(self):
        self.put(lambda t: t in self.names, lambda _: self.any_name())

    def value(self):
        self.put(lambda t: t in self.names or is_number(t), lambda _: self.expression())

    def number(self):
        self.put(is_number, lambda _: self.rng.choice(NUMBERS))

    def function(self):
        self.put(lambda t: t in FUNCTIONS, lambda _: self.rng.choice(FUNCTIONS))

    def kind(self):
        self.put(lambda t: t in KINDS, lambda _: self.rng.choice(KINDS))

    def prime(self):
        self.put(lambda t: t == "'" or t in self.names, lambda t: "" if t == "'" else t + self.rng.choice(["'", "''"]))

    def operator(self):
        signs = ["+", "-", "*", "/", "^", "<", ">", "<=", ">=", "=", "==", ",", "&&", "perp", "..", ":"]
        self.put(lambda t: t in signs, lambda _: self.rng.choice(signs))

    def unit(self):
        """What stands in brackets behind a number."""
        text = "".join(self.t)
        spots = list(re.finditer(r"\[[A-Za-z1][\w*/^-]*\]", text))
        if not spots:
            return
        m = self.rng.choice(spots)
        new = self.rng.choice(["", "[" + self.rng.choice(UNITS) + "]", f"[{self.any_name()}]"])
        self.t = tokens(text[:m.start()] + new + text[m.end():])

    def index(self):
        text = "".join(self.t)
        spots = list(re.finditer(r"\[[^\[\]\n]{1,12}\]", text))
        if not spots:
            return
        m = self.rng.choice(spots)
        new = self.rng.choice(["[0]", "[1]", "[i]", "[i+1]", "[n]", "[i-1]", "[2*i]", "[1:2]", "[-1]", "[1.5]",
                               "[1, 2]", "", f"[{self.any_name()}]", "[2147483648]", "[1][1]"])
        self.t = tokens(text[:m.start()] + new + text[m.end():])

    def law(self):
        text = "".join(self.t)
        spots = list(re.finditer(r"with ([^;{}]+)", text))
        if not spots:
            return
        m = self.rng.choice(spots)
        new = self.rng.choice(LAWS).replace("e)", self.any_name() + ")") if self.rng.random() < 0.5 else \
            self.rng.choice(LAWS)
        self.t = tokens(text[:m.start(1)] + new + text[m.end(1):])

    def end_of_item(self):
        """The ; of an item of a model."""
        depth, ends = 0, []
        for i, t in enumerate(self.t):
            depth += (t == "{") - (t == "}")
            if t == ";" and depth == 1:
                ends.append(i)
        return self.rng.choice(ends) if ends else None

    def item(self):
        """One more, behind the end of one."""
        i = self.end_of_item()
        if i is None:
            return
        filled = self.rng.choice(ITEMS)
        d = self.rng.choice(self.kinds.get("discrete", self.names))
        while re.search(r"\{[ncld]\}", filled):
            filled = re.sub(r"\{([ncld])\}", lambda m: {"n": self.expression, "c": self.claim, "d": lambda: d,
                                                        "l": lambda: self.rng.choice(LAWS)}[m[1]](), filled, count=1)
        self.t[i] = "; " + filled.replace("{{", "{").replace("}}", "}") + "\n"

    def claim(self):
        return re.sub(r"\{\}", lambda _: self.expression(), self.rng.choice(CLAIMS))

    def without(self):
        """Without the end of an item, an item, or a bracket's contents."""
        text = "".join(self.t)
        parts = list(re.finditer(r"[^;{}]*;", text))
        if parts:
            m = self.rng.choice(parts)
            again = self.rng.random() < 0.3
            self.t = tokens(text[:m.end()] + m[0] + text[m.end():] if again else text[:m.start()] + text[m.end():])

    def foreign(self):
        """An item of another model."""
        parts = re.findall(r"[^;{}]*;", self.rng.choice(self.others))
        i = self.end_of_item()
        if parts and i is not None:
            self.t[i] = "; " + self.rng.choice(parts)

    def setting(self):
        text = "".join(self.t)
        spots = list(re.finditer(r"simulate\s*\{", text))
        if not spots:
            return
        m = self.rng.choice(spots)
        which = self.rng.choice(SETTINGS)
        value = self.rng.choice(SCHEMES) if which == "scheme" and self.rng.random() < 0.8 else self.expression()
        rest = re.sub(rf"\b{which}\s*=\s*[^,}}]+", f"{which} = {value}", text[m.end():], count=1)
        if rest == text[m.end():]:
            rest = f" {which} = {value}, " + rest
        self.t = tokens(text[:m.end()] + rest)

    def loop(self):
        text = "".join(self.t)
        spots = list(re.finditer(r"\bin\s+([^{)]+)[{)]", text))
        if not spots:
            return
        m = self.rng.choice(spots)
        new = self.rng.choice(["1:0", "1:1", "0:3", "2:n", "1:2147483648", "1:-1", "i:3", "1:1e9", "1:1.5",
                               f"1:{self.any_name()}", "1:n*n", f"{self.any_name()}:3"])
        self.t = tokens(text[:m.start(1)] + new + text[m.end(1):])

    WAYS = [(5, "name"), (6, "value"), (2, "number"), (2, "function"), (2, "kind"), (2, "prime"), (2, "operator"),
            (2, "unit"), (2, "index"), (2, "law"), (6, "item"), (1, "without"), (1, "foreign"), (3, "setting"),
            (1, "loop")]

    def mutate(self):
        weights, ways = zip(*self.WAYS)
        for way in self.rng.choices(ways, weights, k=self.rng.choice([1, 1, 1, 1, 2, 3])):
            getattr(self, way)()
        return "".join(self.t)


def corpus():
    """Valid models, not the longest: those of models/ and those that docs/language.md shows."""
    out = [p.read_text() for p in sorted((ROOT / "models").glob("*.nsm")) if p.stat().st_size < 6000]
    for page in ("language.md", "std.md"):
        out += re.findall(r"```nsm\n(.*?)```", (ROOT / "docs" / page).read_text(), re.S)
    return [t for t in out if "model " in t]


def without_units(text):
    """So that more of what changes kinds is not refused for its units."""
    text = re.sub(r"(?<=[\d)\]])\s*\[[A-Za-z%1][A-Za-z0-9*/^() -]*\]", "", text)
    return re.sub(r"\s:\s+[A-Za-z1][\w*/^]*(?=\s*(?:=|,|;|\)))", "", text)


def model_of(seed, texts):
    rng = random.Random(seed)
    text = rng.choice(texts)
    return Mutator(without_units(text) if rng.random() < 0.7 else text, rng, texts).mutate()


def few_steps(text):
    """Flags that make a run short, where step and end can be read."""
    m = re.search(r"step\s*=\s*([\d.eE+-]+)\s*(?:\[(\w+)\])?", text)
    if not m:
        return []
    try:
        return ["--until", f"{float(m[1]) * 40:.9g}" + (m[2] or "")]
    except ValueError:
        return []


def ended(program, argv, cwd, env, seconds, work=None):
    """Exit code, what was said, and whether it had to be interrupted; code None: it was deaf. work: seconds of the
    processor after which it ends as one that was interrupted."""
    limit = (lambda: resource.setrlimit(resource.RLIMIT_CPU, (work, work + 1))) if work else None
    p = subprocess.Popen([program, *argv], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, preexec_fn=limit)
    try:
        said = p.communicate(timeout=seconds)[1]
        return p.returncode, said, p.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
    except subprocess.TimeoutExpired:
        p.send_signal(signal.SIGINT)
    try:
        said = p.communicate(timeout=15)[1]
        return p.returncode, said, True
    except subprocess.TimeoutExpired:
        p.kill()
        return None, p.communicate()[1], True


def verify(program, seed, texts, folder, env):
    """None, or what is wrong with what nsm does."""
    text = model_of(seed, texts)
    file = pathlib.Path(folder) / f"m{seed}.nsm"
    file.write_text(text)
    bad = None
    argv = ["run", file.name, "-o", "/dev/null", "--every", "100000000", *few_steps(text)]
    code, said, late = ended(program, argv if "simulate" in text else ["check", file.name], folder, env, RUNS)
    if late and code is None:
        bad = "deaf to Ctrl-C"
    elif late and code in (130, -signal.SIGINT):            # the latter: before it hears, on a machine with other work
        code, said, late = ended(program, ["check", file.name], folder, env, 50*PATIENCE, PATIENCE)
        bad = f"check takes longer than {PATIENCE} s" if late else None
    if not bad and code not in (0, 1, 2, 3, 4, 5, 130, -signal.SIGINT):
        bad = f"exit code {code}"
    if not bad:
        file.unlink()
        return None
    return f"seed {seed}: {bad}: {said.decode(errors='replace').strip()[-400:]}"


def many(program, first, number, jobs, folder, env):
    """What is wrong, for each model in order. SIGINT is heard by the programs, also where it is ignored here."""
    texts, last = corpus(), first + number
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for begin in range(first, last, 1000):
            yield from pool.map(lambda seed: verify(program, seed, texts, folder, env),
                                range(begin, min(begin + 1000, last)))


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--nsm", default=os.environ.get("NSM", str(ROOT / "build/release/nsm")))
    a.add_argument("--first", type=int, default=1)
    a.add_argument("--number", type=int, default=1000)
    a.add_argument("--jobs", type=int, default=2)
    a.add_argument("--keep", help="folder for models that something is wrong with")
    a.add_argument("--show", action="store_true", help="prints the model of --first and ends")
    o = a.parse_args()
    if o.show:
        print(model_of(o.first, corpus()))
        return
    env = dict(os.environ, NO_COLOR="1",
               ASAN_OPTIONS="exitcode=99:allocator_may_return_null=1:intercept_tls_get_addr=0:handle_sigill=1:"
                            "malloc_context_size=2")
    with tempfile.TemporaryDirectory() as t:
        folder, bad = o.keep or t, 0
        os.makedirs(folder, exist_ok=True)
        for said in many(o.nsm, o.first, o.number, o.jobs, folder, env):
            if said:
                bad += 1
                print(said, flush=True)
        print(f"{o.number} models, {bad} of them broke something")
        sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
