"""What people and programs that get a report are shown: whether all is as it should be, and what is not.

Each consumer is a function that takes the path of a report and returns what it shows. Tools of others are run as they are;
where the tool is a service that cannot be run here, its documented rules for fields are followed.
"""

import csv
import html.parser
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree


class Shown:
    """What a consumer shows.

    - green: all is as it should be, or None where the consumer does not say
    - complete: everything was looked at, or None where the consumer does not say
    - failing: the texts of what is not so, or not known
    - text: all that is shown, for words that are looked for; None where the consumer shows parts only
    """

    def __init__(self, green, failing, complete=None, text=None):
        self.green, self.failing, self.complete, self.text = green, list(failing), complete, text


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def flat(text):
    return " ".join(text.split())


def text(path):
    page = flat(read(path))
    result = re.search(r"Result ([A-Z ]+)", page)
    complete = re.search(r"Complete (yes|no)", page)
    return Shown(bool(result) and result[1].strip() == "COMPLIANT", [page], complete and complete[1] == "yes", page)


class Page(html.parser.HTMLParser):
    """The text of a page, and its elements by class."""

    def __init__(self):
        super().__init__()
        self.parts, self.stack, self.classes, self.hidden = [], [], {}, 0

    def handle_starttag(self, tag, attributes):
        if tag in ("meta", "br", "link", "input", "hr", "img", "col"):
            return
        self.hidden += tag in ("style", "script")
        self.stack.append((tag, dict(attributes).get("class") or "", len(self.parts)))

    def handle_endtag(self, tag):
        while self.stack:
            name, words, begin = self.stack.pop()
            self.hidden -= name in ("style", "script")
            self.classes.setdefault(words, []).append(flat(" ".join(self.parts[begin:])))
            if name == tag:
                return

    def handle_data(self, data):
        if not self.hidden:
            self.parts.append(data)


def page(path):
    found = Page()
    found.feed(read(path))
    shown = flat(" ".join(found.parts))
    verdicts = [words for words in found.classes if words.split()[:1] == ["verdict"]]
    green = verdicts == ["verdict good"] and found.classes["verdict good"][0].startswith("COMPLIANT")
    complete = re.search(r"Complete (yes|no)", shown)
    return Shown(green, [shown], complete and complete[1] == "yes", shown)


#: States of a requirement or rule that are not against a machine.
GOOD = ("met", "waived", "not applicable")


def document(path):
    members = json.loads(read(path))
    green = members["compliant"] if members["kind"] == "merged" else members.get("result") == "compliant"
    failing = [json.dumps(item, ensure_ascii=False) for item in
               members["findings"] + members["limits"] + members.get("machines", [])]
    failing += [f"{rule['rule']} {rule['words']}" for rule in members.get("machineRules", []) if rule["result"] != "met"]
    for item in members["keys"] if members["kind"] == "machine" else []:
        if item["state"] not in GOOD:
            failing.append(f"{item['domain']} {item['key']}")
    return Shown(green, failing, members["complete"], json.dumps(members, ensure_ascii=False))


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, strict=True))
    failing = [" ".join(row.values()) for row in rows if row["result"] not in GOOD]
    return Shown(bool(rows) and not failing, failing)


def junit(path):
    """What a build server shows: red where a test failed or is an error."""
    from junitparser import Error, Failure, JUnitXml
    suites = JUnitXml.fromfile(path)
    failing, count = [], 0
    for suite in suites:
        for case in suite:
            count += 1
            for result in case.result:
                if isinstance(result, (Failure, Error)):
                    failing.append(f"{case.classname} {case.name} {result.message} {result.text or ''}")
    assert suites.failures + suites.errors == len(failing), f"{path}: its totals are not those of its tests"
    return Shown(count > 0 and not failing, failing)


XCCDF = "{http://checklists.nist.gov/xccdf/1.2}"


