"""What the script tests share: running the compiler, counting, reporting, blessing.

A test script makes a Suite, gives it named checks (functions that raise Failed), and ends with suite.finish(), whose
last line is "NAME: N passed, N failed". Checks run side by side on all processors; output comes in the order of their
names.

Environment: NSM is the program under test (default build/release/nsm), NSM_BLESS=1 rewrites goldens (./check --bless).
NSM_JOBS: how many checks run side by side (default: one on each processor). NSM_STOP=1 ends a suite at its first
failure (tests/bench/mutants). NSM_TIMES=FILE appends a line for each check, "SECONDS SUITE/CHECK": processor time of
its thread and of the programs that it ran by run() and nsm(), and one for the whole suite.
"""
import concurrent.futures
import difflib
import fcntl
import os
import pathlib
import resource
import signal
import subprocess
import sys
import threading
import time

import again

ROOT = pathlib.Path(__file__).resolve().parents[2]
NSM = os.environ.get("NSM", str(ROOT / "build/release/nsm"))
TIMES = os.environ.get("NSM_TIMES")
STOP = os.environ.get("NSM_STOP") == "1"
JOBS = int(os.environ.get("NSM_JOBS", 0)) or os.cpu_count() or 1
BLESS = os.environ.get("NSM_BLESS") == "1"
SANITIZED = "sanitize" in NSM
# A sanitizer's report must not look like one of the command's own exit codes. The leak checker's own guess where the
# thread-local storage of an opened library begins (a heuristic for glibc 2.19, taken by addresses that end in 010) can
# make it read nonsense and stop; the storage is found without it. Undefined behaviour is an illegal instruction
# (CMakeLists.txt), of which handle_sigill makes a report. What is given back waits in 16 MB, not in 256, before it is
# used again: programs that take and give much spend half of the time of the system on fresh pages otherwise. Of where
# memory was taken or given back two places are kept, not 30, and one where no leaks are looked for (none is found by
# one): each other stack touches a page of a table, which is half of the pages of a small run. What is found is the
# same; for whole stacks the program is run again by hand.
ENV = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8",
           ASAN_OPTIONS="exitcode=99:allocator_may_return_null=1:intercept_tls_get_addr=0:handle_sigill=1:"
                        "quarantine_size_mb=16:malloc_context_size=2")
ENV.pop("NSM_STD_DIR", None)


class Failed(Exception):
    """A check that did not hold, with the reason for a person."""


class KnownFailure(Exception):
    """A check that does not hold yet, marked in its file with the reason."""


def need(condition, message):
    if not condition:
        raise Failed(message)


def put(path, text):
    """Writes a file that checks which run side by side share: none of them meets it half written."""
    own = path.with_name(f"{path.name}.{threading.get_ident()}")
    own.write_bytes(text if isinstance(text, bytes) else text.encode())
    own.replace(path)


def heard():
    """For preexec_fn: signals are heard, also where the suite was begun with them ignored (`&`, nohup)."""
    for which in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        signal.signal(which, signal.SIG_DFL)


def built(target):
    """`cmake --build` of a target beside NSM, one at a time: two suites ask for the same one, and run side by side."""
    folder = pathlib.Path(NSM).resolve().parent
    with open(folder / "suites.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return subprocess.run(["cmake", "--build", str(folder), "-j", "2", "--target", target], capture_output=True,
                              text=True)


class Ran:
    def __init__(self, argv, code, out, err):
        self.argv, self.code, self.bytes = argv, code, out
        self.out, self.err = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")

    def expect(self, code):
        """The exit code that must come out; a crash or a sanitizer report is never expected."""
        if self.code != code:
            tail = "\n".join(self.err.strip().splitlines()[-12:])
            raise Failed(f"exit code {self.code}, not {code}: {' '.join(map(str, self.argv))}\n{tail}")
        return self


spent = threading.local()       # .programs: processor time of the programs that this thread ran; .runs: their number


class Timed(subprocess.Popen):
    """A program whose processor time is added to `spent` when it ends."""

    def _try_wait(self, flags):
        try:
            pid, status, used = os.wait4(self.pid, flags)
        except ChildProcessError:
            return self.pid, 0
        if pid:
            spent.programs = getattr(spent, "programs", 0.0) + used.ru_utime + used.ru_stime
        return pid, status


def without_leaks(env):
    return dict(env, ASAN_OPTIONS=env.get("ASAN_OPTIONS", "") + ":detect_leaks=0:malloc_context_size=1")


def looks_for_leaks():
    """Of the sanitized runs of a check the first and every fourth: the search takes a third of a small run."""
    spent.runs = getattr(spent, "runs", 0) + 1
    return spent.runs % 4 == 1


