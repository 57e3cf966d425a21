#!/usr/bin/env python3
"""Checks Policies/policy.schema.json, and every policy file of the repository against it.

Needs Python 3.9 and the package `jsonschema` 4 (Debian: python3-jsonschema). Prints what failed and, at the end,
`N passed, N failed`. Exit status: 0 when nothing failed, else 1.
"""

import base64
import datetime
import json
import math
import pathlib
import plistlib
import re
import stat
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("schema.py needs the Python package jsonschema (Debian: python3-jsonschema).")

TOP = pathlib.Path(__file__).resolve().parents[3]
SCHEMA = TOP / "Policies" / "policy.schema.json"
LAB = TOP / "Examples" / "lab"
SETS = ("classroom", "exam", "library-kiosk", "office-baseline")


class BadText(ValueError):
    """A policy text that cannot be read, with what is wrong and where."""


class Tally:
    """Counts checks and prints those that fail."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, name, problem):
        """Counts a check that failed if there is a problem, and prints it."""
        if problem:
            self.failed += 1
            print(f"FAILED {name}: {problem}")
        else:
            self.passed += 1


# Reading policy files


def plain_json(text):
    """Blanks out comments and trailing commas and leaves every other character where it was."""
    out = list(text)
    comma = None  # the place of a comma after a value, with nothing but blanks and comments since
    last = "["  # the last character that was neither blank nor comment
    i = 0
    while i < len(text):
        c = text[i]
        if c == '"':
            comma = None
            last = c
            i += 1
            while i < len(text) and text[i] != '"':
                i += 2 if text[i] == "\\" else 1
            i += 1
        elif text.startswith("//", i) or text.startswith("/*", i):
            if text[i + 1] == "/":
                end = text.find("\n", i)
                end = len(text) if end < 0 else end
            else:
                end = text.find("*/", i + 2)
                if end < 0:
                    raise BadText(f"a comment that begins at character {i} has no end")
                end += 2
            for at in range(i, end):
                if out[at] not in "\r\n":
                    out[at] = " "
            i = end
        else:
            if c not in " \t\r\n":
                if c in "]}" and comma is not None:
                    out[comma] = " "
                comma = i if c == "," and last not in "[{,:" else None
                last = c
            i += 1
    return "".join(out)


def without_duplicates(pairs):
    """Makes a dictionary of the members of an object, each of which may occur once."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise BadText("a key occurs twice in one object")
    return members


def refuse_constant(name):
    """Refuses NaN and Infinity, which Python reads and JSON does not have."""
    raise BadText(f"{name} is no JSON")


def read_json(text):
    """Reads a policy text in JSON with comments and trailing commas."""
    return json.loads(plain_json(text), object_pairs_hook=without_duplicates, parse_constant=refuse_constant)


OPENSTEP = re.compile(
    r"""(?:\s|//[^\n]*|/\*.*?\*/)*(?:
        (?P<mark>[{}()=;,]) | "(?P<quoted>(?:[^"\\]|\\.)*)" | <(?P<data>[0-9A-Fa-f\s]*)> | (?P<bare>[A-Za-z0-9_$/:.-]+)
    )""",
    re.VERBOSE | re.DOTALL,
)


def read_openstep(text):
    """Reads the small part of the OpenStep text format that the shipped policies use."""
    at = 0
    tokens = []
    while text[at:].strip():
        match = OPENSTEP.match(text, at)
        if not match:
            raise BadText(f"nothing that OpenStep text knows at character {at}")
        tokens.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    tokens.reverse()

    def take(*wanted):
        if not tokens or tokens[-1] not in [("mark", mark) for mark in wanted]:
            raise BadText(f"{tokens[-1] if tokens else 'the end'} where one of {wanted} is expected")
        return tokens.pop()[1]

    def value():
        if not tokens:
            raise BadText("the end where a value is expected")
        kind, word = tokens.pop()
        if kind == "quoted":
            return re.sub(r"\\(.)", r"\1", word)
        if kind == "bare":
            return word
        if kind == "data":
            return bytes.fromhex(word)
        if word == "(":
            items = []
            while tokens and tokens[-1] != ("mark", ")"):
                items.append(value())
                if tokens and tokens[-1] != ("mark", ")"):
                    take(",")
            take(")")
            return items
        if word == "{":
            members = []
            while tokens and tokens[-1] != ("mark", "}"):
                key = value()
                take("=")
                members.append((key, value()))
                take(";")
            take("}")
            return without_duplicates(members)
        raise BadText(f"{word} where a value is expected")

    root = value()
    if tokens:
        raise BadText("something follows the end")
    return root


