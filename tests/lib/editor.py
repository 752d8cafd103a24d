"""A scripted editor: a client of the Language Server Protocol over the pipes of `nsm lsp`."""
import json
import os
import select
import subprocess
import time

from suite import ENV, NSM, Failed


class Editor:
    def __init__(self, root=None, argv=None):
        self.p = subprocess.Popen(argv or [NSM, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, env=ENV)
        self.buffer, self.number, self.version = b"", 0, 0
        self.diagnostics, self.texts, self.last = {}, {}, {}
        self.capabilities = self.ask("initialize", {"rootUri": f"file://{root}" if root else None})["capabilities"]
        self.tell("initialized", {})

    # --- messages ---

    def put(self, body):
        text = body if isinstance(body, bytes) else json.dumps({"jsonrpc": "2.0", **body}).encode()
        self.p.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.p.stdin.flush()

    def get(self, timeout=60):
        end = time.monotonic() + timeout
        while True:
            head, mark, rest = self.buffer.partition(b"\r\n\r\n")
            if mark:
                n = int(head.split(b":")[1])
                if len(rest) >= n:
                    self.buffer = rest[n:]
                    return json.loads(rest[:n])
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.p.stdout], [], [], left)[0]:
                raise Failed("the server does not answer")
            more = os.read(self.p.stdout.fileno(), 1 << 16)
            if not more:
                code = self.p.wait()
                raise Failed(f"the server ended with {code}\n{self.p.stderr.read().decode()[-2000:]}")
            self.buffer += more

    def took(self, m):
        if m.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics[m["params"]["uri"]] = m["params"]["diagnostics"]
            if "version" in m["params"]:
                self.last = m["params"]
        return m

    def ask(self, method, params, error=False):
        """The result; with error=True the error."""
        self.number += 1
        self.put({"id": self.number, "method": method, "params": params})
        while True:
            m = self.took(self.get())
            if m.get("id") == self.number and "method" not in m:
                if ("error" in m) != error:
                    raise Failed(f"{method}: {m}")
                return m["error"] if error else m["result"]

    def tell(self, method, params):
        self.put({"method": method, "params": params})

    # --- documents ---

    def open(self, uri, text):
        self.version += 1
        self.texts[uri] = text
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "nsm", "version": self.version,
                                                            "text": text}})

    def change(self, uri, lo, hi, new):
        """Characters lo to hi of the text become `new`."""
        self.version += 1
        text = self.texts[uri]
        change = {"range": {"start": position(text, lo), "end": position(text, hi)}, "text": new}
        self.texts[uri] = text[:lo] + new + text[hi:]
        self.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": self.version},
                                             "contentChanges": [change]})

    def close(self, uri):
        self.tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def wait(self, uri):
        """The diagnostics of the text as it is now."""
        while (self.last.get("uri"), self.last.get("version")) != (uri, self.version):
            self.took(self.get())
        return self.last["diagnostics"]

    def at(self, method, uri, where, **more):
        """A request about the character at `where`."""
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": uri},
                                                   "position": position(self.texts[uri], where), **more})

    def end(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.p.stdin.close()
        code = self.p.wait(timeout=30)
        if code != 0:
            raise Failed(f"the server ended with {code}\n{self.p.stderr.read().decode()[-2000:]}")
        self.p.stdout.close()
        self.p.stderr.close()


def units(s):
    return len(s.encode("utf-16-le")) // 2


def position(text, at):
    """Line and UTF-16 units of a character."""
    before = text[:at]
    start = before.rfind("\n") + 1
    return {"line": before.count("\n"), "character": units(before[start:])}


def offset(text, at):
    """The character at a position."""
    lines = text.split("\n")
    start = sum(len(l) + 1 for l in lines[:at["line"]])
    line, n = lines[at["line"]], 0
    for k, c in enumerate(line):
        if n >= at["character"]:
            return start + k
        n += units(c)
    return start + len(line)


def applied(text, edits):
    """The text after edits of a WorkspaceEdit."""
    for e in sorted(edits, key=lambda e: -offset(text, e["range"]["start"])):
        lo, hi = offset(text, e["range"]["start"]), offset(text, e["range"]["end"])
        text = text[:lo] + e["newText"] + text[hi:]
    return text
