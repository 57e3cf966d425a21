import MDPolicyModel

/// The explanation of a lint code.
package struct LintExplanation: Hashable, Sendable {
    /// The problem in one sentence.
    package let summary: String
    /// An example that causes it.
    package let example: String
    /// The advice in one or two sentences; code is in backticks as in Markdown.
    package let advice: String

    init(_ summary: String, example: String, advice: String) {
        self.summary = summary
        self.example = example
        self.advice = advice
    }
}

extension LintCode {
    /// The topic and explanation of the code; every code has them.
    package var explained: (topic: LintTopic, explanation: LintExplanation) {
        for topic in LintTopic.allCases {
            if let explanation = topic.explanation(of: self) { return (topic, explanation) }
        }
        return (.file, LintExplanation(rawValue, example: "", advice: ""))
    }
}

/// A topic of codes; the raw value is the heading in the documentation.
package enum LintTopic: String, Sendable, CaseIterable {
    /// Errors of the property list itself.
    case encoding = "The property list itself"
    /// Errors of one policy file.
    case file = "One policy file"
    /// Findings about Apple profiles and about manifests.
    case profile = "Profiles and manifests"
    /// Findings about times and waivers.
    case time = "Times and waivers"
    /// Findings about names, owners, modes and stored policy.
    case around = "Around a file"
    /// Findings about several files.
    case between = "Between files"
    /// Findings about targets on the checked machine; files that are checked by their paths have none.
    case target = "Targets on this machine"

    /// The explanation of a code of this topic; `nil` for other codes.
    func explanation(of code: LintCode) -> LintExplanation? {
        switch self {
        case .encoding: code.encodingExplanation
        case .file: code.fileExplanation
        case .profile: code.profileExplanation
        case .time: code.timeExplanation
        case .around: code.aroundExplanation
        case .between: code.betweenExplanation
        case .target: code.targetExplanation
        }
    }

    /// The topic in one sentence.
    package var summary: String {
        switch self {
        case .encoding: "Mistakes of the property list itself, whatever it is used for."
        case .file: "Mistakes of one policy file."
        case .profile: "What is wrong with Apple profiles, and with the manifests that describe domains."
        case .time: "What is wrong with the times that a file names, and with its exceptions."
        case .around: "What is wrong with names, owners, modes, and with what is stored of policy."
        case .between: "What is wrong between files."
        case .target:
            "What is wrong with targets on the machine that is checked; files that are checked by their paths have none of these."
        }
    }
}

