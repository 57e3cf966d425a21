"""A school in folders: a centre with a real web server on loopback, and hosts that have certificates of their own.

Nothing leaves the folder but two ports of loopback, and everything that was started ends with Centre.close().
"""

import concurrent.futures
import json
import os
import pathlib
import plistlib
import resource
import shutil
import signal
import socket
import subprocess
import time

MDEFAULTS = os.environ["MDEFAULTS"]
MODULES = [pathlib.Path(folder) / "ngx_nchan_module.so" for folder in ("/usr/lib/nginx/modules", "/usr/lib64/nginx/modules")]
DOMAIN = "org.example.Many"
FOLDER = "var/lib/managed-defaults-fleet"


class Failed(Exception):
    """Something was not so."""


def run(*words, code=0, within=(), **options):
    """Runs mdefaults, and returns what it printed; another exit code is a failure. None stands for any code."""
    result = subprocess.run([*within, MDEFAULTS, *map(str, words)], capture_output=True, text=True, timeout=300, **options)
    if code is not None and result.returncode != code:
        raise Failed(f"mdefaults {' '.join(map(str, words))}: exit {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def together(work, items, workers=4):
    """Does the same for many, and returns the results in order."""
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, items))


def until(condition, what, seconds=30):
    """Waits for a condition."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Failed(f"{what}: not within {seconds} s")
        time.sleep(0.01)


def free_ports():
    """Two ports behind each other that nobody listens on."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
            except (OSError, OverflowError):
                continue
            return port


def lines(folder):
    """The records of a log folder, in order."""
    files = sorted((folder / "segments").glob("*.jsonl")) if (folder / "segments").is_dir() else []
    return [line for file in [*files, folder / "current.jsonl"] for line in file.read_bytes().splitlines()]


def cost(action):
    """Runs an action and returns the seconds of processor that its programs took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    action()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Centre:
    """The centre of a fleet, made by fleet init, and its web server.

    The server has a name or an address; what runs it in another network namespace are the words before its own.
    """

    def __init__(self, work, server="localhost", within=()):
        self.work = pathlib.Path(work)
        self.port = free_ports()
        self.server, self.within = server, list(within)
        self.address = f"https://{server}:{self.port}"
        self.root = self.work / "centre"
        self.folder = self.root / FOLDER
        self.stick = self.work / "stick"
        self.web = None
        for folder in (self.root, self.stick, self.work / "web"):
            folder.mkdir(parents=True)
        run("--root", self.root, "fleet", "init", "Check", "--centre", self.address, "--root-key", self.stick / "root")
        module = next((path for path in MODULES if path.exists()), None)
        web = self.work / "web"
        temporary = "\n".join(
            f"    {kind}_temp_path {web}/{kind};" for kind in ("proxy", "fastcgi", "uwsgi", "scgi"))
        # As root the workers keep their rights, because the folders of this centre have one owner.
        (web / "main.conf").write_text(f"""
load_module {module};
{"user root;" if os.getuid() == 0 else ""}
worker_processes 1;
worker_rlimit_nofile 8192;
daemon off;
pid {web}/pid;
error_log {web}/error.log warn;
events {{ worker_connections 4096; }}
http {{
{temporary}
    access_log off;
    include {self.folder}/nginx.conf;
}}
""")

    def start_web(self):
        """Starts nginx, and waits until it listens."""
        self.web = subprocess.Popen(
            [*self.within, "nginx", "-p", f"{self.work}/web", "-e", f"{self.work}/web/error.log", "-c", f"{self.work}/web/main.conf"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

        def listens():
            if self.web.poll() is not None:
                raise Failed("nginx ended: " + (self.work / "web/error.log").read_text()[-2000:])
            with socket.socket() as probe:
                return probe.connect_ex((self.server, self.port)) == 0

        until(listens, "nginx listens")

    def stop_web(self, how=signal.SIGTERM):
        """Ends nginx with its workers."""
        if self.web is None:
            return
        os.killpg(self.web.pid, how)
        self.web.wait(timeout=30)
        self.web = None

        def is_free():
            with socket.socket() as probe:
                return probe.connect_ex((self.server, self.port)) != 0

        until(is_free, "nginx ends")

    close = stop_web

    def collect(self, code=0):
        return run("--root", self.root, "fleet", "collect", code=code)

    def enroll(self, hosts, *options):
        # Some at a time, each in bounded time.
        for first in range(0, len(hosts), 50):
            run("--root", self.root, "fleet", "enroll", *hosts[first:first + 50], "-o", self.stick / "hosts", *options)

    def publish(self, page):
        """Publishes one policy, which names a page."""
        folder = self.work / "policies"
        folder.mkdir(exist_ok=True)
        (folder / "50-page.json").write_text(
            json.dumps({"Identifier": "check.page", "Forced": {"org.example.Browser": {"HomePage": page}}}))
        run("--root", self.root, "fleet", "publish", folder, "--yes", "--reason", "the check")

    def web_processes(self):
        """The folders in /proc of nginx's processes, with the words behind their names."""
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                words = path.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            # The session is that of the master.
            if int(words[3]) == self.web.pid:
                yield path.parent, words

    def web_cost(self):
        """The seconds of processor that nginx took until now."""
        return sum(int(words[11]) + int(words[12]) for _, words in self.web_processes()) / os.sysconf("SC_CLK_TCK")

    def web_memory(self):
        """The bytes of memory that nginx has, what it shares with others in proportion."""
        texts = [(path / "smaps_rollup").read_text() for path, _ in self.web_processes()]
        return sum(int(line.split()[1]) << 10 for text in texts for line in text.splitlines() if line.startswith("Pss:"))

    def connections(self):
        """The hosts that are connected with the web server."""
        ports = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return sum(words[1].endswith(f":{self.port:04X}") and words[3] == "01" for words in ports)

    def school(self, count, keys):
        """Makes hosts, and lets them join."""
        names = [f"pc{number:04}" for number in range(1, count + 1)]
        self.enroll(names)
        hosts = together(lambda name: Host(self, name, keys), names)
        together(Host.join, hosts)
        run("--root", self.root, "fleet", "enroll", "--back", self.stick / "hosts")
        return hosts

    def acknowledged(self, host):
        """The size that the centre acknowledged; 0 for none."""
        try:
            words = (self.folder / "ack" / host).read_text().split()
        except FileNotFoundError:
            return 0
        if words[2] == "refused":
            raise Failed(f"{host}: {' '.join(words)}")
        return int(words[1])


