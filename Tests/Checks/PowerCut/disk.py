"""What a disk can hold after a power cut, from what a program asked of the kernel.

The program runs under strace; `calls` makes its calls of them, and `moments` goes through these: after each one the disk has all
that was synced, and of what was not yet synced each subset of up to 12 calls (a sample of them beyond a limit).
"""
import os, re

TRACED = ("openat,openat2,write,pwrite64,fsync,fdatasync,syncfs,rename,renameat,renameat2,unlinkat,ftruncate,mkdirat,linkat,"
          "symlinkat,sendto,fallocate")


def strace(trace):
    """The words before those of a program whose calls are written to a file."""
    return ["strace", "-f", "-y", "-xx", "-s", "2000000", "-o", trace, "-e", "trace=" + TRACED]


def text(quoted):
    return bytes.fromhex(quoted.replace("\\x", ""))


def calls(trace, root, answer=lambda text: None):
    """The calls that succeeded, as tuples whose paths are beneath a folder; `answer` makes a call of what was sent."""
    found, open_calls = [], {}
    for line in open(trace):
        pid, rest = line.rstrip("\n").split(None, 1)
        if rest.endswith("<unfinished ...>"):
            open_calls[pid] = rest[: -len("<unfinished ...>")]
            continue
        resumed = re.match(r"<\.\.\. \w+ resumed>(.*)", rest)
        if resumed:
            rest = open_calls.pop(pid, "") + resumed.group(1)
        call = re.match(r"(\w+)\((.*)\)\s+= (-?\d+)(.*)$", rest)
        if not call or int(call.group(3)) < 0:
            continue
        found.append((call.group(1), call.group(2), int(call.group(3)), call.group(4)))
    return [event for call in found for event in events(root, answer, *call)]


def decoded(path):
    path = re.sub(r"((?:\\x[0-9a-f]{2})+)", lambda match: text(match.group(1)).decode("utf-8", "replace"), path)
    return path.removesuffix("(deleted)")


def joined(directory, name):
    return os.path.normpath(os.path.join(decoded(directory), text(name).decode()))


TWO_NAMES = r'(?:AT_FDCWD|\d+)<(.*?)>, "([^"]*)", (?:AT_FDCWD|\d+)<(.*?)>, "([^"]*)"'


def events(root, answer, name, words, result, tail):
    def inside(path):
        return path.startswith(root + "/")

    if name in ("openat", "openat2"):
        path = decoded(re.match(r"<(.*)>", tail.strip()).group(1)) if "<" in tail else ""
        if inside(path) and "O_CREAT" in words:
            yield ("create", path)
    elif name in ("write", "pwrite64"):
        match = re.match(r'\d+<(.*?)>, "([^"]*)"(\.\.\.)?, \d+(?:, (\d+))?', words)
        if match and inside(decoded(match.group(1))):
            yield ("write", decoded(match.group(1)), text(match.group(2))[:result], match.group(4) and int(match.group(4)))
    elif name == "ftruncate":
        match = re.match(r"\d+<(.*?)>, (\d+)", words)
        if match and inside(decoded(match.group(1))):
            yield ("truncate", decoded(match.group(1)), int(match.group(2)))
    elif name in ("fsync", "fdatasync", "syncfs"):
        match = re.match(r"\d+<(.*?)>", words)
        if match and inside(decoded(match.group(1))):
            yield ("sync", decoded(match.group(1))) if name != "syncfs" else ("sync all", decoded(match.group(1)))
    elif name in ("renameat", "renameat2"):
        match = re.match(TWO_NAMES, words)
        if match:
            yield ("rename", joined(match.group(1), match.group(2)), joined(match.group(3), match.group(4)))
    elif name == "linkat":
        match = re.match(TWO_NAMES, words)
        if match:
            yield ("link", joined(match.group(1), match.group(2)), joined(match.group(3), match.group(4)))
    elif name == "symlinkat":
        match = re.match(r'"([^"]*)", (?:AT_FDCWD|\d+)<(.*?)>, "([^"]*)"', words)
        if match:
            yield ("symlink", joined(match.group(2), match.group(3)), text(match.group(1)).decode())
    elif name == "unlinkat":
        match = re.match(r'(?:AT_FDCWD|\d+)<(.*?)>, "([^"]*)"', words)
        if match and inside(joined(match.group(1), match.group(2))):
            yield ("remove", joined(match.group(1), match.group(2)))
    elif name == "mkdirat":
        match = re.match(r'(?:AT_FDCWD|\d+)<(.*?)>, "([^"]*)"', words)
        if match and inside(joined(match.group(1), match.group(2))):
            yield ("folder", joined(match.group(1), match.group(2)))
    elif name == "sendto":
        match = re.search(r'"([^"]*)"', words)
        said = answer(text(match.group(1)).decode("utf-8", "replace")) if match else None
        if said:
            yield said