extension LintCode {
    /// The explanation of a code about one policy file; `nil` for codes of other topics.
    var fileExplanation: LintExplanation? {
        switch self {
        case .notSupported:
            LintExplanation(
                "A kind of file, or a field, that this version reads and refuses, so that no part of a policy is "
                    + "silently not in force.",
                example: "a field of a later version",
                advice: "Update ManagedDefaults, or remove the field.")
        case .unknownField:
            LintExplanation(
                "A field that the format does not have.",
                example: "\"Enforce\": true",
                advice: "Correct the spelling; the finding names the field that is probably meant. `--fix` does "
                    + "it where there is one answer.")
        case .wrongType:
            LintExplanation(
                "A field of another type than it must have.",
                example: "\"Enforced\": \"true\"",
                advice: "Give it the type that the finding names. `--fix` does it for truth values and numbers in "
                    + "quotes, and for a single name in place of a list.")
        case .missingField:
            LintExplanation(
                "A field that is required is missing.",
                example: "{ \"SetOnce\": { … } } without Identifier",
                advice: "Add the field; a file with SetOnce has an Identifier, every waiver a Domain and a Key.")
        case .invalidValue:
            LintExplanation(
                "A field of the right type with content that is not allowed.",
                example: "\"OnOverride\": \"allow\"",
                advice: "Use what the finding lists. `--fix` corrects the spelling of a day, an operator or "
                    + "OnOverride where there is one answer.")
        case .invalidIdentifier:
            LintExplanation(
                "An Identifier that is empty, longer than 255 bytes, or holds a control character.",
                example: "\"Identifier\": \"\"",
                advice: "Use any word; by habit it is in reverse DNS form, as edu.example.lab.exam.")
        case .invalidDomain:
            LintExplanation(
                "A name that cannot be that of a domain.",
                example: "\"Forced\": { \"../Browser\": {} }",
                advice: "Use the name of the program's domain; the global one is NSGlobalDomain, and `--fix` "
                    + "writes it so.")
        case .invalidKey:
            LintExplanation(
                "A key that is empty or holds a NUL character; or, as a warning, one that begins or ends with a blank, or "
                    + "has a character that nobody sees.",
                example: "\"Forced\": { \"org.example.Browser\": { \"\": 1 } }",
                advice: "Use the name of a setting.")
        case .invalidPattern:
            LintExplanation(
                "A host pattern, or the Pattern of a constraint, that does not parse.",
                example: "\"Hosts\": [\"room[1\"]",
                advice: "Mend the pattern; a constraint's may have no back-references and no looking around.")
        case .unknownVariable:
            LintExplanation(
                "A variable that does not exist, does not end, or stands where none is expanded.",
                example: "\"HomePage\": \"https://x.example/${usr}\"",
                advice: "There are ${user}, ${uid}, ${home} and ${host}, in values only; $${ stands for a literal "
                    + "${.")
        case .forcedAndAbsent:
            LintExplanation(
                "One file forces a key and makes it absent.",
                example: "\"Forced\": { \"a.b\": { \"K\": 1 } }, \"Absent\": { \"a.b\": [\"K\"] }",
                advice: "Keep one of the two.")
        case .emptyClause:
            LintExplanation(
                "A clause or calendar without items, which matches nobody or is never open.",
                example: "\"Target\": { \"Users\": [] }",
                advice: "Name somebody, or remove the clause, so that it matches everybody.")
        case .unsatisfiableConstraint:
            LintExplanation(
                "A constraint that no value satisfies.",
                example: "\"Volume\": { \"Minimum\": 70, \"Maximum\": 30 }",
                advice: "Mend the bounds; to force one value, list it under Forced.")
        case .notObeyed:
            LintExplanation(
                "An entry for a program that does not ask this library, such as a browser, which the program has no way to "
                    + "carry out, does not take, takes as a first state only, or is not known to have: the key counts as "
                    + "forced here, and the program goes on as if it were not. Or a picture that is not on this machine.",
                example: "\"Absent\": { \"org.chromium.Chromium\": [\"ProxyMode\"] }",
                advice: "Say it by a policy that the program has; mdefaults programs show prints what it gets.")
        case .unknownDomain:
            LintExplanation(
                "Domains that no program is known to read: policy is not written for them, they have no manifest and no "
                    + "installed schema, and no program opened them since the boot. One that differs a little from a known "
                    + "domain is named with it. The keys count as forced, and a program that asks later obeys them.",
                example: "\"Forced\": { \"org.chromium.chromium\": { \"ShowHomeButton\": true } }",
                advice: "Correct the name; mdefaults programs list names the programs that policy is written for.")
        case .commonSetting:
            LintExplanation(
                "A key of org.manageddefaults.common that is no common setting, or a value that the setting cannot have: it is "
                    + "in force in that domain, and no program gets anything of it.",
                example: "\"Forced\": { \"org.manageddefaults.common\": { \"HomPage\": \"https://x.example/\" } }",
                advice:
                    "Use a setting and a value of the table in OtherPrograms; policy install and policy grant refuse any other."
            )
        case .programData:
            LintExplanation(
                "A mistake in a file of /etc/managed-defaults/programs, which says what common settings mean to programs; it "
                    + "costs its own line, and the rest counts.",
                example: "\"Programs\": { \"org.example.Viewer\": … }, a domain that no policy is written for",
                advice: "Mend the line; mdefaults programs list names the domains.")
        case .noEntries:
            LintExplanation(
                "A policy file that says nothing: it has neither entries nor seals, constraints, waivers, calendars or "
                    + "metadata.",
                example: "{ \"Identifier\": \"org.example.lab\", \"Target\": {} }",
                advice: "Write what it is for, or remove it.")
        case .noPolicy:
            LintExplanation(
                "A file in a folder that was to be checked is a JSON schema (\"$schema\": \"https://json-schema.org/…\" "
                    + "and no Identifier) or has no field of a policy file, and was not checked; or there is no policy file "
                    + "in such a folder at all.",
                example: "a JSON schema beside policy files",
                advice: "Nothing, if it is none; else write its Identifier, or name the folder that is meant.")
        default: nil
        }
    }
}