def in_json(value):
    """Writes a property list in the forms that JSON policy files use."""
    if isinstance(value, dict):
        members = {key: in_json(item) for key, item in value.items()}
        return {"$dict": members} if len(members) == 1 and next(iter(members)).startswith("$") else members
    if isinstance(value, list):
        return [in_json(item) for item in value]
    if isinstance(value, datetime.datetime):
        return {"$date": value.strftime("%Y-%m-%dT%H:%M:%SZ")}
    if isinstance(value, bytes):
        return {"$data": base64.b64encode(value).decode()}
    if isinstance(value, float) and not math.isfinite(value):
        return {"$real": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}
    return value


def read_policy(path):
    """Reads a policy file of any of the formats."""
    data = path.read_bytes()
    if path.suffix == ".json":
        return read_json(data.decode())
    if data.startswith(b"bplist") or data.lstrip().startswith(b"<?xml"):
        return in_json(plistlib.loads(data))
    return in_json(read_openstep(data.decode()))


# What is checked


def pointer(path):
    """Writes the path of an error as a JSON pointer."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def errors(validator, policy):
    """Lists what is wrong with a policy: the place, the keyword of the schema that says so, and a sentence."""
    return [(pointer(e.absolute_path), str(e.validator), e.message) for e in validator.iter_errors(policy)]


def policy_files():
    """Lists every policy file of the repository in byte order of the paths."""
    folders = [TOP / "Policies" / name for name in SETS]
    folders += [LAB / "etc/managed-defaults/policies.d", LAB / "run/managed-defaults/policies.d"]
    for folder in folders:
        for path in sorted(folder.iterdir()):
            if path.suffix in (".json", ".plist") and not path.name.startswith(".") and not path.is_symlink():
                yield path


def check_schema(tally, schema, validator):
    """Checks the schema itself: valid, explained throughout, and with examples and defaults that it accepts."""
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
        tally.check("schema is valid", None)
    except jsonschema.SchemaError as error:
        tally.check("schema is valid", error.message)

    def visit(node, place):
        if isinstance(node, list):
            for index, item in enumerate(node):
                visit(item, f"{place}/{index}")
        if not isinstance(node, dict):
            return
        for name, field in node.get("properties", {}).items() if isinstance(node.get("properties"), dict) else ():
            # A reference is explained where it points to.
            if isinstance(field, dict) and "$ref" not in field:
                missing = [word for word in ("title", "description") if not field.get(word)]
                tally.check(f"{place}/properties/{name} is explained", f"it has no {missing}" if missing else None)
        if isinstance(node.get("examples"), list):
            for index, example in enumerate(node["examples"]):
                found = errors(validator.evolve(schema=node), example)
                tally.check(f"{place}/examples/{index}", found or None)
        if "default" in node and not isinstance(node["default"], dict):
            tally.check(f"{place}/default", errors(validator.evolve(schema=node), node["default"]) or None)
        for name, item in node.items():
            if name not in ("examples", "default", "enum"):
                visit(item, f"{place}/{name}")

    visit(schema, "schema")


def check_files(tally, validator):
    """Checks every policy file of the repository, and that no two of one machine share an identifier."""
    count = 0
    identifiers = {}
    for path in policy_files():
        count += 1
        name = path.relative_to(TOP)
        try:
            policy = read_policy(path)
        except (BadText, ValueError, plistlib.InvalidFileException) as error:
            tally.check(name, error)
            continue
        found = errors(validator, policy)
        tally.check(name, "; ".join(f"{place or 'the whole'}: {message}" for place, _, message in found) or None)
        same = identifiers.setdefault(("lab" if LAB in path.parents else "sets", policy.get("Identifier")), name)
        tally.check(f"{name} has an identifier of its own", None if same == name else f"{same} has it too")
        tally.check(f"{name} belongs to its owner", "group or others may write" if path.stat().st_mode & 0o022 else None)
        if LAB not in path.parents:
            where = path.parent / str(policy.get("$schema", ""))
            wrong = "its $schema leads elsewhere" if where.resolve() != SCHEMA else None
            tally.check(f"{name} names the schema", wrong)
            readme = path.parent / "README.md"
            wrong = None if readme.is_file() and path.name in readme.read_text() else "it is not mentioned there"
            tally.check(f"{name} is explained by its README", wrong)
    # The four sets and the lab have more than this; an empty listing must not pass for a success.
    tally.check("policy files are found", None if count >= 15 else f"only {count} files")


def check_lab(tally):
    """Checks what the lab needs from the file system, which Git may lose."""
    mask = LAB / "run/managed-defaults/policies.d/60-sound.json"
    wrong = None if mask.is_symlink() and str(mask.readlink()) == "/dev/null" else "it is no link to /dev/null"
    tally.check("the lab's mask", wrong)
    masked = LAB / "etc/managed-defaults/policies.d/60-sound.json"
    tally.check("the lab's masked file", None if masked.is_file() else "it is missing")
    damaged = LAB / "home/dora/.config/org.example.Player.plist"
    try:
        plistlib.loads(damaged.read_bytes())
        tally.check("the lab's damaged file", "it can be read")
    except Exception:  # plistlib lets errors of the XML parser through
        tally.check("the lab's damaged file", None)
    for path in sorted(LAB.glob("home/*/.config/**/*.plist")):
        if path == damaged:
            continue
        try:
            plistlib.loads(path.read_bytes())
            tally.check(path.relative_to(TOP), None)
        except Exception as error:
            tally.check(path.relative_to(TOP), error)
    machine = (LAB / "etc/machine-id").read_text().strip()
    wrong = None if re.fullmatch("[0-9a-f]{32}", machine) else "it is not 32 hexadecimal digits"
    tally.check("the lab's machine-id", wrong)
    by_host = [path.name for path in LAB.glob("home/*/.config/ByHost/*")]
    wrong = None if by_host and all(machine in name for name in by_host) else f"other machines: {by_host}"
    tally.check("the lab's settings by host", wrong)
    for path in sorted([LAB, *LAB.rglob("*")]):
        if not path.is_symlink() and path.stat().st_mode & stat.S_IWOTH:
            tally.check(path.relative_to(TOP), "others may write")


def entry(value):
    """Makes a policy that forces one key to a value."""
    return {"Identifier": "org.example.x", "Forced": {"org.example.App": {"Key": value}}}


def policy(**fields):
    """Makes a policy of an identifier and some fields."""
    return {"Identifier": "org.example.x", **fields}


KEY = "/Forced/org.example.App/Key"

# Policies that the schema accepts: a name, the policy.
RIGHT = [
    ("an identifier alone", policy()),
    ("all fields", policy(**{
        "$schema": "../policy.schema.json", "Version": -1, "Description": "", "Contact": "", "Target": {},
        "Enforced": True, "Forced": {}, "Recommended": {}, "Absent": {}, "OnOverride": "shadow", "SetOnce": {},
        "Sealed": [], "Constraints": {}, "Combine": {}, "Waivers": [], "Calendars": {}, "Metadata": {},
    })),
    ("a schedule of one window", policy(Target={"Schedule": {"Days": ["Mon"], "From": "09:00", "To": "24:00"}})),
    ("a schedule of one calendar", policy(Target={"Schedule": "exam-week"})),
    ("a schedule of several", policy(Target={
        "Schedule": ["exam-week", {}, {"From": "22:00:30", "To": "06:00", "TimeZone": "America/Argentina/Ushuaia"}],
        "NotBefore": "2026-11-23T08:00:00+01:00", "NotAfter": {"$date": "2026-11-27T18:00:00Z"},
    })),
    ("calendars", policy(Calendars={"exam week": [{"Days": ["Sat", "Sun"], "TimeZone": "Etc/GMT+1"}], "none": []})),
    ("values set once", policy(SetOnce={"org.example.App": {"Key": "${user}"}})),
    ("constraints", policy(Constraints={"org.example.App": {
        "a": {"Minimum": -1, "Maximum": 1.5}, "b": {"OneOf": [1, "x", {"$date": "2026-11-20T08:00:00Z"}]},
        "c": {"Pattern": "[a-z]{2,}"}, "d": {"Maximum": {"$int": "18446744073709551615"}},
    }})),
    ("every operator", policy(Combine={"org.example.App": dict(
        zip("abcdefg", ["replace", "union", "merge", "min", "max", "and", "or"]))})),
    ("waivers", policy(Waivers=[{"Domain": "org.example.App", "Key": "a"}, {
        "Users": ["a"], "Groups": ["b"], "Hosts": ["c*"], "Tags": ["d"], "Domain": "org.example.App", "Key": "a",
        "Until": "2026-12-01T00:00:00.5Z", "Reason": "thesis", "ApprovedBy": "IT-211"}])),
    ("a grant", policy(Temporary={"Kind": "grant"})),
    ("an exam", policy(Temporary={
        "Kind": "exam", "Set": "math", "Until": "2026-11-23T11:00:00Z", "By": "root", "Reason": "r",
        "Digest": "0123456789abcdefABCDEF" + "0" * 42})),
    ("metadata", policy(Metadata={"org.example.App": {"a": {}, "b": {
        "Title": "t", "Description": "d", "Controls": ["CIS 1"], "Sensitive": True,
        "Programs": ["/opt/c-*/c"], "Severity": "high"}}})),
    ("an identifier with digits and dashes", {"Identifier": "ch.8-bit.lab-1._exam_"}),
    ("any word as identifier", {"Identifier": "class room"}),
    ("no identifier", {"Forced": {}}),
    ("an acknowledged warning", policy(Metadata={"LintIgnore": {"never-wins": "meant"}})),
    ("every clause", policy(Target={
        "Users": ["a"], "Groups": ["b"], "Hosts": ["c-[0-9]*"], "Tags": ["d"],
        "Except": {"Users": ["a"], "Groups": ["b"], "Hosts": ["c?"], "Tags": ["d"]},
    })),
    ("each variable", entry("${user}${uid}${home}${host}")),
    ("an escaped variable", entry("$${user} and $$${x}")),
    ("dollars without braces", entry("$5, $ {user} $user $$ $")),
    ("a string of two lines", entry("a\n${user}\n")),
    ("numbers", entry([0, -1, 18446744073709551615, -9223372036854775808, 1.5, 1e300])),
    ("booleans and empty containers", entry([True, False, "", [], {}])),
    ("special forms", entry([
        {"$date": "2026-11-20T08:00:00Z"}, {"$date": 816854400.25}, {"$data": ""}, {"$data": "AQ=="}, {"$data": "AQI="},
        {"$data": "AQID"}, {"$real": "nan"}, {"$real": "-inf"}, {"$int": "-9223372036854775808"}, {"$int": "0"},
        {"$dict": {"$date": "no date"}},
    ])),
    ("a dollar key among others", entry({"$date": "no date", "other": 1})),
    ("a domain with a leading dot and a blank", policy(Forced={".my app": {"a": 1}})),
    ("empty lists", policy(Target={"Users": [], "Except": {"Hosts": []}}, Absent={"org.example.App": []})),
    ("host patterns", policy(Target={"Hosts": ["*", "r[]]m", "r[!]]m", "[a-z0-9]?", "r]m", "a[^b]c", "ß"]})),
    ("a key beyond ASCII", policy(
        Forced={"org.example.App": {"Größe": 1, "a b": 2}}, Absent={"org.example.App": ["ß"]})),
    ("a domain with one key that begins with a dollar", policy(Forced={"org.example.App": {"$dict": {"$x": 1}}})),
]

# Policies that the schema refuses: a name, the policy, the place of the error, the keyword that finds it.
WRONG = [
    ("an array", [], "", "type"),
    ("nothing", {}, "", "minProperties"),
    ("values set once without an identifier", {"SetOnce": {}}, "", "dependentRequired"),
    ("an unknown field", policy(Force={}), "", "additionalProperties"),
    ("a field in another case", policy(forced={}), "", "additionalProperties"),
    ("a number as schema", policy(**{"$schema": 1}), "/$schema", "type"),
    ("an identifier with a tab", {"Identifier": "a\tb"}, "/Identifier", "pattern"),
    ("an identifier that is too long", {"Identifier": "org." + "x" * 252}, "/Identifier", "maxLength"),
    ("an empty identifier", {"Identifier": ""}, "/Identifier", "pattern"),
    ("a number as identifier", {"Identifier": 1}, "/Identifier", "type"),
    ("no identifier but a null", {"Identifier": None}, "/Identifier", "type"),
    ("a version in words", policy(Version="3"), "/Version", "type"),
    ("a fraction as version", policy(Version=1.5), "/Version", "type"),
    ("a list as description", policy(Description=["a"]), "/Description", "type"),
    ("a null as contact", policy(Contact=None), "/Contact", "type"),
    ("a word as enforced", policy(Enforced="true"), "/Enforced", "type"),
    ("a number as enforced", policy(Enforced=1), "/Enforced", "type"),
    ("a list as target", policy(Target=["students"]), "/Target", "type"),
    ("an unknown clause", policy(Target={"Group": ["students"]}), "/Target", "additionalProperties"),
    ("a clause that is no list", policy(Target={"Groups": "students"}), "/Target/Groups", "type"),
    ("users that are no list", policy(Target={"Users": "alice"}), "/Target/Users", "type"),
    ("hosts that are no list", policy(Target={"Hosts": {"room1": True}}), "/Target/Hosts", "type"),
    ("tags that are no list", policy(Target={"Tags": "lab room1"}), "/Target/Tags", "type"),
    ("a number as host", policy(Target={"Hosts": [1]}), "/Target/Hosts/0", "type"),
    ("a host that is too long", policy(Target={"Hosts": ["x" * 256]}), "/Target/Hosts/0", "maxLength"),
    ("a number in a clause", policy(Target={"Users": ["alice", 1001]}), "/Target/Users/1", "type"),
    ("an empty name", policy(Target={"Users": [""]}), "/Target/Users/0", "pattern"),
    ("a name with a colon", policy(Target={"Groups": ["a:b"]}), "/Target/Groups/0", "pattern"),
    ("a host without its bracket", policy(Target={"Hosts": ["room[1"]}), "/Target/Hosts/0", "pattern"),
    ("a host with an empty bracket", policy(Target={"Hosts": ["room[]"]}), "/Target/Hosts/0", "pattern"),
    ("a host with an empty negation", policy(Target={"Hosts": ["room[!]"]}), "/Target/Hosts/0", "pattern"),
    ("a host with a blank", policy(Target={"Hosts": ["room 1"]}), "/Target/Hosts/0", "pattern"),
    ("an empty host", policy(Target={"Hosts": [""]}), "/Target/Hosts/0", "pattern"),
    ("a tag with a blank", policy(Target={"Tags": ["room 1"]}), "/Target/Tags/0", "pattern"),
    ("an exception in an exception", policy(Target={"Except": {"Except": {}}}),
     "/Target/Except", "additionalProperties"),
    ("an exception that is no dictionary", policy(Target={"Except": ["bob"]}), "/Target/Except", "type"),
    ("a number in an exception", policy(Target={"Except": {"Groups": [1]}}), "/Target/Except/Groups/0", "type"),
    ("forced that is no dictionary", policy(Forced=[]), "/Forced", "type"),
    ("recommended that is no dictionary", policy(Recommended=["org.example.App"]), "/Recommended", "type"),
    ("a domain that is no dictionary", policy(Forced={"org.example.App": True}), "/Forced/org.example.App", "type"),
    ("a domain that is null", policy(Recommended={"org.example.App": None}), "/Recommended/org.example.App", "type"),
    ("a domain with a slash", policy(Forced={"a/b": {}}), "/Forced", "pattern"),
    ("a domain with two dots", policy(Recommended={"../a": {}}), "/Recommended", "pattern"),
    ("a domain with a control character", policy(Absent={"a\u0007": []}), "/Absent", "pattern"),
    ("another name of the global domain", policy(Forced={".GlobalPreferences": {"a": 1}}), "/Forced", "not"),
    ("a domain that no file could have", policy(Forced={"a" * 217: {}}), "/Forced", "maxLength"),
    ("a key with a NUL", policy(Forced={"org.example.App": {"a\0": 1}}), "/Forced/org.example.App", "pattern"),
    ("an empty domain", policy(Forced={"": {}}), "/Forced", "minLength"),
    ("an empty key", policy(Forced={"org.example.App": {"": 1}}), "/Forced/org.example.App", "minLength"),
    ("a null value", entry(None), KEY, "type"),
    ("a null in a list", entry([1, None]), KEY + "/1", "type"),
    ("a null in a dictionary", entry({"a": {"b": None}}), KEY + "/a/b", "type"),
    ("a null among recommended ones", policy(Recommended={"org.example.App": {"Key": None}}),
     "/Recommended/org.example.App/Key", "type"),
    ("a null in an escaped dictionary", entry({"$dict": {"$a": None}}), KEY + "/$dict/$a", "type"),
    ("an unknown variable", entry("${shell}"), KEY, "pattern"),
    ("a variable in capitals", entry("${USER}"), KEY, "pattern"),
    ("an open variable", entry("${user"), KEY, "pattern"),
    ("an empty variable", entry("${}"), KEY, "pattern"),
    ("an unknown variable after an escaped one", entry("$${user} ${x}"), KEY, "pattern"),
    ("an unknown variable in a list", entry({"a": ["${x}"]}), KEY + "/a/0", "pattern"),
    ("a date without a zone", entry({"$date": "2026-11-20T08:00:00"}), KEY + "/$date", "pattern"),
    ("a date in another zone", entry({"$date": "2026-11-20T08:00:00+01:00"}), KEY + "/$date", "pattern"),
    ("a date with a fraction", entry({"$date": "2026-11-20T08:00:00.5Z"}), KEY + "/$date", "pattern"),
    ("a date in a month 13", entry({"$date": "2026-13-20T08:00:00Z"}), KEY + "/$date", "pattern"),
    ("a whole number as date", entry({"$date": 0}), KEY + "/$date", "not"),
    ("base64 without padding", entry({"$data": "AA"}), KEY + "/$data", "pattern"),
    ("a list as data", entry({"$data": [1, 2]}), KEY + "/$data", "type"),
    ("base64 with bits left over", entry({"$data": "AB=="}), KEY + "/$data", "pattern"),
    ("a special integer with a zero in front", entry({"$int": "01"}), KEY + "/$int", "pattern"),
    ("a number as special integer", entry({"$int": 1}), KEY + "/$int", "type"),
    ("base64 with a blank", entry({"$data": "AAAA AAAA"}), KEY + "/$data", "pattern"),
    ("a number as special real", entry({"$real": 1.5}), KEY + "/$real", "type"),
    ("an unknown special real", entry({"$real": "NaN"}), KEY + "/$real", "enum"),
    ("an unknown special form", entry({"$uid": 1}), KEY, "additionalProperties"),
    ("an escape of no dictionary", entry({"$dict": [1]}), KEY + "/$dict", "type"),
    ("a domain that is a special form", policy(Forced={"org.example.App": {"$date": "2026-11-20T08:00:00Z"}}),
     "/Forced/org.example.App", "required"),
    ("absent that is a list", policy(Absent=["Proxy"]), "/Absent", "type"),
    ("absent keys that are no list", policy(Absent={"org.example.App": "Proxy"}), "/Absent/org.example.App", "type"),
    ("absent keys that are a dictionary", policy(Absent={"org.example.App": {"Proxy": True}}),
     "/Absent/org.example.App", "type"),
    ("a number as absent key", policy(Absent={"org.example.App": ["a", 1]}), "/Absent/org.example.App/1", "type"),
    ("an absent key that stands twice", policy(Absent={"org.example.App": ["a", "a"]}), "/Absent/org.example.App",
     "uniqueItems"),
    ("an empty absent key", policy(Absent={"org.example.App": [""]}), "/Absent/org.example.App/0", "minLength"),
    ("an unknown answer to overriding", policy(OnOverride="ignore"), "/OnOverride", "enum"),
    ("an answer to overriding in capitals", policy(OnOverride="Refuse"), "/OnOverride", "enum"),
    ("set once that is a list", policy(SetOnce=[]), "/SetOnce", "type"),
    ("a null set once", policy(SetOnce={"org.example.App": {"a": None}}), "/SetOnce/org.example.App/a", "type"),
    ("sealed that is a dictionary", policy(Sealed={"org.example.App": True}), "/Sealed", "type"),
    ("a sealed domain with a slash", policy(Sealed=["a/b"]), "/Sealed/0", "pattern"),
    ("a domain that is sealed twice", policy(Sealed=["a.b", "a.b"]), "/Sealed", "uniqueItems"),
    ("constraints that are a list", policy(Constraints=[]), "/Constraints", "type"),
    ("an empty constraint", policy(Constraints={"a.b": {"c": {}}}), "/Constraints/a.b/c", "minProperties"),
    ("an unknown bound", policy(Constraints={"a.b": {"c": {"Max": 1}}}), "/Constraints/a.b/c", "additionalProperties"),
    ("a bound in words", policy(Constraints={"a.b": {"c": {"Maximum": "1"}}}), "/Constraints/a.b/c/Maximum", "type"),
    ("a bound that is no number", policy(Constraints={"a.b": {"c": {"Maximum": {"$real": "nan"}}}}),
     "/Constraints/a.b/c/Maximum/$real", "enum"),
    ("an empty choice", policy(Constraints={"a.b": {"c": {"OneOf": []}}}), "/Constraints/a.b/c/OneOf", "minItems"),
    ("a choice with a variable", policy(Constraints={"a.b": {"c": {"OneOf": ["${user}"]}}}),
     "/Constraints/a.b/c/OneOf/0", "not"),
    ("a number as pattern", policy(Constraints={"a.b": {"c": {"Pattern": 1}}}), "/Constraints/a.b/c/Pattern", "type"),
    ("an unknown operator", policy(Combine={"a.b": {"c": "join"}}), "/Combine/a.b/c", "enum"),
    ("waivers that are a dictionary", policy(Waivers={}), "/Waivers", "type"),
    ("a waiver without a key", policy(Waivers=[{"Domain": "a.b"}]), "/Waivers/0", "required"),
    ("a waiver with an unknown field", policy(Waivers=[{"Domain": "a.b", "Key": "c", "Why": ""}]),
     "/Waivers/0", "additionalProperties"),
    ("a waiver until tomorrow", policy(Waivers=[{"Domain": "a.b", "Key": "c", "Until": "tomorrow"}]),
     "/Waivers/0/Until", "pattern"),
    ("temporary policy of no kind", policy(Temporary={}), "/Temporary", "required"),
    ("temporary policy of an unknown kind", policy(Temporary={"Kind": "loan"}), "/Temporary/Kind", "enum"),
    ("an exam without a set", policy(Temporary={"Kind": "exam"}), "/Temporary", "required"),
    ("temporary policy with an unknown field", policy(Temporary={"Kind": "grant", "End": ""}),
     "/Temporary", "additionalProperties"),
    ("a digest that is too short", policy(Temporary={"Kind": "grant", "Digest": "00"}),
     "/Temporary/Digest", "pattern"),
    ("a calendar that is one window", policy(Calendars={"a": {}}), "/Calendars/a", "type"),
    ("a calendar without a name", policy(Calendars={"": []}), "/Calendars", "minLength"),
    ("a window of no day", policy(Calendars={"a": [{"Days": []}]}), "/Calendars/a/0/Days", "minItems"),
    ("a window of an unknown day", policy(Calendars={"a": [{"Days": ["Monday"]}]}), "/Calendars/a/0/Days/0", "enum"),
    ("a window from 24:00", policy(Calendars={"a": [{"From": "24:00"}]}), "/Calendars/a/0/From", "pattern"),
    ("a window to 24:01", policy(Calendars={"a": [{"To": "24:01"}]}), "/Calendars/a/0/To", "pattern"),
    ("a zone with dots", policy(Calendars={"a": [{"TimeZone": "../UTC"}]}), "/Calendars/a/0/TimeZone", "pattern"),
    ("a number as schedule", policy(Target={"Schedule": 1}), "/Target/Schedule", "oneOf"),
    ("a moment without its offset", policy(Target={"NotBefore": "2026-11-23T08:00:00"}),
     "/Target/NotBefore", "pattern"),
    ("a moment of another form", policy(Target={"NotAfter": {"$data": ""}}), "/Target/NotAfter", "required"),
    ("an unknown word about a key", policy(Metadata={"a.b": {"c": {"Name": ""}}}),
     "/Metadata/a.b/c", "additionalProperties"),
    ("a program without its path", policy(Metadata={"a.b": {"c": {"Programs": ["c"]}}}),
     "/Metadata/a.b/c/Programs/0", "pattern"),
    ("a severity of another list", policy(Metadata={"a.b": {"c": {"Severity": "grave"}}}),
     "/Metadata/a.b/c/Severity", "enum"),
    ("a control that is no list", policy(Metadata={"a.b": {"c": {"Controls": "CIS"}}}),
     "/Metadata/a.b/c/Controls", "type"),
    ("a secret in words", policy(Metadata={"a.b": {"c": {"Sensitive": "yes"}}}),
     "/Metadata/a.b/c/Sensitive", "type"),
]

# What the reader of JSON makes of a text: the text, the value, or None where it is refused.
TEXTS = [
    ('{"a": 1, // b\n}', {"a": 1}),
    ('{"a": [1, 2, /* , */ ], }', {"a": [1, 2]}),
    ('{"a": "// no comment, }", "b": "\\"/*"}', {"a": "// no comment, }", "b": '"/*'}),
    ('{"a": ",}", "b": ["\\\\",]}', {"a": ",}", "b": ["\\"]}),
    ("/**/[]//", []),
    ('{"a": 1,, }', None),
    ("[,]", None),
    ('{"a": 1} /* open', None),
    ('{"a": 1, "a": 2}', None),
    ("[NaN]", None),
    ("", None),
]


def check_tables(tally, validator):
    """Checks the tables above."""
    for name, right in RIGHT:
        found = errors(validator, right)
        tally.check(f"{name} is accepted", found or None)
    for name, wrong, place, keyword in WRONG:
        found = [(where, which) for where, which, _ in errors(validator, wrong)]
        missing = f"expected {(place, keyword)}, found {found}" if (place, keyword) not in found else None
        tally.check(f"{name} is refused", missing)
    for text, value in TEXTS:
        try:
            read = read_json(text)
            problem = f"read as {read!r}" if value is None or read != value else None
        except ValueError as error:
            problem = None if value is None else str(error)
        tally.check(f"text {text!r}", problem)


def main():
    """Runs all checks and says how many failed."""
    tally = Tally()
    schema = json.loads(SCHEMA.read_text())
    validator = jsonschema.Draft202012Validator(schema)
    check_schema(tally, schema, validator)
    check_files(tally, validator)
    check_lab(tally)
    check_tables(tally, validator)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