class Disk:
    """Files by name, as they are once some calls have reached the disk. A symbolic link has its target, a text, as content."""

    def __init__(self):
        self.names, self.files, self.next = {}, {}, 0

    @classmethod
    def of(cls, folder):
        """What a folder has, which is on disk."""
        disk = cls()
        for place, folders, names in os.walk(folder):
            for path in (os.path.join(place, name) for name in names + folders):
                if os.path.islink(path):
                    disk.add(path, os.readlink(path))
                elif os.path.isfile(path):
                    disk.add(path, open(path, "rb").read())
        return disk

    def copy(self):
        other = Disk()
        other.names, other.files, other.next = dict(self.names), dict(self.files), self.next
        return other

    def add(self, path, content):
        self.names[path], self.files[self.next] = self.next, content
        self.next += 1

    def apply(self, event):
        kind, path = event[0], event[1]
        if kind == "create" and path not in self.names:
            self.add(path, b"")
        elif kind == "write" and path in self.names:
            file = self.names[path]
            content = self.files[file]
            offset = len(content) if event[3] is None else event[3]
            content = content.ljust(offset, b"\0")
            self.files[file] = content[:offset] + event[2] + content[offset + len(event[2]):]
        elif kind == "truncate" and path in self.names:
            file = self.names[path]
            self.files[file] = self.files[file][: event[2]].ljust(event[2], b"\0")
        elif kind == "rename" and path in self.names:
            self.names[event[2]] = self.names.pop(path)
        elif kind == "link" and path in self.names:
            self.names[event[2]] = self.names[path]
        elif kind == "symlink":
            self.add(path, event[2])
        elif kind == "remove":
            self.names.pop(path, None)

    def write(self, root, folder):
        """Makes the files of a folder in another one."""
        for path, file in self.names.items():
            target, content = folder + path[len(root):], self.files[file]
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if isinstance(content, str):
                os.symlink(content, target)
                continue
            with open(target, "wb") as output:
                output.write(content)
            os.chmod(target, 0o600)

    def key(self):
        return hash(tuple(sorted((path, self.files[file]) for path, file in self.names.items())))


def settles(event, sync):
    """Whether a sync puts a call on the disk: of a file its own calls, of a directory its names, of a file system all."""
    path = sync[1]
    if sync[0] == "sync all":
        return True
    if event[0] in ("write", "truncate", "create"):
        return event[1] == path
    return os.path.dirname(event[1]) == path or (event[0] in ("rename", "link") and os.path.dirname(event[2]) == path)


def subsets(pending, limit, chance):
    """Subsets of the calls that are not synced: all, or a sample."""
    count = 1 << len(pending)
    chosen = range(count) if count <= limit else {0, count - 1, *(chance.randrange(count) for _ in range(limit))}
    for bits in chosen:
        yield [event for index, event in enumerate(pending) if bits >> index & 1]


def moments(found, durable, limit, chance):
    """The states of the disk after each call: the number of the call, the call, and a disk."""
    pending = []
    for number, event in enumerate(found):
        if event[0] in ("sync", "sync all"):
            for call in [call for call in pending if settles(call, event)]:
                durable.apply(call)
            pending = [call for call in pending if not settles(call, event)]
        elif event[0] in ("create", "write", "truncate", "rename", "link", "symlink", "remove"):
            pending.append(event)
        # More than 12 calls that wait: the older ones are taken to have been written back long ago.
        while len(pending) > 12:
            durable.apply(pending.pop(0))
        for survivors in subsets(pending, limit, chance):
            disk = durable.copy()
            for call in survivors:
                disk.apply(call)
            yield number, event, disk
