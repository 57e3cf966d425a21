"""Changes, threads, and what a thousand programs leave behind."""

from __future__ import annotations

import asyncio
import gc
import os
import select
import threading
import time

from conftest import Machine

from managed_defaults import Change, ManagedDefaults

LATER = '{ "Identifier": "test.later", "Forced": { "org.example.C": { "Watched": 3 } } }'


def test_a_descriptor_tells_of_policy(machine: Machine, defaults: ManagedDefaults) -> None:
    with defaults.watch("Watched") as watch:
        poller = select.poll()
        poller.register(watch, select.POLLIN)
        assert poller.poll(0) == [] and watch.take() == []
        machine.policy("20.json", LATER)
        assert poller.poll(20_000)
        assert watch.take() == [Change("Watched")] and poller.poll(0) == [] and defaults.is_forced("Watched")
    assert watch.fileno() == -1


def test_a_loop_waits_for_changes(machine: Machine) -> None:
    async def follow() -> list[str]:
        found = []
        with machine.open() as defaults:
            changes = defaults.changes()
            # Before the loop waits.
            defaults["A"] = 1
            async for change in changes:
                found.append(change.key or "")
                if change.key == "A":
                    defaults["B"] = 2
                if change.key == "B":
                    # From another thread, while the loop waits.
                    threading.Timer(0.05, lambda: machine.policy("20.json", LATER)).start()
                if change.key == "Watched":
                    break
            await changes.aclose()
        return found

    assert asyncio.run(asyncio.wait_for(follow(), 20)) == ["A", "B", "Watched"]


def test_a_loop_ends_with_its_defaults_and_when_it_is_cancelled(machine: Machine) -> None:
    async def follow(defaults: ManagedDefaults) -> int:
        count = 0
        async for _ in defaults.changes("Watched"):
            count += 1
        return count

    async def released() -> str:
        changes = machine.open().changes()
        asyncio.get_running_loop().call_later(0.05, machine.policy, "20.json", LATER)
        return (await changes.__anext__()).key or ""

    async def both() -> None:
        with machine.open() as defaults:
            for _ in range(3):
                task = asyncio.create_task(follow(defaults))
                await asyncio.sleep(0)
                task.cancel()
                assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)
            ended = asyncio.create_task(follow(defaults))
            await asyncio.sleep(0.01)
            defaults["Watched"] = 1
            await asyncio.sleep(0.01)
        assert await asyncio.wait_for(ended, 10) == 1

    asyncio.run(both())
    assert asyncio.run(asyncio.wait_for(released(), 20)) == "Watched"


def test_a_loop_does_not_spin_until_changes_are_taken(defaults: ManagedDefaults) -> None:
    async def idle() -> float:
        changes = defaults.changes()
        defaults["A"] = 1
        assert (await changes.__anext__()).key == "A"
        waiting = asyncio.create_task(changes.__anext__())
        await asyncio.sleep(0.01)
        defaults["B"] = 1
        await waiting
        defaults["C"] = 1
        before = time.process_time()
        await asyncio.sleep(0.2)
        return time.process_time() - before

    assert asyncio.run(idle()) < 0.1


def test_threads_write_and_read(defaults: ManagedDefaults) -> None:
    wrong: list[int] = []

    def work(number: int) -> None:
        for turn in range(200):
            defaults[f"K{number}"] = turn
            if defaults[f"K{number}"] != turn or defaults["Count"] != 42:
                wrong.append(turn)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def used() -> tuple[int, int, int]:
    """The KiB of memory, the descriptors and the threads of this process."""
    gc.collect()
    with open("/proc/self/status") as status:
        numbers = dict(line.split()[:2] for line in status if len(line.split()) > 1)
    return int(numbers["VmRSS:"]), len(os.listdir("/proc/self/fd")), int(numbers["Threads:"])


def test_a_thousand_opened_and_closed_leave_nothing(machine: Machine) -> None:
    machine.apply()
    before = used()
    for index in range(1_000):
        defaults = machine.open()
        watch = defaults.watch()
        assert defaults["Count"] == 42 and defaults.forced_by("Count") and "Count" in list(defaults)
        # One in three is only released.
        if index % 3 != 0:
            watch.close()
            defaults.close()
        if index == 300:
            before = used()
    del defaults, watch
    after = used()
    end = time.monotonic() + 10
    # Threads end by themselves, a little later.
    while after[2] > before[2] and time.monotonic() < end:
        time.sleep(0.01)
        after = used()
    # 700 handles: one that was kept would be some KiB.
    assert after[0] - before[0] < 2_048 and after[1] <= before[1] and after[2] <= before[2], (before, after)
