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


def check(centre, says, kills=5, count=6):
    chance = random.Random(kills)
    hosts = centre.school(count, KEYS)
    centre.start_web()
    collector = Victim(["--root", centre.root, "fleet", "collect"])
    senders = [Victim(["--root", host.root, "fleet", "run"]) for host in hosts]
    ended = threading.Event()
    web = threading.Lock()
    failures = []

    def forever(work):
        def loop():
            try:
                while not ended.is_set():
                    work()
            except Exception as error:
                failures.append(f"{error}")
        thread = threading.Thread(target=loop)
        thread.start()
        return thread

    turns = [0] * count

    def host_work(index):
        def work():
            turns[index] += 1
            hosts[index].attempt(KEYS, turns[index] + 1)
            senders[index].run()
        return work

    threads = [forever(collector.run), *(forever(host_work(index)) for index in range(count))]
    done = {"collector": 0, "web server": 0, "sender": 0}

    def kill(name):
        if name == "web server":
            with web:
                centre.stop_web(signal.SIGKILL)
                centre.start_web()
            return True
        return (collector if name == "collector" else chance.choice(senders)).kill()

    try:
        end = time.monotonic() + 60 + 10 * kills
        while min(done.values()) < kills and not failures:
            if time.monotonic() > end:
                raise fleet.Failed(f"not all kills hit in time: {done}")
            # Any moment of a turn.
            time.sleep(chance.uniform(0, 0.1))
            name = chance.choice([name for name, number in done.items() if number < kills])
            done[name] += kill(name)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    if failures:
        raise fleet.Failed(failures[0])
    # What waits longest is sent again, and compared with what is held.
    later = dict(os.environ, SOURCE_DATE_EPOCH=str(int(time.time()) + 3600))
    for _ in range(20):
        for host in hosts:
            fleet.run("--root", host.root, "fleet", "run", code=None, env=later)
        centre.collect(code=None)
        if all(host.is_held() for host in hosts):
            break
    total = sum(host.size() for host in hosts)
    says(f"{total} records of {count} hosts during {sum(done.values())} kills are acknowledged",
         all(host.is_held() for host in hosts), [(host.name, host.size(), centre.acknowledged(host.name)) for host in hosts])
    wrong = [text for text in fleet.together(fleet.Host.compare, hosts) if text]
    says("0 lost, 0 repeated, every root checked", not wrong, "; ".join(wrong))
    alarms = centre.folder / "alarms.jsonl"
    says("no alarm", not alarms.exists() or not alarms.read_text(), alarms.exists() and alarms.read_text()[:500])
