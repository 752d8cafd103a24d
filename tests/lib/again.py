"""Runs that are taken twice: by the program under test, whose numbers a suite looks at, and by one with sanitizers,
which looks at memory. NSM_AGAIN=PROGRAM names the second one; suite.run asks here for each `nsm run`, `check` and
`derive` of a file.

A model with the same flags is taken once, whatever its steps and files and whatever its numbers with a point or an
exponent are (counts and 0, 1 are looked at), and not beyond MOST steps: steps of one model do the same over and over
(tests/models takes its models up to 600 under the sanitizers). Of a check that makes many models the first is taken
and a third of the others, drawn by their texts, SAME in all; leaks are looked for in the first alone: the search takes
a fifth of a short run. A run whose length cannot be read from its words is taken whole. The run under sanitizers comes
first, as the other one writes the same files.
"""
import hashlib
import os
import pathlib
import re
import threading

PROGRAM, MOST = os.environ.get("NSM_AGAIN"), 60
SECONDS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60, "": 1}
NUMBERS = {"--step", "--until", "-o", "--summary", "--record-events", "--contacts", "--jit", "--tolerance",
           "--every"}       # not of the key
MEASURE = re.compile(r"(?<![\w.])\d+(?:\.\d+(?:e[+-]?\d+)?|e[+-]?\d+)\b")     # 0.3, 1e-3, 2.5e4: no count
SAME = 3           # models of one check, which may draw hundreds
seen, lock, check = set(), threading.Lock(), threading.local()


def begin():
    """A check begins, in this thread."""
    check.models = 0


def seconds(written):
    """A time as a flag or a model writes it; None for other expressions."""
    m = re.fullmatch(r"\s*([\d.]+(?:e[+-]?\d+)?)\s*\[?\s*([a-z]*)\s*\]?\s*", written or "")
    return float(m[1])*SECONDS[m[2]] if m and m[2] in SECONDS else None


def pairs(words):
    """[(flag or word, its value or None)], also of --flag=value."""
    out, i = [], 0
    while i < len(words):
        flag, equals, value = words[i].partition("=")
        if equals and flag.startswith("--"):
            out.append((flag, value))
        elif words[i].startswith("-") and i + 1 < len(words) and not words[i + 1].startswith("--"):
            out.append((words[i], words[i + 1]))
            i += 1
        else:
            out.append((words[i], None))
        i += 1
    return out


def written(text, word):
    """`word = ...` of the last `simulate`; a parameter is looked up."""
    at = text.rfind("simulate")
    m = re.search(rf"\b{word} = ([^,}}]+)", text[at:]) if at >= 0 else None
    if m and m[1].strip().isidentifier():
        m = re.search(rf"\b{m[1].strip()} = ([^,;]+)", text)
    return m[1] if m else None


def shortened(argv, text, flags):
    """The words of a run of at most MOST steps."""
    step = seconds(flags.get("--step") or written(text, "step"))
    until = seconds(flags.get("--until") or written(text, "until"))
    if not step or not until or until <= MOST*step or re.search(r"simulate\s*{[^}]*\bstart\b", text):
        return argv, False
    short, end = [], f"{MOST*step:.9g}"
    for word in argv:
        if word.startswith("--until=") or short and short[-1] == "--until":
            word = word if word == "--until" else "--until=" + end if word.startswith("--until=") else end
        short.append(word)
    return short if "--until" in flags else [*short, "--until", end], True


def words_of(argv, cwd):
    """(words of the second run, whether they are shortened, whether it is the check's first), or None where it was
    taken or has no file."""
    if not PROGRAM or len(argv) < 3 or argv[1] not in ("run", "check", "derive"):
        return None
    path = next((pathlib.Path(cwd) / word for word in argv[2:] if word.endswith(".nsm")), None)
    if path is None or not path.is_file():
        return None
    text, flags = path.read_text(errors="replace"), pairs(argv[2:])
    means = [f for f in flags if f[0] not in NUMBERS and not f[0].endswith(".nsm")]
    key = hashlib.sha256(MEASURE.sub("#", argv[1] + text + repr(means)).encode())
    with lock:
        before = getattr(check, "models", 0)
        if key.digest() in seen or before >= SAME or before and key.digest()[0] % 3:
            return None
        seen.add(key.digest())
        check.models = before + 1
    words, short = shortened(argv, text, dict(flags))
    return [PROGRAM, *words[1:]], short, before == 0
