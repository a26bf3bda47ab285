"""A headless Chromium driven over a pipe with the DevTools protocol: nothing beside Python is needed."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--disable-extensions", "--disable-background-networking", "--disable-component-update",
         "--no-first-run", "--hide-scrollbars", "--remote-debugging-pipe"]
TIMEOUT = 60


def find():
    """The path of a browser, None where there is none."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page. problems collects errors of the console, requests every address that was asked for."""

    def __init__(self):
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()
        self.profile = tempfile.mkdtemp(prefix="qkvlab-browser-")

        def pipes():  # the protocol's numbers: 3 to read commands, 4 to write answers
            low, high = os.dup(to_read), os.dup(to_write)
            os.dup2(low, 3)
            os.dup2(high, 4)

        self.process = subprocess.Popen(
            [find(), *FLAGS, "--user-data-dir=" + self.profile], preexec_fn=pipes, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.n_sent = 0
        self.answers, self.problems, self.requests, self.events = {}, [], [], []
        self.session = None
        self.changed = threading.Condition()
        threading.Thread(target=self.listen, daemon=True).start()
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(domain + ".enable")

    def listen(self):
        rest = b""
        while True:
            chunk = os.read(self.from_browser, 1 << 20)
            if not chunk:
                return
            *messages, rest = (rest + chunk).split(b"\0")
            with self.changed:
                for message in messages:
                    self.receive(json.loads(message))
                self.changed.notify_all()

    def receive(self, message):
        if "id" in message:
            self.answers[message["id"]] = message
            return
        method, values = message["method"], message["params"]
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            self.problems.append(values["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning"):
            self.problems.append(str(values["args"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])

    def wait(self, condition):
        with self.changed:
            if not self.changed.wait_for(condition, TIMEOUT):
                raise TimeoutError("the browser did not answer in %d seconds" % TIMEOUT)

    def send(self, method, **values):
        self.n_sent += 1
        number = self.n_sent
        message = {"id": number, "method": method, "params": values}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        self.wait(lambda: number in self.answers)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError("%s: %s" % (method, answer["error"]["message"]))
        return answer["result"]

    def size(self, width, height, phone=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=phone)

    def dark(self, dark):
        self.send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def open(self, path):
        """Loads a page that sets data-ready when it is done; returns the seconds it took."""
        start = time.monotonic()
        n_load = self.events.count("Page.loadEventFired")
        self.send("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait(lambda: self.events.count("Page.loadEventFired") > n_load)
        self.run("""new Promise(done => { (function look() {
            document.documentElement.dataset.ready ? done() : setTimeout(look, 5); })(); })""")
        return time.monotonic() - start

    def run(self, script):
        """The value of a JavaScript expression."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def key(self, key):
        code = {"Enter": 13, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}[key]
        more = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode=code, **more)

    def move(self, x, y):
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def picture(self, path, full=False):
        data = self.send("Page.captureScreenshot", captureBeyondViewport=full)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self, path=None):
        data = base64.b64decode(self.send("Page.printToPDF", printBackground=True)["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return data

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
