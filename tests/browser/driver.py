"""A little of the WebDriver protocol: enough to open a page, press keys, ask it things and take pictures."""

import base64
import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]


class Browser:
    def __init__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.profile = tempfile.mkdtemp(prefix="spi-browser-")
        self.process = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = None
        self._wait_for_driver()
        options = {
            "binary": shutil.which("chromium"),
            "args": FLAGS + [f"--user-data-dir={self.profile}"],
        }
        wanted = {"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
        }}}
        self.session = self._call("POST", "/session", wanted)["sessionId"]

    def _wait_for_driver(self):
        for _ in range(100):
            try:
                if self._call("GET", "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not start")

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, method=method)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def _ask(self, method, path, body=None):
        return self._call(method, f"/session/{self.session}{path}", body)

    def open(self, path):
        self._ask("POST", "/url", {"url": path.resolve().as_uri()})

    def script(self, code, *args):
        return self._ask("POST", "/execute/sync", {"script": code, "args": list(args)})

    def press(self, key):
        """One of the named keys."""
        codes = {"right": "\ue014", "left": "\ue012", "home": "\ue011", "end": "\ue010", "tab": "\ue004"}
        keys = [{"type": "keyDown", "value": codes[key]}, {"type": "keyUp", "value": codes[key]}]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": keys}]})

    def resize(self, width, height):
        self.cdp("Emulation.setDeviceMetricsOverride",
                 width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name, media=""):
        self.cdp("Emulation.setEmulatedMedia", media=media,
                 features=[{"name": "prefers-color-scheme", "value": name}])

    def cdp(self, command, **params):
        return self._ask("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def picture(self, path):
        shot = self.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def log(self):
        return self._ask("POST", "/se/log", {"type": "browser"})

    def close(self):
        try:
            if self.session:
                self._ask("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()
            shutil.rmtree(self.profile, ignore_errors=True)
