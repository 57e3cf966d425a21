"""Kills of collector, web server and senders at random moments: nothing is lost, nothing is repeated."""

import os
import random
import signal
import subprocess
import threading
import time

import centre as fleet

KEYS = 20


class Victim:
    """A program that runs again and again, and can be killed."""

    def __init__(self, words):
        self.words = [fleet.MDEFAULTS, *map(str, words)]
        self.process = None
        self.lock = threading.Lock()

    def run(self):
        with self.lock:
            self.process = subprocess.Popen(
                self.words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.process.wait()

    def kill(self):
        """Kills it with its children; returns whether it ran."""
        with self.lock:
            if self.process is None or self.process.poll() is not None:
                return False
            os.killpg(self.process.pid, signal.SIGKILL)
            return True


class Traffic:
    """Hosts that write and send in turns, and a collector that works, until the end."""

    def __init__(self, centre, hosts, pause=0):
        self.collector = Victim(["--root", centre.root, "fleet", "collect"])
        self.senders = [Victim(["--root", host.root, "fleet", "run"]) for host in hosts]
        self.failures = []
        self._ended = threading.Event()
        turns = [0] * len(hosts)

        def host_work(index):
            def work():
                turns[index] += 1
                hosts[index].attempt(KEYS, turns[index] + 1)
                self.senders[index].run()
                self._ended.wait(pause)
            return work

        works = [self.collector.run, *(host_work(index) for index in range(len(hosts)))]
        self._threads = [threading.Thread(target=self._forever, args=[work]) for work in works]

    def _forever(self, work):
        try:
            while not self._ended.is_set():
                work()
        except Exception as error:
            self.failures.append(f"{error}")

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        for thread in self._threads:
            thread.join()
        if self.failures:
            raise fleet.Failed(self.failures[0])


def check(centre, says, kills=5, count=6):
    chance = random.Random(kills)
    hosts = centre.school(count, KEYS)
    centre.start_web()
    done = {"collector": 0, "web server": 0, "sender": 0}
    with Traffic(centre, hosts) as traffic:
        end = time.monotonic() + 60 + 10 * kills
        while min(done.values()) < kills and not traffic.failures:
            if time.monotonic() > end:
                raise fleet.Failed(f"not all kills hit in time: {done}")
            # Any moment of a turn.
            time.sleep(chance.uniform(0, 0.1))
            name = chance.choice([name for name, number in done.items() if number < kills])
            if name == "web server":
                centre.stop_web(signal.SIGKILL)
                centre.start_web()
                done[name] += 1
            else:
                done[name] += (traffic.collector if name == "collector" else chance.choice(traffic.senders)).kill()
    settle(centre, says, hosts, f"{sum(done.values())} kills")


def settle(centre, says, hosts, what):
    """Lets everything arrive, and compares it with what the hosts have."""
    # What waits longest is sent again, and compared with what is held.
    later = dict(os.environ, SOURCE_DATE_EPOCH=str(int(time.time()) + 3600))
    for _ in range(20):
        for host in hosts:
            fleet.run("--root", host.root, "fleet", "run", code=None, env=later)
        centre.collect(code=None)
        if all(host.is_held() for host in hosts):
            break
    total = sum(host.size() for host in hosts)
    says(f"{total} records of {len(hosts)} hosts during {what} are acknowledged",
         all(host.is_held() for host in hosts), [(host.name, host.size(), centre.acknowledged(host.name)) for host in hosts])
    wrong = [text for text in fleet.together(fleet.Host.compare, hosts) if text]
    says("0 lost, 0 repeated, every root checked", not wrong, "; ".join(wrong))
    alarms = centre.folder / "alarms.jsonl"
    says("no alarm", not alarms.exists() or not alarms.read_text(), alarms.exists() and alarms.read_text()[:500])
