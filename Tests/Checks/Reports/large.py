"""Makes a large machine in a folder: keys, users, and a log with attempts, whose tree of hashes is right.

usage: large.py PROGRAM FOLDER KEYS USERS ATTEMPTS

The log is written here and not by the program, because that would take long; the program then goes on with it.
"""
import base64
import hashlib
import json
import os
import subprocess
import sys

program, folder = sys.argv[1:3]
keys, users, attempts = map(int, sys.argv[3:])
SEGMENT = 65_536


def write(path, text):
    path = folder + path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


write("/etc/hostname", "room1-pc99\n")
write("/etc/machine-id", "00112233445566778899aabbccddeeff\n")
write("/etc/managed-defaults/tags", "lab room1\n")
write("/etc/passwd", "".join(f"pupil{n}:x:{2000 + n}:2000:Pupil {n}:/home/pupil{n}:/bin/sh\n" for n in range(users)))
write("/etc/group", "pupils:x:2000:\n")
domains = max(keys // 50, 1)
forced = {}
for number in range(keys):
    forced.setdefault(f"org.example.App{number % domains}", {})[f"Setting{number}"] = number if number % 3 else f"text {number}"
write("/etc/managed-defaults/policies.d/10-large.json", json.dumps({"Identifier": "edu.example.large", "Forced": forced}, indent=1))
opened = ["boot folder"] + [
    json.dumps({"uid": 2000 + n, "exe": "/usr/bin/app", "domain": f"org.example.App{d}"}, separators=(",", ":"))
    for n in range(users) for d in range(0, domains, 2)]
write("/run/mdefaultsd/opened", "\n".join(opened) + "\n")


def node(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """The tree of RFC 6962, by its complete subtrees."""

    def __init__(self):
        self.parts = []

    def add(self, leaf):
        size = 1
        while self.parts and self.parts[-1][0] == size:
            leaf = node(self.parts.pop()[1], leaf)
            size *= 2
        self.parts.append((size, leaf))

    def root(self):
        root = None
        for _, part in reversed(self.parts):
            root = part if root is None else node(part, root)
        return root or hashlib.sha256(b"").digest()


origin = "managed-defaults/room1-pc99/" + "5" * 32
home = "/var/log/managed-defaults"
os.makedirs(folder + home + "/segments", exist_ok=True)
os.chmod(folder + home, 0o750)
tree, own, lines, roots, first, begin = Tree(), Tree(), [], [], 1, None
programs = ["/usr/bin/app", "/usr/bin/mdefaults", "/opt/editor/bin/editor"]
for number in range(1, attempts + 1):
    user, key = number * 7 % users, number * 11 % keys
    # A record every five seconds from the beginning of 2026 on.
    second = number * 5
    day, rest = divmod(second, 86_400)
    month, day = day // 28 % 12 + 1, day % 28 + 1
    time = f"2025-{month:02d}-{day:02d}T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}.000000Z"
    line = (
        f'{{"v":1,"seq":{number},"time":"{time}","kind":"override","src":"client","host":"room1-pc99","uid":{2000 + user},'
        f'"user":"pupil{user}","pid":{number % 32768},"start":{number},"exe":"{programs[number % 3]}","via":"set",'
        f'"domain":"org.example.App{key % domains}","key":"Setting{key}","forced":{key},"tried":"{number % 97}",'
        f'"policy":{{"id":"edu.example.large","file":"/etc/managed-defaults/policies.d/10-large.json","line":{key + 5}}},'
        f'"outcome":"refused"}}').encode()
    begin = begin or time
    leaf = hashlib.sha256(b"\x00" + line).digest()
    tree.add(leaf)
    own.add(leaf)
    lines.append(line)
    if len(lines) == SEGMENT:
        data = b"\n".join(lines) + b"\n"
        path = f"{folder}{home}/segments/{first:016d}.jsonl"
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, 0o640)
        roots.append(f"{first} {number} {len(data)} {begin} {time} {base64.b64encode(own.root()).decode()}\n")
        own, lines, first, begin = Tree(), [], number + 1, None
files = {
    "current.jsonl": b"".join(line + b"\n" for line in lines),
    "roots": f"{origin} {SEGMENT}\n{''.join(roots)}".encode(),
    "checkpoint": f"{origin}\n{attempts}\n{base64.b64encode(tree.root()).decode()}\n\n".encode(),
    "checkpoints": f"{origin}\n{attempts} {base64.b64encode(tree.root()).decode()}\n".encode(),
}
for name, data in files.items():
    with open(f"{folder}{home}/{name}", "wb") as file:
        file.write(data)
    os.chmod(f"{folder}{home}/{name}", 0o640)
# Records policy in that log, and makes the indexes and tallies of its segments, some at each call.
for _ in range(len(roots) // 4 + 1):
    done = subprocess.run([program, "--root", folder, "policy", "apply"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
