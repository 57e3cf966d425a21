"""A cockpit-ws with the page of this tree and a Chromium that looks at it: what the checks of this folder share.

    with Console(commands) as console:                 # a folder whose mdefaults is first in PATH
        page = console.page("#/force", width=1600, dark=False)
        page.wait("document.querySelector('.card')")
        page.picture("force.png")
"""

import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "../../../Sources/Commands/cockpit-managed-defaults")
sys.path.insert(0, os.path.join(HERE, "../Programs"))
import browser  # noqa: E402

AXE = os.environ.get("AXE", "")


def axe_script():
    """The text of axe.min.js: the file that AXE names, or that of the package axe-core-python."""
    if AXE:
        return open(AXE).read()
    import importlib.util
    found = importlib.util.find_spec("axe_core_python")
    return open(os.path.join(os.path.dirname(found.origin), "axe.min.js")).read() if found else None


class Page:
    """One page of a browser."""

    def __init__(self, browser, address, width, dark, language=None):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        if language:
            self.call("Network.setCookie", name="CockpitLang", value=language, url=address)
        self.call("Page.addScriptToEvaluateOnNewDocument", source=
                  f"try {{ localStorage.setItem('shell:style', '{'dark' if dark else 'light'}') }} catch {{}};"
                  "window.errors = []; window.addEventListener('error', e => errors.push(e.message));"
                  "window.addEventListener('unhandledrejection', e => errors.push(String(e.reason)));"
                  "document.addEventListener('securitypolicyviolation', e => errors.push('CSP ' + e.violatedDirective))")
        self.size(width)
        self.call("Page.navigate", url=address)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def size(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def evaluate(self, expression):
        """The value of an expression; raises what it throws."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", "threw"))
        return result["result"].get("value")

    def wait(self, expression, seconds=20):
        """Waits until an expression is true; returns how long that took."""
        began = time.monotonic()
        while True:
            try:
                if self.evaluate(f"Boolean({expression})"):
                    return time.monotonic() - began
            except RuntimeError:
                pass
            if time.monotonic() - began > seconds:
                raise TimeoutError(f"not so after {seconds} s: {expression}\n" + (self.text() or "")[:2000])
            time.sleep(0.01)

    def text(self):
        return self.evaluate("document.body.innerText")

    def type(self, selector, text):
        """Puts a text into a field as a person does."""
        self.evaluate(f"""(() => {{ const field = document.querySelector({json.dumps(selector)});
            field.focus(); field.value = {json.dumps(text)};
            field.dispatchEvent(new Event('input', {{bubbles: true}}));
            field.dispatchEvent(new Event('change', {{bubbles: true}})) }})()""")

    def press(self, words, root="document"):
        """Presses the visible button or link with these words."""
        self.wait(f"[...{root}.querySelectorAll('button, a, summary')].some(e => e.offsetParent && e.textContent.trim()"
                  f" === {json.dumps(words)} && !e.disabled)")
        self.evaluate(f"[...{root}.querySelectorAll('button, a, summary')].filter(e => e.offsetParent &&"
                      f" e.textContent.trim() === {json.dumps(words)} && !e.disabled).at(-1).click()")

    def key(self, key, code=None):
        names = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key,
                      windowsVirtualKeyCode=names.get(key, 0),
                      **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}))

    def picture(self, path, whole=True):
        self.evaluate("document.fonts.ready.then(() => true)")
        if whole:
            height = self.evaluate("document.documentElement.scrollHeight")
            width = self.evaluate("innerWidth")
            self.size(width, max(600, min(height, 6000)))
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def axe(self):
        """What axe finds: a sentence for each rule and place."""
        script = axe_script()
        if not script:
            return None
        self.call("Page.setBypassCSP", enabled=True)
        self.call("Runtime.evaluate", expression=script)
        found = self.evaluate("axe.run(document, {resultTypes: ['violations']}).then(r => JSON.stringify(r.violations.map("
                              "v => [v.id, v.help, v.nodes.map(n => n.html.slice(0, 200))])))")
        return [f"{rule}: {words}: {nodes[0]} ({len(nodes)})" for rule, words, nodes in json.loads(found)]

    def errors(self):
        return self.evaluate("window.errors")

    def too_wide(self):
        """Whether one has to scroll sideways."""
        return self.evaluate("document.documentElement.scrollWidth > innerWidth")

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)


class Console:
    """cockpit-ws for one session, as `user` (the caller without it), with a browser of another."""

    def __init__(self, commands=None, user=None, sources=SOURCES, variables=None):
        self.home = tempfile.mkdtemp(prefix="md-console-")
        os.chmod(self.home, 0o755)
        os.makedirs(self.home + "/share/cockpit")
        shutil.copytree(sources, self.home + "/share/cockpit/managed-defaults")
        with socket.socket() as place:
            place.bind(("127.0.0.1", 0))
            self.port = place.getsockname()[1]
        path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        environment = {
            "HOME": self.home, "XDG_DATA_HOME": self.home + "/share", "XDG_RUNTIME_DIR": self.home, "LC_ALL": "C.UTF-8",
            "PATH": (commands + ":" if commands else "") + path, **(variables or {})}
        words = ["/usr/lib/cockpit/cockpit-ws", f"--port={self.port}", "--address=127.0.0.1", "--no-tls",
                 "--local-session=cockpit-bridge"]
        if user:
            subprocess.run(["chown", "-R", user, self.home], check=True)
            words = ["runuser", "-u", user, "--", "env", *(f"{name}={value}" for name, value in environment.items()), *words]
        self.log = open(self.home + "/log", "w+")
        self.process = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                        start_new_session=True)
        self.browser = browser.Chromium(os.environ.get("BROWSER_USER", "root"))
        for _ in range(500):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/ping").read()
                break
            except OSError:
                time.sleep(0.02)
        switches = ["--no-sandbox"] if self.browser.uid == 0 else []
        self.browser.run("--window-size=1600,900", "--force-color-profile=srgb", *switches)

    def page(self, place="", width=1600, dark=False, language=None):
        page = Page(self.browser, f"http://127.0.0.1:{self.port}/cockpit/@localhost/managed-defaults/index.html{place}", width,
                    dark, language)
        page.wait("document.querySelector('h1')")
        return page

    def memory(self):
        """Megabytes of the processes that draw pages and run their scripts: what is theirs alone, the most of them."""
        most = 0
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/cmdline") as file:
                    if "--type=renderer" not in file.read():
                        continue
                with open(f"/proc/{name}/stat") as file:
                    if int(file.read().rsplit(")", 1)[1].split()[3]) != self.browser.process.pid:
                        continue
                with open(f"/proc/{name}/smaps_rollup") as file:
                    parts = [line.split() for line in file]
                most = max(most, sum(int(part[1]) for part in parts if part[0].startswith("Private_")) / 1024)
            except (OSError, ValueError, IndexError):
                continue
        return most

    def close(self):
        self.browser.close()
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
