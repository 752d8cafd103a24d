"""Files that comments name are there. A name is looked for as the end of a path: `ledger.c`, `schemes/whole.h`,
`docs/numerics/cone.md`."""
import ast
import io
import re
import tokenize

# Names that stand for any file of their kind, files of other projects, and what an example writes.
FREE = {"file.c", "model.c", "main.c", "model.nsm", "Falling.nsm", "fit.py", "cmocka.h", "linsys.h",
        "tests/errors/no-such-file.nsm"}
ENDING = r"(?:c|h|def|l|y|py|js|md|nsm|json|dat|cmake)"
NAME = re.compile(rf"(?<![\w./*%<-])((?:[\w-]+/)*[\w-]+\.{ENDING})\b(?![\w/(*.-]*\w)")
C = {".c", ".h", ".def", ".l", ".y", ".js"}


def of_python(text):
    """Comments and docstrings."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            yield node.body[0].lineno, ast.get_docstring(node, clean=False)


def comments(path, text):
    """(line, text) of the comments of a file."""
    if path.suffix in C:
        blank = re.sub(r'"(?:\\.|[^"\\\n])*"', lambda m: " " * len(m[0]), text)
        for m in re.finditer(r"/\*.*?\*/|//[^\n]*", blank, re.S):
            yield blank.count("\n", 0, m.start()) + 1, m[0]
    elif path.suffix == ".py" or text.startswith("#!") and "python" in text.partition("\n")[0]:
        yield from of_python(text)
    elif path.suffix in (".cmake", ".sh", ".txt", ""):
        for m in re.finditer(r"(?m:^\s*#.*$)", text):
            yield text.count("\n", 0, m.start()) + 1, m[0]


def ends(files):
    """All ends of the paths."""
    return {"/".join(parts[i:]) for parts in (f.split("/") for f in files) for i in range(len(parts))}


def stale(path, there):
    """"LINE: NAME" of what the comments name and is not there. Members of structs (`p.c`) have short names, and names
    in capitals (NAME.json) stand for any."""
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        return
    for first, comment in comments(path, text):
        for m in NAME.finditer(comment):
            name, line = m[1], first + comment.count("\n", 0, m.start())
            stem = name.rsplit("/")[-1].split(".")[0]
            any_file = re.search(r"[A-Z]{4}|E0123", name) or name.startswith("std/")
            if len(stem) > 3 and not any_file and name not in there and name not in FREE:
                yield f"{line}: {name}"
