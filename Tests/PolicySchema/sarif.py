#!/usr/bin/env python3
"""Checks a SARIF log on standard input against a model of SARIF 2.1.0 that others wrote (sarif-pydantic of PyPI)."""
import json
import sys

from sarif_pydantic import Sarif

log = Sarif.model_validate(json.load(sys.stdin))
assert log.version == "2.1.0", log.version
(run,) = log.runs
known = {rule.id for rule in run.tool.driver.rules or []}
for result in run.results or []:
    assert result.rule_id in known, f"{result.rule_id} is no rule of the log"
print(f"{len(run.results or [])} results, {len(known)} rules: a valid log")
