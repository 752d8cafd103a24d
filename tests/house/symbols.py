"""Circles by symbols: which object files of a build need each other, as `nm` tells. A file needs another one where it
names a function or a table that the other one defines; a circle is a set of files each of which needs, directly or
through others, each other one. Folders are looked at in the same way."""
import pathlib
import re
import subprocess

# Files that stand in circles, by folder, and circles of folders: what is there today. A number may only fall, and falls
# here with it.
FILES = {"compiler/model": 12, "compiler/syntax": 7, "compiler/expr": 9, "compiler/driver": 2,
         "compiler/jit": 4, "runtime/assembly": 2}
FOLDERS = []
# Of the C library; the command has its own (compiler/driver/memory.c), which all call.
MEMORY = {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "free"}


def objects(build):
    """object file -> source file relative to the root (or to the build, where it is generated there). Objects of
    sources that are gone are left out."""
    found, root = {}, pathlib.Path(__file__).resolve().parents[2]
    for path in [*(build / "compiler").rglob("*.c.o"), *(build / "runtime").rglob("*.c.o")]:
        m = re.match(r"(.*)/CMakeFiles/[^/]+\.dir/(.*)\.o$", str(path.relative_to(build)))
        if m and any((top / m[1] / m[2]).exists() for top in (root, build)):
            found[str(path)] = f"{m[1]}/{m[2]}"
    return found


def needs(build):
    """file -> {file: symbols of it that the first one names}; None where nothing is built or there is no nm."""
    of = objects(build)
    try:
        out = subprocess.run(["nm", "-A", *of], capture_output=True, text=True).stdout if of else ""
    except OSError:
        return None
    home, named = {}, {}
    for line in out.splitlines():
        path, _, rest = line.partition(":")
        *_, kind, symbol = rest.split()
        if symbol in MEMORY:
            continue
        if kind == "U":
            named.setdefault(of[path], []).append(symbol)
        elif kind in "TDBRCVW":
            home.setdefault(symbol, of[path])
    graph = {file: {} for file in of.values()}
    for file, symbols in named.items():
        for symbol in symbols:
            if home.get(symbol, file) != file:
                graph[file].setdefault(home[symbol], []).append(symbol)
    return graph if home else None


def by_folder(graph):
    """folder -> {folder: the files of the first one that need it}."""
    folders = {}
    for file, others in graph.items():
        for other in others:
            a, b = (str(pathlib.Path(f).parent) for f in (file, other))
            if a != b:
                folders.setdefault(a, {}).setdefault(b, []).append(file)
                folders.setdefault(b, {})
    return folders


def circles(graph):
    """The circles of a graph, largest first: sets of nodes that reach each other [Tarjan 1972], without recursion."""
    order, low, stack, on, found = {}, {}, [], set(), []
    for root in graph:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        todo = [(root, iter(graph[root]))]
        stack.append(root)
        on.add(root)
        while todo:
            node, rest = todo[-1]
            for other in rest:
                if other not in order:
                    order[other] = low[other] = len(order)
                    todo.append((other, iter(graph[other])))
                    stack.append(other)
                    on.add(other)
                    break
                if other in on:
                    low[node] = min(low[node], order[other])
            else:
                todo.pop()
                if todo:
                    low[todo[-1][0]] = min(low[todo[-1][0]], low[node])
                if low[node] == order[node]:
                    at = stack.index(node)
                    found.append(sorted(stack[at:]))
                    on -= set(stack[at:])
                    del stack[at:]
    return sorted((c for c in found if len(c) > 1), key=len, reverse=True)


def told(circle, graph):
    """The circle, a line for each way from one to another."""
    inside = set(circle)
    return "\n".join(f"{a} needs {', '.join(sorted(graph[a][b])[:4])} of {b}" for a in circle for b in sorted(graph[a])
                     if b in inside)
