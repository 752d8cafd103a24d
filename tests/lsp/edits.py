"""Random edits of models in a scripted editor, and what `nsm check` says of the text that came out."""
import pathlib
import random
import re
import tempfile

from editor import Editor, offset, units
from suite import ROOT, Failed, need, nsm

SEVERITY = {"error": 1, "warning": 2, "note": 3}


def said_by_check(path):
    """(code, severity, line, column, headline) of each diagnostic, sorted; columns count characters."""
    ran = nsm("check", path)
    need(ran.code in (0, 1), f"nsm check ended with {ran.code}: {path}\n{ran.err[-500:]}")
    found = []
    heads = r"^((?:error|warning|note)\[[EWN]\d+\]: [^\n]*)\n((?: *--> [^\n]*\n)?)"
    for head, rest in re.findall(heads, ran.err, re.M):
        kind, code, text = re.match(r"(\w+)\[(\w+)\]: (.*)", head).groups()
        place = re.match(r" *--> (.*):(\d+):(\d+)$", rest.strip("\n")) if rest else None
        line, column = (int(place[2]), int(place[3])) if place else (1, 1)
        found.append((code, SEVERITY[kind], line, column, text))
    return sorted(found)


def said_by_server(e, path):
    """The same of the server, of the document and of the files that it imports."""
    found = []
    for uri, all in e.diagnostics.items():
        text = e.texts.get(uri)
        if text is None:
            text = pathlib.Path(uri[7:]).read_text()
        lines = text.split("\n")
        for d in all:
            start = d["range"]["start"]
            lo = offset(text, start)
            column = lo - (text.rfind("\n", 0, lo) + 1) + 1
            found.append((d["code"], d["severity"], start["line"] + 1, column, d["message"].split("\n")[0]))
    return sorted(found)


PIECES = ["(", ")", "[", "]", "{", "}", ";", ",", "'", "\"", "/*", "*/", "//", "\n", " ", "=", ">= 0", "1 [m]", "x",
          "[i]",
          "param a = 1;", "for i in 1:3 {", "contact c: x >= 0;", "é", "𝛼", "\t", "model", "simulate", "if x > 0 then",
          "sum(i in 1:n)", "\r\n", ".", "..", "1e", "0x", "bead[1].z", "import \"std/diode.nsm\";", "state x = 1;"]


def one_edit(r, text):
    lo = r.randrange(len(text) + 1)
    hi = min(len(text), lo + (0 if r.random() < 0.5 else int(r.expovariate(0.2))))
    kind = r.random()
    if kind < 0.45:
        new = r.choice(PIECES)
    elif kind < 0.6:
        at = r.randrange(len(text) + 1)
        new = text[at:at + int(r.expovariate(0.1))]
    elif kind < 0.75:
        new = chr(r.randrange(32, 127))
    else:
        new = ""
    return lo, hi, new


def fuzz(seed, edits, every, files=None, say=None):
    """Edits models at random; compares after each `every` edits. Returns the numbers of edits and comparisons."""
    r = random.Random(seed)
    files = files or sorted((ROOT / "models").glob("*.nsm"))
    done = compared = 0
    with tempfile.TemporaryDirectory() as tmp:
        while done < edits:
            source = r.choice(files)
            path = pathlib.Path(tmp) / source.name
            uri = f"file://{path}"
            e = Editor()
            e.open(uri, source.read_text())
            try:
                compared += edit_one(e, r, path, min(every, edits - done))
            except Failed as why:
                raise Failed(f"{why}\nseed {seed}, {source.name}, within {every} edits after {done}\n{e.texts[uri]}")
            done += min(every, edits - done)
            e.end()
            if say:
                say(done, compared)
    return done, compared


def edit_one(e, r, path, edits):
    uri, compared = f"file://{path}", 0
    for k in range(edits):
        lo, hi, new = one_edit(r, e.texts[uri])
        e.change(uri, lo, hi, new)
        if k % 7 == 3:                                      # a request in between makes it compile this text
            at = r.randrange(len(e.texts[uri]) + 1)
            whole = {"start": {"line": 0, "character": 0}, "end": {"line": 10**6, "character": 0}}
            e.at(r.choice(["hover", "completion", "definition", "references", "signatureHelp", "semanticTokens/full",
                           "inlayHint", "codeAction"]), uri, at, range=whole)
        if k % 20 == 19 or k + 1 == edits:
            e.wait(uri)
            path.write_bytes(e.texts[uri].encode())
            server, command = said_by_server(e, path), said_by_check(path)
            compared += 1
            if server != command:
                raise Failed(f"server {server}\ncheck  {command}")
    return compared
