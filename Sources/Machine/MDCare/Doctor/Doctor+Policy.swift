import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

extension Doctor {
    /// Whether the directories of policy files can be trusted.
    var directories: [Check] {
        PolicyDirectory.allCases.map { place -> Check in
            let shown = Printable.escape(root.display(place.directory))
            do throws(TrustError) {
                let (names, warnings) = try place.listing(in: root)
                guard warnings.isEmpty else {
                    return Check(
                        "directories", false, subject: shown,
                        Doctor.sentence(warnings.map(Printable.escape).joined(separator: " ")),
                        remedy: "Take the right to write away from the group: chmod g-w.")
                }
                let count = Plural.count(names.count, "entry", "entries")
                return Check("directories", true, subject: shown, "\(shown) is trusted and has \(count).")
            } catch {
                // Neither directory is required, and the one in /run is removed at each boot.
                if error.isMissing {
                    return Check("directories", true, subject: shown, "\(shown) does not exist, and adds no policy.")
                }
                return Check(
                    "directories", false, subject: shown, Doctor.sentence(Printable.escape(error.description)),
                    remedy: error.isUntrusted
                        ? "Make \(writer) its owner, and take the right to write away from everybody else."
                        : "Have a directory there that can be read.")
            }
        }
    }

    /// Whether each policy file is in force as it is now.
    var files: [Check] {
        policies.files.map { file in
            let shown = Printable.escape(root.display(file.path))
            let problems = file.diagnostics.filter { $0.severity == .error }.map { Printable.escape($0.description) }
            if file.source == .current {
                let policy = file.policy.map { Printable.escape($0.identifier) } ?? ""
                return Check("policy-file", true, subject: shown, "\(shown) is in force: \(policy).")
            }
            let state =
                switch file.source {
                case _ where file.unread != nil:
                    "is not read by this version. It \(EngineVersion.need(of: file.unread?.reader))"
                case _ where file.isLost:
                    "cannot be used, and the copy of what was in force is lost: what is forced is unknown"
                case .current: "is in force"
                case .lastGood: "cannot be used; its last good copy is in force"
                case .removed: "is not there; what was recorded of it is in force until mdefaults policy apply"
                case .notRecorded, .none: "cannot be used and was never good: it forces nothing"
                }
            let remedy =
                if file.unread != nil {
                    "Install the version that it needs, or record a file that this one reads."
                } else if file.source == .removed {
                    "Put the file back, or run mdefaults policy apply as \(writer), which ends what it forced."
                } else if file.trusted {
                    "Mend the file, or remove it and run mdefaults policy apply, which takes its forced values away."
                } else {
                    "Make \(writer) the owner of the file, and take the right to write away from everybody else."
                }
            let reasons = problems.isEmpty ? "" : " " + Doctor.sentence(problems.joined(separator: "; "))
            return Check(
                "policy-file", false, subject: shown, "\(shown) \(state).\(reasons)", remedy: remedy)
        }
    }

    /// Which policy files other users' programs cannot read; one check if they can read all of them.
    var readability: [Check] {
        let recorded = Set(LintAccess.storedFiles(root: root))
        let findings = LintAccess.findings(policies.files, root: root).filter { !recorded.contains($0) }
        if findings.isEmpty {
            return [Check("readable", true, "Every user can read the policy files\(isKnown ? "" : " that are known").")]
        }
        return findings.map { finding in
            let shown = Printable.escape(finding.file)
            return Check(
                "readable", false, subject: shown, Doctor.sentence("\(shown): \(Printable.escape(finding.message))"),
                remedy: "Run chmod, and have whatever puts the file there give it that mode.")
        }
    }

