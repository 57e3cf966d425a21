"""fork.py os|multiprocessing COUNT ROOT HELPER: a program with threads that write, whose forked children use the same defaults.

A child that does not end within 10 s is a hung one: HELPER gets its process id, and the child is killed. Prints a line with
the numbers, and exits 1 if a child hung or found something else than it is to find.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

from managed_defaults import ForcedError, ManagedDefaults, WriteError

how, count, root, helper = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
warnings.simplefilter("ignore", DeprecationWarning)
defaults = ManagedDefaults("org.example.Fork", root=root, user="pupil")
assert defaults.is_forced("Page")


def is_refused() -> bool:
    """Whether a forced key refuses a value."""
    try:
        defaults["Page"] = "mine"
    except ForcedError:
        return True
    return False


def work(number: int) -> None:
    """Writes and reads until the process ends."""
    for turn in range(sys.maxsize):
        defaults.set(f"Key{number}", turn)
        is_refused()
        defaults.get(f"Key{number}")


def child(number: int) -> int:
    """What a child does; 0 if it finds what it is to find."""
    if not defaults.is_forced("Page") or defaults.get("Page") != "value":
        return 2
    if not is_refused():
        return 3
    try:
        defaults["Child"] = number
    except WriteError:
        return 4
    if defaults.get("Child") != number:
        return 4
    return 0 if defaults.synchronize() else 5


def end(number: int) -> None:
    """Ends a process of multiprocessing with the code of a child."""
    os._exit(child(number))


def start(number: int) -> int:
    """Forks; returns the process id."""
    if how == "os":
        process = os.fork()
        if process == 0:
            try:
                os._exit(child(number))
            finally:
                os._exit(9)
        return process
    process = multiprocessing.get_context("fork").Process(target=end, args=(number,))
    process.start()
    return process.pid or 0


for index in range(3):
    threading.Thread(target=work, args=(index,), daemon=True).start()
hung, wrong = 0, 0
for number in range(count):
    process = start(number)
    limit = time.monotonic() + 10
    ended, status = 0, 0
    while ended == 0 and time.monotonic() < limit:
        ended, status = os.waitpid(process, os.WNOHANG)
        time.sleep(0 if ended else 0.0005)
    if ended == 0:
        hung += 1
        subprocess.run([helper, str(process)], check=False)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    elif status != 0:
        wrong += 1
print(f"python {how}: {count} forks, {hung} hung, {wrong} wrong", flush=True)
os._exit(1 if hung or wrong else 0)
