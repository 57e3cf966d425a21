import MDAuditLog
import MDAuditReading
import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPrograms
import MDPropertyList
import MDTools

/// Collects the findings of a report.
package struct FindingCollector {
    /// The machine.
    let machine: PolicyInForce
    /// The findings so far, without repetitions.
    private var findings: [Finding] = []
    /// The same findings, for lookup.
    private var known: Set<Finding> = []
    /// The number of payloads of profiles that this program does not support.
    private(set) var payloads = 0

    /// Makes an empty collection.
    init(machine: PolicyInForce) {
        self.machine = machine
    }

    /// The findings, the gravest first; of equal severity in the order in which they were added.
    var sorted: [Finding] {
        FindingSeverity.allCases.flatMap { severity in findings.filter { $0.severity == severity } }
    }

    /// Adds a finding, unless it is known.
    private mutating func add(_ finding: Finding) {
        if known.insert(finding).inserted { findings.append(finding) }
    }

    /// Adds the problems of policy: broken files, errors of lint, ignored files.
    mutating func addPolicy() {
        let policies = machine.policies
        for file in policies.files where file.source != .current {
            add(
                Finding(
                    .error, code: (file.isStandIn ? LintCode.lastGood : .notInForce).rawValue,
                    file: machine.root.display(file.path), message: FindingCollector.state(of: file)))
        }
        let lint = Lint.run(root: machine.root, judge: .catalog(machine.root, rendering: false))
        let covered = [LintCode.lastGood.rawValue, LintCode.notInForce.rawValue]
        for diagnostic in lint + policies.problems
        where diagnostic.severity == .error && !covered.contains(diagnostic.code) {
            add(Finding(diagnostic))
        }
        for diagnostic in policies.problems where diagnostic.severity != .error { add(Finding(diagnostic)) }
        for diagnostic in lint where diagnostic.severity != .error {
            switch LintCode(rawValue: diagnostic.code) {
            case .notApplicable:
                payloads += 1
                add(
                    Finding(
                        .error, code: diagnostic.code, file: diagnostic.file, position: diagnostic.position,
                        message: diagnostic.message))
            case .unknownDomain, .noMatchingTag: add(Finding(diagnostic))
            default: continue
            }
        }
        addUnrecorded()
        for file in policies.ignored {
            add(
                Finding(
                    .note, code: "ignored", file: machine.root.display(file.path),
                    message: "takes no part: it \(file.reason)"))
        }
        // Ignored names are in the list above; other warnings are only counted, because lint shows them.
        let named = [LintCode.ignoredName, .notApplicable, .unknownDomain, .noMatchingTag].map(\.rawValue)
        let warnings = lint.count { $0.severity != .error && !named.contains($0.code) }
        if warnings > 0 {
            add(
                Finding(
                    .note, code: "lint-warnings",
                    message: "mdefaults policy lint has \(warnings) warning\(warnings == 1 ? "" : "s") about "
                        + "the policy files, and no bearing on this result"))
        }
    }

    /// Adds what other programs do not obey, and files of theirs that are not as they were written.
    ///
    /// - Returns: what programs' files have of each key; `nil` if that is unknown.
    mutating func addPrograms() -> MachinePrograms.EnforcementIndex? {
        let programs = MachinePrograms(machine: machine)
        let result: MachinePrograms.Outcome
        do {
            result = try programs.preview()
        } catch {
            // Why policy is unknown is a finding of its own.
            if machine.knowledge.isDecisive { add(Finding(.error, code: "programs", message: "\(error)")) }
            return nil
        }
        for finding in result.findings {
            let key = finding.key.map { " \($0.string)" } ?? ""
            // What is impossible lint has found already.
            let file = finding.origin.map { machine.root.display($0.file) }
            if finding.program == CommonSettings.word,
                findings.contains(where: {
                    $0.severity == .error && $0.file == file && $0.position == finding.origin?.position
                })
            {
                continue
            }
            add(
                Finding(
                    FindingCollector.severity(of: finding),
                    code: "program-\(finding.kind.rawValue.split(separator: " ").joined(separator: "-"))",
                    file: (finding.origin?.file ?? finding.path).map { machine.root.display($0) },
                    position: finding.origin?.position, message: "\(finding.program)\(key): \(finding.message)"))
        }
        let drifted = Set(result.findings.filter { $0.kind == .drift }.compactMap { $0.path.map { Key($0) } })
        for change in result.changes where !drifted.contains(Key(change.path)) {
            add(
                Finding(
                    .error, code: "program-not-written", file: machine.root.display(change.path),
                    message: "\(change.program): policy apply has not written this file yet"))
        }
        return programs.enforcements(in: result)
    }

    private static func severity(of finding: ProgramFinding) -> FindingSeverity {
        switch finding.kind {
        case .unknown where finding.key != nil: .note
        case .notKnown, .displaced: .warning
        default: .error
        }
    }

    /// The state of a file that is not in force as written, as a clause.
    private static func state(of file: PolicyFileState) -> String {
        if let loss = file.loss { return loss }
        switch file.source {
        case .current: return "this file is in force"
        case .lastGood: return "this file cannot be used; its last good copy is in force until it is mended or removed"
        case .removed: return "this file is not there; what was recorded of it is in force until policy apply"
        case .notRecorded, .none: return "this file cannot be used and was never good, so nothing of it is in force"
        }
    }

    /// Adds that policy is unknown.
    ///
    /// - Parameters:
    ///   - reason: the reason, as a clause.
    ///   - account: the user that the reason concerns; `nil` for all.
    mutating func add(unknownPolicy reason: String, of account: Account? = nil) {
        add(
            Finding(
                .error, code: "policy-not-known", user: account?.name,
                message:
                    "it cannot be told what is forced, because policy could not be read: \(reason); a program that "
                    + "starts meanwhile takes every other key for forced, without a value, and stores nothing"))
    }

    /// Adds that the values of some forced keys of a user are unknown.
    mutating func add(unknownValues count: Int, of account: Account) {
        add(
            Finding(
                .error, code: "policy-not-known", user: account.name,
                message:
                    "it cannot be told here what value \(Plural.count(count, "key")) \(count == 1 ? "is" : "are") "
                    + "forced to: mdefaults policy show says of each why"))
    }

    /// Adds the files without a recorded copy.
    private mutating func addUnrecorded() {
        let names = machine.policies.files.filter { $0.source == .current && !$0.isRecorded }
        guard let first = names.first else { return }
        let who = machine.root.isSystem ? "root" : "the folder's owner"
        let message =
            names.count == 1
            ? "has no good copy yet: should it break now, its forced values would be gone"
            : "and \(names.count - 1) more policy files have no good copy yet: should one break now, its forced values "
                + "would be gone"
        add(
            Finding(
                .warning, code: "not-recorded", file: machine.root.display(first.path),
                message: message + "; mdefaults policy apply, run by \(who), stores the copies"))
    }

    /// Adds traces of users that are no longer known, and that a directory may know further ones.
    mutating func add(_ people: ReportPeople) {
        if let first = people.gone.first {
            let more = people.gone.count > 1 ? ", and \(people.gone.count - 1) more" : ""
            add(
                Finding(
                    .note, code: "unknown-user",
                    message: "no source of users knows \(first)\(more): what is left of them is not covered"))
        }
        if !people.directories.isEmpty {
            let names = people.directories.joined(separator: ", ")
            add(
                Finding(
                    .note, code: "directory",
                    message: "further users of \(names), who have left no trace on this machine, are not covered"))
        }
    }

    /// Adds the result of checking the log.
    mutating func add(_ log: LogCompliance) {
        let file = machine.root.display(AuditLog.path)
        let detail = FindingCollector.withoutFullStop(log.detail)
        if log.isVerified == false {
            add(
                Finding(
                    .error, code: "log-not-verified", file: file, message: "the audit log does not verify. \(detail)"))
        } else if log.status == .gaps {
            add(Finding(.warning, code: "log-gaps", file: file, message: detail))
        }
    }

    /// Adds that the clock is earlier than what was recorded.
    mutating func add(clockFault fault: String) {
        add(Finding(.error, code: "clock-behind", message: FindingCollector.withoutFullStop(fault)))
    }

    /// Adds attempts that were counted and not stored.
    ///
    /// - Parameters:
    ///   - count: the number.
    ///   - account: the user whose spool counts them; `nil` for the log.
    mutating func add(dropped count: Int, of account: Account? = nil) {
        guard count > 0 else { return }
        let number = Plural.count(count, "attempt")
        add(
            Finding(
                .warning, code: "attempts-dropped", file: account == nil ? machine.root.display(AuditLog.path) : nil,
                user: account?.name,
                message: account == nil
                    ? "\(number) \(count == 1 ? "was" : "were") counted and not stored"
                    : "\(number) \(count == 1 ? "was" : "were") counted and not kept, because the spool is full"))
    }

    /// Adds records that are not in the log; their users can remove them, and make them at any time.
    mutating func add(waiting count: Int, in file: String, of account: Account) {
        guard count > 0 else { return }
        // Where they are is said only to users that may take them into the log.
        let isTold = PolicyStore(root: machine.root).mayWrite
        add(
            Finding(
                .warning, code: "records-wait", file: isTold ? file : nil, user: account.name,
                message: "\(Plural.count(count, "record")) \(count == 1 ? "waits" : "wait") outside of the log, where"
                    + " \(account.name) can remove \(count == 1 ? "it; it is" : "them; they are") unproven, and not counted"
                    + " as attempts"))
    }

    /// Adds the domains that only programs opened that do not count as observed.
    mutating func add(openings: [(domain: Key, paths: [String])]) {
        if openings.isEmpty { return }
        let names = openings.prefix(FindingCollector.mostNames).map { "\($0.domain.string) by \($0.paths[0])" }
        let more = openings.count > names.count ? " and \(openings.count - names.count) more" : ""
        add(
            Finding(
                .note, code: "other-program",
                message: "only programs opened these domains that are not known to belong to root, or run what their"
                    + " caller writes, which does not count as observed: \(names.joined(separator: ", "))\(more);"
                    + " Metadata, Programs names the programs that should ask for a key"))
    }

    /// Adds the required keys that no manifest of their domains knows, once for each domain.
    mutating func add(undescribed users: [UserCompliance]) {
        var keys: [Key: Set<Key>] = [:]
        var shares: Set<Int> = []
        for user in users where user.share.map({ shares.insert($0).inserted }) ?? true {
            for key in user.keys where key.isUndescribed && key.isRequirement {
                keys[key.entry.domain, default: []].insert(key.entry.key)
            }
        }
        for domain in keys.keys.sorted().prefix(FindingCollector.mostDomains) {
            let names = (keys[domain] ?? []).sorted().map(\.string)
            let shown = names.prefix(FindingCollector.mostNames).joined(separator: ", ")
            let more =
                names.count > FindingCollector.mostNames ? " and \(names.count - FindingCollector.mostNames) more" : ""
            add(
                Finding(
                    .warning, code: "not-described",
                    message: "no manifest of \(domain.string) knows \(shown)\(more):"
                        + " that a program opened the domain does not say that it takes \(names.count == 1 ? "it" : "them")"
                ))
        }
    }

    /// The most domains with a finding of their own, and the most names in one.
    private static let (mostDomains, mostNames) = (20, 5)

    /// Adds a preference file, or a home, that could not be read, unless the caller may not read it.
    mutating func add(_ problem: HomeProblem, of account: Account) {
        switch problem.kind {
        case .permission: return
        case .noAnswer:
            add(
                Finding(
                    .error, code: "home-not-read", file: problem.file, user: account.name,
                    message: "what is stored here is not known: it \(problem.message)"))
            return
        case .file: break
        }
        add(
            Finding(
                .warning, code: problem.position == nil ? "unreadable-preferences" : "damaged-preferences",
                file: problem.file.isEmpty ? nil : problem.file, position: problem.position, user: account.name,
                message: problem.message))
    }

    /// Removes the last full stop of a text, because findings have none.
    private static func withoutFullStop(_ text: String) -> String {
        text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
