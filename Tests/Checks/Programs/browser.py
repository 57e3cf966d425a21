"""Starts Chromium or Firefox as a user and talks to it: for tests of what users can do in it."""

import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time


class Browser:
    """A running program with a folder of its own, which ends with its value."""

    def __init__(self, user, wrapper=()):
        entry = pwd.getpwnam(user)
        self.uid, self.gid, self.wrapper = entry.pw_uid, entry.pw_gid, list(wrapper)
        self.home = tempfile.mkdtemp(prefix="md-browser-")
        os.chown(self.home, self.uid, self.gid)
        self.process = None
        self.number = 0
        self.buffer = b""

    def write(self, name, text):
        """Writes a file of the user's."""
        path = os.path.join(self.home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        for folder, _, files in os.walk(self.home):
            for each in [folder] + [os.path.join(folder, file) for file in files]:
                os.chown(each, self.uid, self.gid)

    def start(self, words, variables=None, descriptors=()):
        environment = {
            "HOME": self.home, "TMPDIR": self.home, "XDG_RUNTIME_DIR": self.home, "PATH": "/usr/bin:/bin",
            "LC_ALL": "C.UTF-8", "DBUS_SESSION_BUS_ADDRESS": "disabled:", **(variables or {})}

        def become():
            os.setsid()
            for number, descriptor in enumerate(descriptors):
                os.dup2(descriptor, 103 + number)
            for number in range(len(descriptors)):
                os.dup2(103 + number, 3 + number)
            os.setgroups([])
            os.setgid(self.gid)
            os.setuid(self.uid)

        self.started = time.monotonic()
        self.process = subprocess.Popen(
            self.wrapper + words, env=environment, preexec_fn=become, close_fds=not descriptors,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def close(self):
        if self.process:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
        for _ in range(50):
            shutil.rmtree(self.home, ignore_errors=True)
            if not os.path.exists(self.home):
                return
            time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Chromium(Browser):
    """Chromium over DevTools' descriptors."""

    def run(self, *switches, program="/usr/bin/chromium", variables=None, profile=None):
        ours, theirs = socket.socketpair()
        self.socket = ours
        self.start(
            [program, "--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--no-startup-window",
             "--user-data-dir=" + (profile or self.home + "/profile"), *switches],
            variables, [theirs.fileno(), theirs.fileno()])
        theirs.close()
        self.socket.settimeout(40)
        self.call("Browser.getVersion")
        return self

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self.socket.sendall(json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.buffer:
                part = self.socket.recv(1 << 16)
                if not part:
                    raise EOFError("Chromium ended")
                self.buffer += part
            text, self.buffer = self.buffer.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                return answer["result"]

    def open(self, address):
        """Opens a page and waits until it is there."""
        target = self.call("Target.createTarget", url=address)["targetId"]
        page = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        while not self.evaluate(page, "document.readyState + location.href").startswith("complete" + address):
            time.sleep(0.02)
        return page

    def evaluate(self, page, expression):
        result = self.call("Runtime.evaluate", page, expression=expression, awaitPromise=True, returnByValue=True)
        return result["result"].get("value")

    def policies(self):
        """Opens the page of policies, which follows changes from then on."""
        page = self.open("chrome://policy/")
        self.evaluate(page, """import('chrome://resources/js/cr.js').then(cr => new Promise(done => {
            cr.addWebUiListener('policies-updated', (names, values) => { window.values = values; done(1); });
            chrome.send('listenPoliciesUpdates'); }))""")
        return page

    def policy(self, page, name, group="chrome"):
        return self.evaluate(page, f"((window.values.policyGroups[{json.dumps(group)}] || {{policies: {{}}}})"
                                   f".policies[{json.dumps(name)}] || {{}}).value")

    def watches(self, folder):
        """Whether the browser watches a folder."""
        mark = "ino:%x " % os.stat(folder).st_ino
        base = f"/proc/{self.process.pid}/fdinfo"
        for name in os.listdir(base):
            try:
                with open(f"{base}/{name}") as file:
                    if mark in file.read():
                        return True
            except OSError:
                continue
        return False


class Mozilla(Browser):
    """Firefox or Thunderbird over Marionette."""

    def run(self, program="/usr/bin/firefox-esr", preferences="", variables=None, words=()):
        self.write("profile/user.js", 'user_pref("marionette.port", 0);\n' + preferences)
        self.start([program, "--headless", "--no-remote", "--profile", self.home + "/profile", "--marionette",
                    "--remote-allow-system-access", *words], variables)
        path = self.home + "/profile/MarionetteActivePort"
        while not (os.path.exists(path) and open(path).read().strip()):
            if self.process.poll() is not None or time.monotonic() - self.started > 40:
                raise EOFError("it does not answer")
            time.sleep(0.05)
        self.socket = socket.create_connection(("127.0.0.1", int(open(path).read())), timeout=40)
        self.next()
        self.call("WebDriver:NewSession")
        self.call("Marionette:SetContext", value="chrome")
        return self

    def next(self):
        while b":" not in self.buffer:
            self.buffer += self.receive()
        length, self.buffer = self.buffer.split(b":", 1)
        while len(self.buffer) < int(length):
            self.buffer += self.receive()
        text, self.buffer = self.buffer[:int(length)], self.buffer[int(length):]
        return json.loads(text)

    def receive(self):
        part = self.socket.recv(1 << 16)
        if not part:
            raise EOFError("it ended")
        return part

    def call(self, name, **parameters):
        self.number += 1
        text = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self.next()
        if error:
            raise RuntimeError(error["message"])
        return result

    def evaluate(self, script):
        return self.call("WebDriver:ExecuteScript", script=script, args=[])["value"]
