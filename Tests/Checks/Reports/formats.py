"""Checks reports in the formats of others by the tools of others, each where it can be had.

usage: formats.py SCHEMA FOLDER     (FOLDER has report.json, report.junit, report.oscal, report.ocsf, merged.json
and so on of many machines, and rooms/fleet.xccdf)
"""
import json
import sys
import xml.etree.ElementTree

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

# What OpenSCAP's page and importers go by: one result; of each failure a name and a reference of its own.
NAMES = "{http://checklists.nist.gov/xccdf/1.2}"
for name in ("report", "flipped", "merged", "rooms/room1", "rooms/room2", "rooms/fleet"):
    benchmark = xml.etree.ElementTree.parse(f"{folder}/{name}.xccdf").getroot()
    titles = {rule.attrib["id"]: rule.findtext(NAMES + "title") for rule in benchmark.iter(NAMES + "Rule")}
    (result,) = benchmark.findall(NAMES + "TestResult")
    failures = [item for item in result.findall(NAMES + "rule-result") if item.findtext(NAMES + "result") == "fail"]
    references = set()
    for item in failures:
        assert titles[item.attrib["idref"]], name
        assert item.attrib["severity"] in ("low", "medium", "high"), item.attrib["severity"]
        (check,) = item.findall(f"{NAMES}check/{NAMES}check-content-ref")
        references.add((check.attrib["name"], check.attrib["href"]))
    assert len(references) == len(failures) > 0, f"{name}: {len(failures)} failures have {len(references)} references"
    if name == "flipped":
        assert any("log-verifies" in item.attrib["idref"] for item in failures), "the log does not verify, and nothing says so"
    print(f"xccdf: {name}: {len(failures)} failures")

counts = json.loads(read("report.json"))["requirements"]
# The result and the rules about the machine have rows of their own.
rows = 1 + len(json.loads(read("report.json"))["machineRules"]) + counts["required"] + counts["notApplicable"]
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
        if name == "report.junit":
            assert len(cases) == rows, f"{len(cases)} tests for {rows} rows"
    print(f"junit: {rows} results of the machine, {len(cases)} of machines")

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
    assert count == rows, f"{count} findings for {rows} rows"
    hosts = set()
    for line in read("merged.ocsf").splitlines():
        event = json.loads(line)
        finding = ComplianceFinding.model_validate(event)
        if finding.device:
            hosts.add(finding.device.hostname)
    assert hosts == {"room1-pc03", "room1-pc04", "room2-pc01"}, hosts
    print(f"ocsf: {count} compliance findings, and those of {len(hosts)} machines")