    /// Which recorded files other users' programs cannot read, or others could have written; one check if there are none.
    var recordedFiles: [Check] {
        let findings = LintAccess.storedFiles(root: root)
        if findings.isEmpty {
            return [
                Check("kept", true, "Every user can read what is recorded of policy, and only \(writer) can write it.")
            ]
        }
        return findings.map { finding in
            let shown = Printable.escape(finding.file)
            return Check(
                "kept", false, subject: shown, Doctor.sentence("\(shown): \(Printable.escape(finding.message))"),
                remedy: finding.code == LintCode.untrusted.rawValue
                    ? "Find out who could write it; then make \(writer) its owner and run chmod go-w, or remove it: "
                        + "mdefaults policy apply writes anew what is in force."
                    : "Run mdefaults policy apply as \(writer), or chmod.",
                command: finding.code == LintCode.untrusted.rawValue ? nil : mdefaults("policy", "apply"))
        }
    }

    /// Whether each generation can be restored; no check if there are none.
    var generations: [Check] {
        let store = GenerationStore(root: root)
        let faults = store.faults
        if faults.isEmpty {
            if store.numbers.isEmpty { return [] }
            let count = Plural.count(store.numbers.count, "generation")
            return [Check("generations", true, "\(count) of the policy files can be put back.")]
        }
        return faults.map { path, reason in
            let shown = Printable.escape(path)
            return Check(
                "generations", false, subject: shown, Doctor.sentence("\(shown): \(Printable.escape(reason))"),
                remedy:
                    "Restore it from a backup, or remove it: the next mdefaults policy apply keeps what lies in place.")
        }
    }

    /// Whether lint finds an error.
    var lint: Check {
        let findings = lintFindings
        // The check of the table covers what could not be recorded.
        let errors = findings.filter { $0.severity == .error && $0.code != LintCode.notRecorded.rawValue }
        guard let first = errors.first else {
            let warnings = findings.isEmpty ? "" : " and \(Plural.count(findings.count, "warning"))"
            return Check("lint", true, "Lint finds no error\(warnings).")
        }
        let more = errors.count > 1 ? " There \(errors.count == 2 ? "is 1 more" : "are \(errors.count - 1) more")." : ""
        return Check(
            "lint", false, Doctor.sentence(Printable.escape(first.description)) + more,
            remedy: "Run mdefaults policy lint, and mend what it names.")
    }

    /// Whether policy is known, so that sentences can be about every file.
    private var isKnown: Bool { policies.knowledge.isDecisive }

    /// Whether every file has a recorded copy, which retains its forced values if it breaks.
    var goodCopies: Check {
        let missing = policies.files.filter { $0.policy != nil && !$0.isRecorded }
        if let first = copyFaults.first {
            return Check(
                "good-copies", false, Doctor.sentence(Printable.escape(first.description)),
                remedy: "Run mdefaults policy apply as \(writer): the copy is made again while its file is good.",
                command: mdefaults("policy", "apply"))
        }
        guard missing.isEmpty else {
            let names = missing.map { Printable.escape(root.display($0.path)) }.joined(separator: ", ")
            return Check(
                "good-copies", false, "These files have no good copy that would outlast their breaking: \(names).",
                remedy: "Run mdefaults policy apply as \(writer), which stores the copies.",
                command: mdefaults("policy", "apply"))
        }
        return Check(
            "good-copies", true,
            "Every policy file\(isKnown ? "" : " that is known") has a good copy that outlasts its breaking. Copies can be"
                + " read by everybody, whatever the mode of the file.")
    }

    /// Whether the policy record and the compiled table are current.
    var table: Check {
        let codes = [LintCode.damagedTable.rawValue, LintCode.notRecorded.rawValue]
        if let problem = policies.problems.first(where: { codes.contains($0.code) }) {
            return Check(
                "table", false, Doctor.sentence(Printable.escape(problem.description)),
                remedy: "Run mdefaults policy apply as \(writer).", command: mdefaults("policy", "apply"))
        }
        guard policies.changes.isEmpty else {
            let count = Plural.count(policies.changes.count, "change")
            return Check(
                "table", false,
                "The record is stale: \(count) of policy \(policies.changes.count == 1 ? "is" : "are") "
                    + "not recorded.",
                remedy: "Run mdefaults policy apply as \(writer).", command: mdefaults("policy", "apply"))
        }
        if session.machine.isForeign {
            return Check(
                "table", true,
                "The compiled table is not used in a user namespace: what was recorded is read each time.")
        }
        guard let tableFailure else { return Check("table", true, "The table is current.") }
        let detail = "There is no compiled table of the policy files, which are read each time: "
        return Check(
            "table", true,
            "\(detail)\(Printable.escape(tableFailure)). mdefaults policy apply as \(writer), best from a path unit on every"
                + " change, compiles them.")
    }

