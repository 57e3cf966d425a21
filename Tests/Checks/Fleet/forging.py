"""A centre in a folder, and hosts that are made here: they can say whatever they like, signed by their own keys.

A host of this file writes batches, statuses and reports as mdefaults does, from lines that it makes itself. Real hosts, which
are folders that mdefaults runs on, are in `lies`.
"""

import base64
import gzip
import hashlib
import json
import os
import pathlib
import subprocess
import time
import uuid

MDEFAULTS = os.environ.get("MDEFAULTS", "/usr/bin/mdefaults")
FOLDER = "var/lib/managed-defaults-fleet"
DAY = 86_400


def run(*words, code=0, epoch=None, **options):
    """Runs mdefaults and returns what it printed; another exit code is a failure. None stands for any code."""
    environment = dict(os.environ, **({"SOURCE_DATE_EPOCH": str(int(epoch))} if epoch is not None else {}))
    result = subprocess.run(
        [MDEFAULTS, *map(str, words)], capture_output=True, text=True, timeout=600, env=environment, **options)
    if code is not None and result.returncode != code:
        raise SystemExit(f"mdefaults {' '.join(map(str, words))}: exit {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def rfc3339(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1e6):06}Z"


# The tree of RFC 6962.


def leaf(line):
    return hashlib.sha256(b"\0" + line).digest()


def root(hashes):
    """The root of a tree of leaves, or of subtrees of one size that is a power of two."""
    if not hashes:
        return hashlib.sha256(b"").digest()
    while len(hashes) > 1:
        odd = hashes[-1:] if len(hashes) % 2 else []
        hashes = [hashlib.sha256(b"\1" + a + b).digest() for a, b in zip(hashes[::2], hashes[1::2])] + odd
    return hashes[0]


def tree_root(whole, size, rest):
    """The root of a tree that begins with complete subtrees of `size` leaves each, and goes on with leaves."""
    def split(count):
        power = 1
        while power * 2 < count:
            power *= 2
        return power

    def of(first, count):
        if count == 0:
            return hashlib.sha256(b"").digest()
        if first % size == 0 and count == size and first // size < len(whole):
            return whole[first // size]
        if count == 1:
            return rest[first - size * len(whole)]
        left = split(count)
        return hashlib.sha256(b"\1" + of(first, left) + of(first + left, count - left)).digest()

    return of(0, size * len(whole) + len(rest))


class Key:
    """An Ed25519 key that openssl made."""

    def __init__(self, folder, name):
        self.path = folder / f"{name}.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", self.path], check=True, capture_output=True)
        self.path.chmod(0o600)
        self.public = subprocess.run(
            ["openssl", "pkey", "-in", self.path, "-pubout"], check=True, capture_output=True).stdout
        self.raw = base64.b64decode(b"".join(self.public.splitlines()[1:-1]))[-32:]

    def line(self, origin, body):
        """The line of a note: the signature of a body."""
        note = self.path.with_suffix(".note")
        note.write_bytes(body)
        signature = subprocess.run(
            ["openssl", "pkeyutl", "-sign", "-inkey", self.path, "-rawin", "-in", note], check=True,
            capture_output=True).stdout
        number = hashlib.sha256(origin.encode() + b"\n\1" + self.raw).digest()[:4]
        return f"\u2014 {origin} {base64.b64encode(number + signature).decode()}\n".encode()


class Centre:
    """A centre, which is a folder."""

    def __init__(self, folder):
        self.root = folder
        self.folder = folder / FOLDER
        for name in ("in", "ack", "pub", "hosts"):
            (self.folder / name).mkdir(parents=True)
        self.now = int(time.time())

    def put(self, host, kind, content):
        """Puts a file into the spool, whole, in place of another."""
        name = self.folder / "in" / f".{host}.new"
        name.write_bytes(content)
        name.rename(self.folder / "in" / f"{host}~{kind}")

    def collect(self, code=0):
        return json.loads(run("--root", self.root, "fleet", "collect", "--json", epoch=self.now, code=code))

    def ack(self, host):
        """What was acknowledged: log, size and root, or log, size, "refused" and the word."""
        path = self.folder / "ack" / host
        return path.read_text().split() if path.exists() else None

    def head(self, host):
        path = self.folder / "hosts" / host / "head"
        return json.loads(path.read_text()) if path.exists() else {}

    def alarms(self, host=None):
        path = self.folder / "alarms.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        return [line for line in lines if host in (None, line["host"])]