def run(argv, cwd=ROOT, timeout=120, **kw):
    """`timeout` is in seconds of the processor, as a busy machine changes no verdict; of the wall, ten times it."""
    argv = [str(a) for a in argv]
    kw.setdefault("stdin", subprocess.DEVNULL)
    kw.setdefault("env", ENV)
    kw.setdefault("stdout", subprocess.PIPE)
    if SANITIZED and not looks_for_leaks():
        kw["env"] = without_leaks(kw["env"])
    second = again.words_of(argv, cwd) if argv[0] == NSM else None
    first = second and started(second[0], cwd, 600, kw | {"env": kw["env"] if second[2] else without_leaks(kw["env"])})
    ran = started(argv, cwd, timeout, kw)
    if second and not (first.code == ran.code or second[1] and first.code in (0, 5)):
        raise Failed(f"exit code {first.code}, not {ran.code}: {' '.join(first.argv)}\n{first.err[-3000:]}")
    return ran


def limited(p, seconds):
    """Limits the processor time of a program that runs; not where it has a limit of its own, or has ended already."""
    try:
        if resource.prlimit(p.pid, resource.RLIMIT_CPU)[0] == resource.RLIM_INFINITY:
            resource.prlimit(p.pid, resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
    except ProcessLookupError:
        pass


def started(argv, cwd, timeout, kw):
    given = kw.pop("input", None)
    if given is not None:
        kw["stdin"] = subprocess.PIPE
    with Timed(argv, cwd=cwd, stderr=subprocess.PIPE, **kw) as p:
        try:
            limited(p, timeout)
            out, err = p.communicate(given, timeout=10*timeout)
        except BaseException as e:
            p.kill()
            p.wait()
            if isinstance(e, subprocess.TimeoutExpired):
                raise Failed(f"still waiting after {10*timeout} s: {' '.join(argv)}") from None
            raise
    if p.returncode == -signal.SIGXCPU:
        raise Failed(f"still running after {timeout} s of the processor: {' '.join(argv)}")
    return Ran(argv, p.returncode, out or b"", err)


def nsm(*args, **kw):
    return run([NSM, *args], **kw)


def by_forties(items):
    """Parts of a list, whose files are taken in one process: a start under the sanitizers takes ten times as long as
    a file."""
    return [items[i:i + 40] for i in range(0, len(items), 40)]


def copied(program, to):
    """A copy that can be run at once. It is written by a process of its own: a child that another check starts
    meanwhile would hold it open, and what somebody has open for writing cannot be run."""
    subprocess.run(["cp", str(program), str(to)], check=True)
    return to


def golden(path, text):
    """Compares text with the file, or writes the file when blessing."""
    path = pathlib.Path(path)
    if BLESS:
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"blessed {path.relative_to(ROOT)}")
        return
    need(path.exists(), f"{path.relative_to(ROOT)} does not exist; ./check --bless writes it")
    want = path.read_text()
    if want != text:
        diff = difflib.unified_diff(want.splitlines(), text.splitlines(), str(path.relative_to(ROOT)), "now",
                                    lineterm="", n=2)
        raise Failed("\n".join(list(diff)[:60]))


def first_comment(path, key):
    """The rest of the first line `// key: ...` among a file's lines, or None."""
    for line in pathlib.Path(path).read_text(errors="replace").splitlines():
        if line.strip().startswith(f"// {key}:"):
            return line.split(":", 1)[1].strip()
    return None


class Suite:
    def __init__(self, name):
        self.name, self.checks, self.seconds, self.over = name, [], [], False

    def add(self, name, check, *args):
        self.checks.append((name, check, args))

    def _one(self, item):
        name, check, args = item
        if STOP and self.over:
            return name, "left", None
        spent.programs, spent.runs, began = 0.0, 0, time.thread_time()
        again.begin()
        try:
            return name, "passed", check(*args)
        except KnownFailure as e:
            return name, "known", str(e)
        except Failed as e:
            self.over = True
            return name, "failed", str(e)
        except Exception as e:  # a fault of the test is a failure too
            self.over = True
            return name, "failed", f"{type(e).__name__}: {e}"
        finally:
            self.seconds.append((spent.programs + time.thread_time() - began, name))

    def write_times(self):
        of = "sanitize" if SANITIZED else "release"
        with open(TIMES, "a") as out:
            for seconds, name in sorted(self.seconds, reverse=True):
                out.write(f"{seconds:.3f} {of}/{self.name}/{name}\n")
            out.write(f"{sum(os.times()[:4]):.3f} {of}/{self.name}\n")

    def finish(self, needs_nsm=True):
        if needs_nsm and not os.access(NSM, os.X_OK):
            self.checks = [("the compiler exists", lambda: need(False, f"{NSM} is not there"), ())]
        only = sys.argv[1:]
        items = [c for c in self.checks if not only or any(o in c[0] for o in only)]
        passed = failed = 0
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            for name, outcome, said in pool.map(self._one, items):
                if outcome == "left":
                    continue
                if outcome == "failed":
                    failed += 1
                    print(f"FAILED {self.name}/{name}\n    " + said.replace("\n", "\n    "))
                elif outcome == "known":
                    print(f"known failure {self.name}/{name}: {said}")
                else:
                    passed += 1
                    if said:
                        print(f"{self.name}/{name}: {said}")
        if TIMES:
            self.write_times()
        print(f"{self.name}: {passed} passed, {failed} failed")
        sys.exit(1 if failed else 0)