    /// Whether the users and groups of all targets exist.
    var names: Check {
        let unknown = policies.names.unknown
        if unknown.isEmpty { return Check("names", true, "Every user and group that a policy names is known.") }
        return Check(
            "names", false,
            "These are found nowhere, so what is meant for them applies to nobody: \(unknown.joined(separator: ", ")).",
            remedy: "Correct the names in the policy files, or make the users and groups known to the machine; then run"
                + " mdefaults policy apply as \(writer).")
    }

    /// Whether the tags of the machine are known.
    var tags: Check {
        let file = Printable.escape(root.display("/etc/managed-defaults/tags"))
        guard let tags = policies.tags else {
            return Check(
                "tags", false, "\(file) cannot be read, so what policy for tags forces is unknown.",
                remedy: "Make the file readable, owned by \(writer) and writable by nobody else.")
        }
        let words = tags.sorted().map { Printable.escape($0.string) }.joined(separator: ", ")
        let broken = policies.problems.first { $0.file == root.display("/etc/managed-defaults/tags") }
        if let broken {
            return Check(
                "tags", false, Doctor.sentence(Printable.escape(broken.description)),
                remedy: "Mend the file; until then the tags that were recorded last hold.")
        }
        return Check("tags", true, words.isEmpty ? "The machine has no tags." : "The tags of the machine: \(words).")
    }

    /// Whether policy files are signed, if the machine demands it; no check otherwise.
    var signatures: [Check] {
        let trust = PolicyStore.trustedSignersPath
        let isDemanded: Bool
        do throws(SystemError) {
            _ = try root.status(trust, followingLinks: false)
            isDemanded = true
        } catch {
            isDemanded = !error.isMissing
        }
        guard isDemanded else { return [] }
        let shown = Printable.escape(root.display(trust))
        if let problem = policies.problems.first(where: { Key($0.file) == Key(root.display(trust)) }) {
            return [
                Check(
                    "signatures", false, subject: shown, Doctor.sentence(Printable.escape(problem.description)),
                    remedy: "Make \(writer) the owner of the file, and let everybody read it.")
            ]
        }
        let refused = policies.files.compactMap { file -> String? in
            guard case .refused(let reason) = file.signature else { return nil }
            return Printable.escape("\(root.display(file.path)): \(reason)")
        }
        let program = PolicyStore.signatureProgram
        let hasProgram = (try? Root.system.status(program, followingLinks: true))?.kind == .regular
        if !hasProgram, !policies.files.isEmpty {
            return [
                Check(
                    "signatures", false, subject: shown,
                    "Policy must be signed, and \(program), which checks signatures, is not installed: what was "
                        + "verified before stays in force, and nothing new is obeyed.",
                    remedy: "Install the OpenSSH client.")
            ]
        }
        guard refused.isEmpty else {
            return [
                Check(
                    "signatures", false, subject: shown,
                    "These files do not count as signed, or are older than what was recorded, and are not obeyed as"
                        + " they are: \(refused.joined(separator: "; ")).",
                    remedy:
                        "Sign each with ssh-keygen -Y sign -n managed-defaults, with a Version that is not lower, then"
                        + " run mdefaults policy apply; mdefaults policy rollback goes back to an older one.")
            ]
        }
        let count = Plural.count(policies.files.count, "policy file")
        return [Check("signatures", true, subject: shown, "\(count), and every one is signed by somebody in \(shown).")]
    }
}