class Host:
    """A host of this file, with one log."""

    SEGMENT = 65_536

    def __init__(self, centre, name, key=None, log=None, enrolled=True):
        self.centre, self.name = centre, name
        self.log = log or uuid.uuid4().hex
        self.origin = f"managed-defaults/{name}/{self.log}"
        self.boot = str(uuid.uuid4())
        self.machine = hashlib.sha256(name.encode()).hexdigest()[:20] + ".-.-"
        self.lines = []
        self.gaps = []
        self.start = centre.now - 7_200
        self.key = key
        if key and enrolled:
            folder = centre.folder / "hosts" / name
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "public-key").write_bytes(key.public)

    @property
    def size(self):
        return self.SEGMENT * len(self.gaps) + len(self.lines)

    def line(self, number, text="x", **more):
        record = {
            "v": 1, "seq": number, "time": rfc3339(self.start + number / 1000), "boot": self.boot, "mono": number * 1000,
            "kind": "override", "src": "client", "host": self.name, "uid": 1000, "user": "alice", "pid": 4711, "via": "cli",
            "domain": "org.example.Browser", "key": "HomePage", "forced": "https://school.example/", "tried": text,
            "outcome": "refused", **more}
        return json.dumps(record, separators=(",", ":")).encode()

    def write(self, count=1, text="x"):
        """Adds records to the log."""
        for _ in range(count):
            self.lines.append(self.line(self.size + 1, f"{text}{self.size + 1}"))
        return self

    def succeed(self, log, last, why="was set back to an earlier state, as its collector shows", name=None):
        """The host after it has begun another log, which says what became of this one."""
        new = Host(self.centre, name or self.name, None)
        new.key, new.start = self.key, self.start + 60
        note = f"This log was begun because the one that was here {why}: the log {log}, whose last record here is {last}."
        record = {
            "v": 1, "seq": 1, "time": rfc3339(new.start), "boot": new.boot, "mono": 1000, "kind": "recover", "src": "client",
            "host": self.name, "uid": 0, "pid": 1, "note": note}
        new.lines.append(json.dumps(record, separators=(",", ":")).encode())
        return new

    def copy(self, size=None):
        """The same log, as it is on another disk: its first records."""
        new = Host(self.centre, self.name, None, self.log)
        new.key, new.start, new.boot = self.key, self.start, self.boot
        new.lines = self.lines[:size]
        return new

    def checkpoint(self, last, digest=None, size=None, key="own", extra=b""):
        """A checkpoint at a record."""
        if digest is None:
            digest = tree_root(self.gaps, self.SEGMENT, [leaf(line) for line in self.lines[:last - self.SEGMENT * len(self.gaps)]])
        body = f"{self.origin}\n{size or last}\n{base64.b64encode(digest).decode()}\n".encode()
        key = self.key if key == "own" else key
        return body + b"\n" + (key.line(self.origin, body) if key else b"") + extra

    def batch(self, first, last=None, checkpoint=None, lines=None, log=None):
        """A batch of records, unpacked; lines are those of this log if no others are given."""
        last = last or self.size
        if lines is None:
            skipped = self.SEGMENT * len(self.gaps)
            lines = self.lines[first - 1 - skipped:last - skipped]
        note = checkpoint if checkpoint is not None else self.checkpoint(last)
        return f"{log or self.log} {first} {last}\n".encode() + b"".join(line + b"\n" for line in lines) + b"\n" + note

    def send(self, first=None, last=None, **more):
        """Sends what is missing at the centre, or what is asked for."""
        ack = self.centre.ack(self.name)
        held = int(ack[1]) if ack and ack[0] == self.log else 0
        first = first or held + 1
        if first > (last or self.size):
            return
        self.put(self.batch(first, last, **more))

    def put(self, batch, kind="batch.gz"):
        self.centre.put(self.name, kind, gzip.compress(batch, 1, mtime=0) if kind.endswith(".gz") else batch)

    def status(self, **more):
        """Sends a sign of life."""
        status = {
            "host": self.name, "time": rfc3339(self.centre.now), "machine": self.machine, "log": self.log, "size": self.size,
            "version": "1", **more}
        self.centre.put(self.name, "status", json.dumps({k: v for k, v in status.items() if v is not None}).encode())

    def is_held(self):
        """Whether the centre has acknowledged all records."""
        ack = self.centre.ack(self.name)
        wanted = tree_root(self.gaps, self.SEGMENT, [leaf(line) for line in self.lines])
        return bool(ack) and ack[:2] == [self.log, str(self.size)] and ack[2] == base64.b64encode(wanted).decode()