def scap(path):
    """The report that OpenSCAP makes."""
    done = subprocess.run(["oscap", "xccdf", "generate", "report", path], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, f"oscap: {done.stderr}"
    shown = done.stdout
    alert = re.search(r'id="compliance-and-scoring".*?class="alert alert-(\w+)">(.*?)</div>', shown, re.S)
    failing = re.findall(
        r'class="rule-overview-leaf rule-overview-leaf-(?:fail|error|unknown).*?<td[^>]*>.*?<a [^>]*>(.*?)</a>', shown, re.S)
    details = re.findall(r'class="panel panel-default rule-detail rule-detail-(?:fail|error|unknown).*?(?=rule-detail rule-detail-|\Z)',
                         shown, re.S)
    words = [flat(re.sub("<[^>]*>", " ", item)) for item in failing + details]
    return Shown(bool(alert) and alert[1] == "success", words)


def importer(path):
    """What a manager of vulnerabilities imports of XCCDF: failed rules of the first TestResult as findings.

    A finding's title is that of the rule with its idref. Its references are name and href of each check-content-ref, which
    must both be there. Two findings with equal references are taken for one.
    """
    root = ElementTree.parse(path).getroot()
    titles = {rule.attrib["id"]: rule.findtext(f"{XCCDF}title") for rule in root.iter(f"{XCCDF}Rule")}
    findings, failed = {}, 0
    for result in root.findall(f"{XCCDF}TestResult")[0].findall(f"{XCCDF}rule-result"):
        if result.findtext(f"{XCCDF}result") != "fail":
            continue
        failed += 1
        title = titles[result.attrib["idref"]]
        references = "".join(
            f"{part.attrib['name']}\n{part.attrib['href']}\n" for check in result.findall(f"{XCCDF}check")
            for part in check.findall(f"{XCCDF}check-content-ref"))
        words = " ".join(message.text or "" for message in result.findall(f"{XCCDF}message"))
        findings.setdefault(references, f"{title} {references} {words}")
    assert len(findings) == failed, f"{failed} failed rules become {len(findings)} findings"
    return Shown(not findings, findings.values())


def word(value):
    """The text of a word of the model, which wraps it once or twice."""
    while not isinstance(value, str):
        value = value.root if hasattr(value, "root") else value.value
    return value


def oscal(path):
    from trestle.oscal.assessment_results import AssessmentResults
    document = json.loads(read(path))["assessment-results"]
    make = getattr(AssessmentResults, "parse_obj", None) or AssessmentResults.model_validate
    failing, count = [], 0
    for result in make(document).results:
        # A risk that somebody has accepted is a waiver.
        accepted = {risk.uuid for risk in result.risks or [] if word(risk.status) == "deviation-approved"}
        for finding in result.findings or []:
            count += 1
            risks = [risk.risk_uuid for risk in finding.related_risks or []]
            if word(finding.target.status.state) != "satisfied" and not (risks and accepted.issuperset(risks)):
                failing.append(f"{finding.title} {finding.description}")
    return Shown(count > 0 and not failing, failing)


def ocsf(path):
    from py_ocsf_models.events.findings.compliance_finding import ComplianceFinding
    failing, count = [], 0
    for line in read(path).splitlines():
        event = json.loads(line)
        if event["class_uid"] != 2003:
            continue
        count += 1
        finding = ComplianceFinding.model_validate(event)
        # Where the number says only that it is another word, the word counts.
        if finding.compliance.status_id.value != 1 and event["compliance"]["status"] not in ("Waived", "Not Applicable"):
            failing.append(f"{finding.finding_info.title} {finding.message} {event.get('device', {}).get('hostname', '')}"
                           f" {' '.join(item.name or '' for item in finding.resources or [])}")
    return Shown(count > 0 and not failing, failing)


def metrics(path):
    """What rules of alerts see; checked by promtool where it can be had."""
    lines = read(path)
    if shutil.which("promtool"):
        done = subprocess.run(["promtool", "check", "metrics"], input=lines, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, f"promtool: {done.stderr}"
    values = {}
    for line in lines.splitlines():
        if not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            values[name] = float(value)
    failing = [f"{name} {value:g}" for name, value in values.items()]
    if "mdefaults_fleet_compliant" in values:
        return Shown(values["mdefaults_fleet_compliant"] == 1, failing)
    green = values['mdefaults_report_verdict{verdict="compliant"}'] == 1
    return Shown(green, failing, values["mdefaults_report_complete"] == 1)


#: Consumers by the format that they take.
CONSUMERS = {
    "text": [("reader", text)],
    "html": [("browser", page)],
    "json": [("program", document)],
    "csv": [("table", table)],
    "junit": [("junitparser", junit)],
    "xccdf": [("oscap report", scap), ("importer", importer)],
    "oscal": [("trestle", oscal)],
    "ocsf": [("ocsf models", ocsf)],
    "prometheus": [("promtool", metrics)],
}


def available():
    """The consumers that can run here, and a sentence for each that cannot."""
    missing = []
    found = {name: list(items) for name, items in CONSUMERS.items()}
    for name, module, package in (
            ("junit", "junitparser", "junitparser"), ("oscal", "trestle.oscal.assessment_results", "compliance-trestle"),
            ("ocsf", "py_ocsf_models.events.findings.compliance_finding", "py-ocsf-models")):
        try:
            __import__(module)
        except ImportError:
            missing.append(f"{name} needs {package} from PyPI")
            del found[name]
    if not shutil.which("oscap"):
        missing.append("what xccdf shows needs oscap")
        found["xccdf"] = [("importer", importer)]
    if not shutil.which("promtool"):
        missing.append("metrics are not checked without promtool")
    return found, missing
