"""A browser without a window, driven by WebDriver: Chromium and its driver, where they are installed."""
import base64
import json
import os
import pathlib
import shutil
import socket
import subprocess
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
        """Keys that a person presses, one after another: a letter, or a name of WebDriver's table."""
        named = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Left": "\ue012", "Right": "\ue014",
                 "Up": "\ue013", "Down": "\ue015"}
        presses = [{"type": kind, "value": named.get(k, k)} for k in keys for kind in ("keyDown", "keyUp")]
        self.on("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": presses}]})

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
