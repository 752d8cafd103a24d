"""A browser without a window, where it is installed: Chromium, driven by WebDriver, or Firefox, by Marionette, which is
the same commands over a socket of its own."""
import base64
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


def missing():
    """What is not installed, "" when all is there."""
    return " ".join(p for p in ("chromium", "chromedriver") if not shutil.which(p))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


NAMED = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Left": "\ue012", "Right": "\ue014", "Up": "\ue013",
         "Down": "\ue015", "F1": "\ue031"}


def pressed(keys):
    presses = [{"type": kind, "value": NAMED.get(k, k)} for k in keys for kind in ("keyDown", "keyUp")]
    return {"actions": [{"type": "key", "id": "keys", "actions": presses}]}


class Browser:
    """One window. Use as a context; page errors and requests are collected until they are asked for."""

    def __init__(self, width=1280, height=900, dark=False):
        self.port = free_port()
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, start_new_session=True)
        args = ["--headless=new", "--disable-gpu-sandbox", "--hide-scrollbars", "--no-first-run",
                "--disable-dev-shm-usage", "--enable-unsafe-swiftshader", "--use-angle=swiftshader",
                "--disable-background-networking", "--disable-component-update", f"--window-size={width},{height}"]
        if os.geteuid() == 0:
            args.append("--no-sandbox")
        if dark:
            args.append("--blink-settings=preferredColorScheme=0")
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": args, "binary": shutil.which("chromium")},
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        for _ in range(200):
            try:
                self.session = None
                answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
                self.session = answer["sessionId"]
                break
            except (ConnectionError, urllib.error.URLError) as e:
                if isinstance(e, urllib.error.HTTPError):
                    raise RuntimeError(e.read().decode()[:2000]) from e
                time.sleep(0.05)
        if not self.session:
            raise RuntimeError("the driver of the browser does not answer")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.on("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(10)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, method=method,
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def on(self, method, path, body=None):
        return self.call(method, f"/session/{self.session}{path}", body)

    def open(self, where):
        """A file or an address; waits until it is loaded."""
        address = "://" in str(where) or str(where).startswith("about:")
        self.on("POST", "/url", {"url": where if address else pathlib.Path(where).resolve().as_uri()})

    def run(self, script, *args):
        """The value of a function's body in the page."""
        return self.on("POST", "/execute/sync", {"script": script, "args": list(args)})

    def wait(self, script, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.run(script):
                return True
            time.sleep(0.02)
        return False

    def keys(self, *keys):
        """Keys that a person presses, one after another: a letter, or a name of NAMED."""
        self.on("POST", "/actions", pressed(keys))

    def size(self, width, height):
        """Of what the page sees."""
        self.devtools("Emulation.setDeviceMetricsOverride",
                      {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def scheme(self, name):
        """"light" or "dark"."""
        self.devtools("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]})

    def devtools(self, command, params):
        return self.on("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def screenshot(self):
        """PNG, as bytes."""
        return base64.b64decode(self.on("GET", "/screenshot"))

    def errors(self):
        """What the console says since the last time."""
        return [e["message"] for e in self.on("POST", "/se/log", {"type": "browser"}) if e["level"] != "DEBUG"]

    def requests(self):
        """Addresses that were asked for since the last time, but those of the page itself and of its own data."""
        out = []
        for entry in self.on("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith(("data:", "blob:")):
                    out.append(url)
        return out


class Firefox:
    """As Browser, for what both can: open, run, wait, errors, requests."""

    def __init__(self, width=1280, height=900):
        self.port, self.number, self.seen = free_port(), 0, 0
        self.profile = tempfile.TemporaryDirectory()
        pathlib.Path(self.profile.name, "user.js").write_text(
            f'user_pref("marionette.port", {self.port});\n'
            'user_pref("browser.shell.checkDefaultBrowser", false);\n'
            'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
            'user_pref("app.update.enabled", false);\n')
        command = ["firefox-esr", "--headless", "--marionette", "--remote-allow-system-access", "--no-remote",
                   "--profile", self.profile.name, f"--width={width}", f"--height={height}"]
        env = dict(os.environ, HOME=self.profile.name, MOZ_CRASHREPORTER_DISABLE="1")
        self.program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
        end = time.monotonic() + 120
        while time.monotonic() < end:
            try:
                self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=120)
                break
            except ConnectionError:
                time.sleep(0.1)
        self.hear()
        self.call("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {}}})
        self.call("WebDriver:SetTimeouts", {"script": 120000, "pageLoad": 120000})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Marionette:Quit", {"flags": ["eForceQuit"]})
            self.program.wait(30)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.program.kill()
            self.program.wait()
        self.socket.close()
        self.profile.cleanup()

    def read(self, n):
        data = b""
        while len(data) < n:
            part = self.socket.recv(n - len(data))
            if not part:
                raise ConnectionError("the browser is gone")
            data += part
        return data

    def hear(self):
        length = b""
        while not length.endswith(b":"):
            length += self.read(1)
        return json.loads(self.read(int(length[:-1])))

    def call(self, command, params):
        self.number += 1
        text = json.dumps([0, self.number, command, params]).encode()
        self.socket.sendall(str(len(text)).encode() + b":" + text)
        _, _, error, answer = self.hear()
        if error:
            raise RuntimeError(error.get("message", str(error)))
        return answer

    def open(self, where):
        address = "://" in str(where) or str(where).startswith("about:")
        self.call("WebDriver:Navigate", {"url": where if address else pathlib.Path(where).resolve().as_uri()})

    def run(self, script, *args):
        return self.call("WebDriver:ExecuteScript", {"script": script, "args": list(args)})["value"]

    def keys(self, *keys):
        self.call("WebDriver:PerformActions", pressed(keys))

    def requests(self):
        """They are not seen; the policy of the pages forbids them, and what it stops is an error."""
        return []

    wait = Browser.wait

    def errors(self):
        """What the console says of pages since the last time."""
        self.call("Marionette:SetContext", {"value": "chrome"})
        try:
            said = self.run("return Services.console.getMessageArray().map(m => m instanceof Ci.nsIScriptError && "
                            "!(m.flags & 1) && /^(file|https?|blob):/.test(m.sourceName) ? m.errorMessage : '')")
        finally:
            self.call("Marionette:SetContext", {"value": "content"})
        new, self.seen = said[self.seen:], len(said)
        return [m for m in new if m]
