"""Checks reports in the formats of others by the tools of others, each where it can be had.

usage: formats.py SCHEMA FOLDER     (FOLDER has report.json, report.junit, report.oscal, report.ocsf, and merged.json
and so on of many machines)
"""
import json
import sys

schema_path, folder = sys.argv[1:]


def skipped(what, tool):
    print(f"skipped: {what} needs {tool}")


def read(name):
    with open(f"{folder}/{name}", encoding="utf-8") as file:
        return file.read()


try:
    import jsonschema
except ImportError:
    skipped("json", "jsonschema from PyPI")
else:
    schema = json.load(open(schema_path, encoding="utf-8"))
    kinds = {branch["properties"]["kind"]["const"]: branch for branch in schema["oneOf"]}
    for name in ("report.json", "baseline.json", "merged.json"):
        document = json.loads(read(name))
        # One branch gives one error with its place; oneOf would give none.
        validator = jsonschema.Draft202012Validator(
            kinds[document["kind"]], format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
        errors = sorted(validator.iter_errors(document), key=str)
        assert not errors, f"{name}: {errors[0].json_path}: {errors[0].message}"
        jsonschema.Draft202012Validator(schema).validate(document)
    document["surplus"] = 1
    assert not jsonschema.Draft202012Validator(schema).is_valid(document), "the schema lets anything through"
    print("json: the schema holds for report, baseline and merged report")

keys = json.loads(read("report.json"))["keys"]
waived = [item for item in json.loads(read("report.json"))["waivers"] if item["state"] == "in force"]
try:
    from junitparser import JUnitXml
except ImportError:
    skipped("junit", "junitparser from PyPI")
else:
    for name in ("report.junit", "merged.junit"):
        suites = JUnitXml.fromfile(f"{folder}/{name}")
        cases = [case for suite in suites for case in suite]
        results = [result for case in cases for result in case.result]
        assert suites.tests == len(cases), f"{name}: {suites.tests} tests, {len(cases)} cases"
        assert suites.failures + suites.errors + suites.skipped == len(results), name
    print(f"junit: {len(cases)} machines, {len(keys)} keys")

try:
    from trestle.oscal.assessment_results import AssessmentResults
except ImportError:
    skipped("oscal", "compliance-trestle from PyPI")
else:
    for name in ("report.oscal", "merged.oscal"):
        document = json.loads(read(name))["assessment-results"]
        parsed = AssessmentResults(**document) if not hasattr(AssessmentResults, "parse_obj") else AssessmentResults.parse_obj(document)
        result = parsed.results[0]
        known = {str(item.uuid) for item in result.observations}
        for finding in result.findings:
            for item in finding.related_observations or []:
                assert str(item.observation_uuid) in known, "a finding names an observation that is not there"
        print(f"oscal: {name}: {len(result.observations)} observations, {len(result.findings)} findings")

try:
    from py_ocsf_models.events.findings.compliance_finding import ComplianceFinding
except ImportError:
    skipped("ocsf", "py-ocsf-models from PyPI")
else:
    count = 0
    for line in read("report.ocsf").splitlines():
        event = json.loads(line)
        assert event["type_uid"] == event["class_uid"] * 100 + event["activity_id"]
        if event["class_uid"] != 2003:
            continue
        ComplianceFinding.model_validate(event)
        count += 1
    assert count == len(keys) + len(waived), f"{count} findings for {len(keys)} keys"
    hosts = []
    for line in read("merged.ocsf").splitlines():
        event = json.loads(line)
        ComplianceFinding.model_validate(event)
        if event["finding_info"]["title"] in ("all of policy", "report"):
            hosts.append(event["resources"][0]["name"])
    assert sorted(hosts) == ["room1-pc03", "room1-pc04", "room2-pc01"], hosts
    print(f"ocsf: {count} compliance findings, and those of {len(hosts)} machines")
