#!/usr/bin/python3
"""zoom: a program with one setting, whose control is locked while an administrator forces it.

zoom.py [--root DIR --user NAME] get | set NUMBER | watch

`watch` prints a line for each change until its standard input ends.
"""

from __future__ import annotations

import argparse
import asyncio
import sys

from managed_defaults import ManagedDefaults, ManagedDefaultsError, WriteError

APPLICATION = "org.example.Browser"
KEY = "ZoomLevel"


def show(defaults: ManagedDefaults) -> None:
    """Prints the value, and by whom it is forced."""
    zoom = defaults.get(KEY, 1.0)  # what counts without another value, or if the stored one is no number
    print(f"{KEY} = {zoom:g}{' (forced)' if defaults.is_forced(KEY) else ''}")
    entry = defaults.forced_by(KEY)
    if entry is not None:
        print(f"  by {entry.policy}, {entry.file}:{entry.line}; ask: {entry.contact or 'the administrator'}")
    sys.stdout.flush()


async def watch(defaults: ManagedDefaults) -> None:
    """Shows the value again whenever it changes."""

    async def follow() -> None:
        async for _ in defaults.changes(KEY):
            show(defaults)

    show(defaults)
    following = asyncio.create_task(follow())
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    following.cancel()


def main() -> int:
    parser = argparse.ArgumentParser(prog="zoom")
    parser.add_argument("--root")
    parser.add_argument("--user")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("get")
    commands.add_parser("set").add_argument("number", type=float)
    commands.add_parser("watch")
    options = parser.parse_args()
    try:
        with ManagedDefaults(APPLICATION, root=options.root, user=options.user) as defaults:
            if options.command == "get":
                show(defaults)
            elif options.command == "set":
                defaults[KEY] = options.number
            else:
                asyncio.run(watch(defaults))
            for problem in defaults.problems():
                print(f"zoom: {problem}", file=sys.stderr)
    except WriteError as error:
        print(f"zoom: {error}", file=sys.stderr)
        return 3
    except ManagedDefaultsError as error:
        print(f"zoom: {error}", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
