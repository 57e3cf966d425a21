"""What every trial needs: users, commands as a user, writers that are killed, and a search for what was recorded."""

import os
import plistlib
import pwd
import random
import subprocess
import sys
import tempfile
import time

BIN = os.environ["BIN"]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Programs"))
#: A folder of programs and files that users may read.
WORK = tempfile.mkdtemp(prefix="claims-")
os.chmod(WORK, 0o755)
USER, OTHER = "md-claims-1", "md-claims-2"
#: The value that policy forces everywhere.
FORCED = "https://start.school.example/"


class NotHere(Exception):
    """The system is not installed, or a part of it."""


def make_users():
    for user in (USER, OTHER):
        subprocess.run(["useradd", "--create-home", user], check=True)


def program(name):
    """A built program where users may run it."""
    path = f"{WORK}/{name}"
    if not os.path.exists(path):
        if not os.path.exists(f"{BIN}/{name}"):
            raise NotHere
        subprocess.run(["cp", f"{BIN}/{name}", path], check=True)
        os.chmod(path, 0o755)
    return path


def environment(user, **variables):
    home = pwd.getpwnam(user).pw_dir
    return {"HOME": home, "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8", **variables}


def identity(user):
    entry = pwd.getpwnam(user)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def run(*words, user=None, text=None, **variables):
    """Runs a command as root or a user; returns exit code and all that it printed."""
    options = identity(user) if user else {}
    done = subprocess.run(words, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          env=environment(user or "root", **variables), cwd="/", timeout=120, **options)
    return done.returncode, done.stdout


def put(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def halve(path):
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(data[: len(data) // 2])


def found(marker, *places, but=()):
    """The files in which a text is, so that a record of it would be found."""
    _, output = run("grep", "-rlF", "--", marker, *[place for place in places if os.path.exists(place)])
    return [path for path in output.splitlines() if path.startswith("/") and not any(word in path for word in but)]


class Lines:
    """A log of lines; `change` writes it, has its lines changed and verifies it, and `edit` is a text and another."""

    def edited(self, folder):
        return self.change(folder, lambda lines: lines[:1500] + [lines[1500].replace(*self.edit)] + lines[1501:])

    def taken_out(self, folder):
        return self.change(folder, lambda lines: lines[:1500] + lines[1501:])

    def put_in(self, folder):
        return self.change(folder, lambda lines: lines[:1500] + lines[1499:])

    def cut(self, folder):
        return self.change(folder, lambda lines: lines[:-100])


class Driver:
    """A program that sets and reads values as it is told, one line each: `set "k" "v"`, `synchronize`, `object "k"`."""

    def __init__(self, name, user=USER, **variables):
        self.process = subprocess.Popen(
            [program(name)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd="/",
            env=environment(user, **variables), **identity(user))

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def killed_writers(driver, times=20):
    """Kills a writer at a random moment, again and again; returns after how many kills what was saved is not there."""
    path = f"{pwd.getpwnam(USER).pw_dir}/.config/{driver}.plist"
    dice, losses = random.Random(7), 0
    for _ in range(times):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            plistlib.dump({f"key{number}": f"{number} " * 40 for number in range(1000)}, file)
        run("chown", "-R", f"{USER}:", os.path.dirname(path))
        writer = Driver(driver)
        writer.ask('setint "n" 0')
        assert writer.ask("synchronize") == "= true"
        writer.process.stdin.write("".join(f'setint "n" {number}\nsynchronize\n' for number in range(1500)))
        try:
            writer.process.stdin.flush()
        except BrokenPipeError:
            pass
        time.sleep(dice.random() * 0.1)
        writer.process.kill()
        writer.process.wait()
        reader = Driver(driver)
        if not reader.ask('string "key999"').startswith('= "999 '):
            losses += 1
        reader.end()
    return losses


def two_writers(driver, count=100):
    """Two programs of one user save a hundred keys each, at once; returns how many of them are not there."""
    writers = [Driver(driver), Driver(driver)]
    for name, writer in zip("ab", writers):
        assert writer.ask("synchronize") == "= true"
        writer.lines = "".join(f'setint "{name}{number}" {number + 1}\nsynchronize\n' for number in range(count))
    for writer in writers:
        writer.process.stdin.write(writer.lines)
        writer.process.stdin.flush()
    for writer in writers:
        writer.process.stdin.close()
        writer.process.stdout.read()
        writer.process.wait()
    reader = Driver(driver)
    lost = sum(reader.ask(f'int "{name}{number}"') != f"= {number + 1}" for name in "ab" for number in range(count))
    reader.end()
    return lost