class Host:
    """A machine in a folder, in the fleet of a centre."""

    def __init__(self, centre, name, keys):
        self.name = name
        self.centre = centre
        self.root = centre.work / "hosts" / name
        policies = self.root / "etc/managed-defaults/policies.d"
        policies.mkdir(parents=True)
        (self.root / "home/alice").mkdir(parents=True)
        (self.root / "etc/hostname").write_text(name + "\n")
        (self.root / "etc/machine-id").write_text(os.urandom(16).hex() + "\n")
        (self.root / "etc/passwd").write_text(f"alice:x:{os.getuid() or 1000}:1000::/home/alice:/bin/sh\n")
        names = {f"Key{number:05}": 1 for number in range(keys)}
        (policies / "10-many.json").write_text(json.dumps({"Identifier": "check.many", "Forced": {DOMAIN: names}}))
        run("--root", self.root, "policy", "apply")

    def join(self):
        run("--root", self.root, "fleet", "enroll", "--here", self.centre.stick / "hosts")

    def attempt(self, keys, value, within=()):
        """Tries to change forced keys: a record each. The words that run it in another way come first."""
        values = plistlib.dumps({f"Key{number:05}": value for number in range(keys)})
        run("--root", self.root, "--user", "alice", "import", DOMAIN, "-", code=3, within=within, input=values.decode())

    def send(self, code=None):
        return run("--root", self.root, "fleet", "run", code=code)

    @property
    def log(self):
        return self.root / "var/log/managed-defaults"

    def size(self):
        """The number of records."""
        return len(lines(self.log))

    def is_held(self):
        """Whether the centre acknowledged all."""
        return self.centre.acknowledged(self.name) == self.size()

    def compare(self):
        """What is wrong with the centre's copy of the log: records lost, repeated or other ones, or a checkpoint that
        does not fit; None if nothing is."""
        folder = self.centre.folder / "hosts" / self.name
        own, held = lines(self.log), lines(folder / "log")
        if own != held:
            numbers = [json.loads(line)["seq"] for line in held]
            return (f"{self.name}: {len(own)} records, {len(held)} held, {len(numbers) - len(set(numbers))} repeated, "
                    f"{len(set(own) - set(held))} lost")
        if json.loads(own[-1])["seq"] != len(own):
            return f"{self.name}: the numbers have gaps"
        result = subprocess.run(
            [MDEFAULTS, "--root", folder, "audit", "verify"], capture_output=True, text=True, timeout=300)
        return None if result.returncode == 0 else f"{self.name}: audit verify: {result.stdout}{result.stderr}"

    def curl(self, *words, timeout=70):
        """Asks the web server with the certificate of the host; returns the code of the answer, 0 for none."""
        return curl(self.root / "etc/managed-defaults/fleet", *words, timeout=timeout)


def curl(folder, *words, timeout=70):
    """Asks with the certificate of a folder; returns the code of the answer, 0 for none."""
    own = ["--cert", f"{folder}/certificate.pem", "--key", f"{folder}/key.pem"] if folder else []
    authority = ["--cacert", f"{folder}/authority.pem"] if folder else ["--insecure"]
    result = subprocess.run(
        ["curl", "--disable", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", *own, *authority,
         "--max-time", str(timeout), *map(str, words)], capture_output=True, text=True)
    return int(result.stdout or 0)


def end(process):
    """Ends a process that was started in a session of its own, with its children."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=30)


def remove(folder):
    shutil.rmtree(folder, ignore_errors=True)
