import MDAuditClient
package import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

/// Checks whether everything is in force for one user of one machine.
package struct Doctor: Sendable {
    /// The session of the user on the machine.
    let session: UserSession
    /// The policy, read again.
    let policies: PolicySet
    /// The findings of lint.
    let lintFindings: [Diagnostic]
    /// Why there is no current compiled table, as a clause; `nil` if there is one.
    let tableFailure: String?
    /// The application, and how its name was found.
    let application: ApplicationIdentity
    /// The problems of the recorded copies.
    let copyFaults: [Diagnostic]

    /// Reads everything that the checks need; writes nothing.
    ///
    /// - Parameter session: the session of the user on the machine.
    package init(session: UserSession) {
        let machine = session.machine
        let store = PolicyStore(root: machine.root, accounts: machine.accounts)
        policies = store.load()
        copyFaults = store.copyFaults()
        lintFindings = Lint.run(root: machine.root, judge: .catalog(machine.root, rendering: false))
        self.session = session
        tableFailure = store.tableFailure
        application = .ofCurrentProcess()
    }

    /// Runs all checks, in the order in which policy comes into force.
    package func checks() -> [Check] {
        let service = ServiceQuestion.health(of: root)
        var checks = [managed]
        if policies.isManaged {
            checks += directories + files + readability + recordedFiles + signatures
            checks += [lint, goodCopies, table] + generations + renewal + temporary + programs + sandboxes + [names]
            checks += directoryServices + [tags, clock] + schedules
        }
        checks += [host, accounts] + people + preferences
        checks += [auditLog, auditWriting, spool] + auditService(service) + engines + privacy + logService(service)
        checks += leftovers + languages + delegates + fleet
        checks.append(identity)
        return checks
    }

    /// The root of the machine.
    var root: Root { session.machine.root }

    /// The command line of a verb on this machine.
    func mdefaults(_ words: String...) -> [String] {
        ["mdefaults"] + (root.isSystem ? [] : ["--root", root.path]) + words
    }

    /// The user who may write the files of the machine, for sentences.
    var writer: String { root.isSystem ? "root" : "the owner of \(Printable.escape(root.path))" }

    /// Why policy is unknown, as a clause; `nil` if it is known.
    var failure: String? { policies.knowledge.failure ?? session.machine.knowledge.failure }

    /// The domains whose policy is unknown, as a part of a sentence; empty if it is all of it.
    private var concerned: String {
        let domains = policies.knowledge.unknownDomains.keys.sorted().map { Printable.escape($0.string) }
        return domains.isEmpty ? "" : " of \(domains.joined(separator: ", "))"
    }

    /// Whether the machine has policy; having none is no problem.
    private var managed: Check {
        if let absence = session.machine.absence {
            return Check(
                "managed", false, absence,
                remedy:
                    "Show this sandbox /etc/managed-defaults, /run/mdefaultsd and /var/lib/managed-defaults, read-only;"
                    + " for Flatpaks mdefaults programs enable does so.")
        }
        guard policies.isManaged else {
            return Check(
                "managed", true,
                "This machine is unmanaged: none of \(root.display("/etc/managed-defaults")), "
                    + "\(root.display("/run/managed-defaults")) and \(root.display("/var/lib/managed-defaults")) exists, and "
                    + "nothing is forced.")
        }
        if let failure {
            return Check(
                "managed", false,
                "\(PolicyKnowledge.sentence(of: failure)) A program that starts meanwhile takes every key\(concerned) for "
                    + "forced, without a value where none is known, and stores nothing.",
                remedy:
                    "Mend what the checks of directories, files and copies name, then run mdefaults policy apply as "
                    + "\(writer).")
        }
        let keys = session.resultant.forcedEntries.count { !$0.isSeal }
        return Check(
            "managed", true,
            "This machine is managed by \(Plural.count(policies.files.count, "policy file")); "
                + "\(Plural.count(keys, "key")) \(keys == 1 ? "is" : "are") forced for "
                + "\(session.machine.shownName(of: session.account)).")
    }

    /// The domain of the application, and how it was found.
    private var identity: Check {
        let name = Printable.escape(application.domain.string)
        let how =
            switch application.source {
            case .code: "its code says so"
            case .infoFile: "an Info.plist beside the program says so, which the user cannot write"
            case .fileName:
                "its file is called so. A copied program of another name is another application, with other forced keys, "
                    + "unless its code names its domain"
            }
        return Check("application", true, "This program counts as the application \(name): \(how).")
    }

    /// Makes a sentence of a reason: with a capital letter, unless it begins with a path or a domain, and a full stop.
    static func sentence(_ text: String) -> String {
        let whole = text.hasSuffix(".") ? text : text + "."
        if whole.dropLast().prefix(while: { $0 != " " }).contains(where: { "/.".contains($0) }) { return whole }
        return whole.prefix(1).uppercased() + whole.dropFirst()
    }
}

/// The result of one check.
package struct Check: Hashable, Sendable {
    /// A stable name: `directories`, `policy-file`, `audit-log`.
    package let name: String
    /// The object of the check if there are several, for example the path of a file.
    package let subject: String?
    /// Whether the check found no problem.
    package let isOK: Bool
    /// What was found, in sentences.
    package let detail: String
    /// What to do, in sentences; `nil` if there is no problem.
    package let remedy: String?
    /// The command that does it, as its arguments; `nil` if none does.
    package let command: [String]?

    /// Makes a check.
    init(
        _ name: String, _ isOK: Bool, subject: String? = nil, _ detail: String, remedy: String? = nil,
        command: [String]? = nil
    ) {
        self.name = name
        self.subject = subject
        self.isOK = isOK
        self.detail = detail
        self.remedy = isOK ? nil : remedy
        self.command = isOK ? nil : command
    }
}
