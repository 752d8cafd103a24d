"""The functions of the C sources: where each begins, how many lines and parameters it has. The files that the grammar
makes are not read. `tests/house/functions.py` prints the longest and those with most parameters."""
import pathlib
import re

LINES, PARAMETERS = 60, 7
BEGIN = re.compile(r"^(?!typedef|struct|enum|union|extern|else|return)[A-Za-z_][\w\s\*,]*?\b(\w+)\((.*)$", re.S)


def parameters(text):
    """The number of parameters of a list, which is text up to its closing parenthesis."""
    depth, count = 0, 1
    for i, sign in enumerate(text):
        depth += sign in "([{"
        if sign in ")]}":
            if depth == 0:
                inside = text[:i].strip()
                return (0 if inside in ("", "void") else count), text[i + 1:]
            depth -= 1
        count += sign == "," and depth == 0
    return None


def functions(path):
    """(name, first line, lines, parameters) of each function that is defined in a file."""
    lines = path.read_text().split("\n")
    for first, line in enumerate(lines):
        begun = BEGIN.match(line)
        if not begun or line.endswith((";", "\\")):
            continue
        text, last = begun[2], first
        while (found := parameters(text)) is None and last + 1 < len(lines) and last < first + 30:
            last += 1
            text += "\n" + lines[last]
        if not found or not found[1].strip().startswith("{"):
            continue
        end = last
        if "}" not in found[1] or found[1].count("{") != found[1].count("}"):
            while end < len(lines) and not lines[end].startswith("}"):
                end += 1
        yield begun[1], first + 1, end - first + 1, found[0]


def of_tree(root, tops=("compiler", "runtime")):
    for top in tops:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".c", ".h", ".cpp", ".cc"):
                for name, first, lines, count in functions(path):
                    yield f"{path.relative_to(root)}:{first}", name, lines, count


if __name__ == "__main__":
    found = list(of_tree(pathlib.Path(__file__).resolve().parents[2]))
    long = sorted((f for f in found if f[2] > LINES), key=lambda f: -f[2])
    wide = sorted((f for f in found if f[3] > PARAMETERS), key=lambda f: -f[3])
    for place, name, lines, count in long:
        print(f"{lines:4} lines       {place} {name}")
    for place, name, lines, count in wide:
        print(f"{count:4} parameters  {place} {name}")
    print(f"{len(found)} functions, {len(long)} of more than {LINES} lines, "
          f"{len(wide)} of more than {PARAMETERS} parameters")
