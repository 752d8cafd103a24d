"""Cells are checked in processes of their own, one for each processor; a crash ends one process and is the verdict of
its cell, and so is a cell that takes too long."""
import gc
import json
import os
import resource
import select
import signal
import threading

from suite import JOBS

PATIENCE = 60       # seconds of the processor for one cell: a busy machine changes no verdict
ASLEEP = 600        # seconds on the wall for one that waits for something


def child(cells, verify, pipe):
    """Writes two lines for each cell: its number, its verdict."""
    with os.fdopen(pipe, "w", buffering=1) as out:
        for number, cell in cells:
            out.write(f"{number}\n")
            used = resource.getrusage(resource.RUSAGE_SELF)
            end = int(used.ru_utime + used.ru_stime) + PATIENCE
            resource.setrlimit(resource.RLIMIT_CPU, (end, resource.RLIM_INFINITY))
            try:
                said = verify(cell)
            except Exception as e:                              # a fault of the generator or of the package
                said = "wrong", f"{type(e).__name__}: {e}"
            out.write(json.dumps(said) + "\n")


def start(cells, verify):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        code = 1
        try:
            child(cells, verify, write)
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    return pid, read


def lines_of(pipe):
    """Lines until the child ends; None where it says nothing for ASLEEP."""
    rest = b""
    while True:
        if not select.select([pipe], [], [], ASLEEP)[0]:
            yield None
        more = os.read(pipe, 65536)
        if not more:
            return
        *lines, rest = (rest + more).split(b"\n")
        yield from lines


def follow(cells, verify, verdicts):
    """Verifies these cells in a child, and goes on behind a cell that ends it."""
    while cells:
        pid, pipe = start(cells, verify)
        done, number, late = 0, None, False
        for line in lines_of(pipe):
            if line is None:
                late = True
                os.kill(pid, signal.SIGKILL)
                break
            if number is None:
                number = int(line)
            else:
                verdicts[number], number, done = tuple(json.loads(line)), None, done + 1
        os.close(pipe)
        status = os.waitpid(pid, 0)[1]
        if number is not None:
            which = os.WTERMSIG(status)
            how = (f"asleep after {ASLEEP} s" if late else f"still running after {PATIENCE} s of the processor"
                   if which == signal.SIGXCPU else f"ends with signal {which}")
            verdicts[number], done = ("wrong", how), done + 1
        cells = cells[done:]


def groups(cells):
    """[(number, cell)] of each law and feature, the largest first. They have their motions in common, which motion.py
    keeps: one process verifies them."""
    of = {}
    for numbered in enumerate(cells):
        of.setdefault((numbered[1].law, numbered[1].feature), []).append(numbered)
    return sorted(of.values(), key=len, reverse=True)


def check_all(cells, verify):
    """Verdicts in the order of the cells."""
    verdicts, left, lock = [None]*len(cells), groups(cells), threading.Lock()

    def work():
        while True:
            with lock:
                if not left:
                    return
                group = left.pop(0)
            follow(group, verify, verdicts)

    gc.freeze()                            # children look through what they make, and copy no page of what is here
    threads = [threading.Thread(target=work) for _ in range(JOBS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return verdicts
