package import Engine
import Platform
import Policy
import PropertyList

/// Looks whether everything is in force for one user of one machine.
package struct Doctor: Sendable {
    /// The user's settings, and the machine.
    let session: UserSession
    /// The policy, looked at anew.
    let policies: PolicySet
    /// What lint says of that policy.
    let lintFindings: [Diagnostic]
    /// Why there is no compiled table of the policy as it is, as a clause; `nil` where there is one.
    let tableFailure: String?
    /// The application that is asked for, and how its name was found.
    let application: ApplicationIdentity

    /// What is wrong with the copies of what is in force.
    let copyFaults: [Diagnostic]

    /// Looks at a machine thoroughly; nothing is written.
    ///
    /// - Parameter session: the user and the machine.
    package init(session: UserSession) {
        let machine = session.machine
        let store = PolicyStore(root: machine.root, accounts: machine.accounts)
        policies = store.load()
        copyFaults = store.copyFaults()
        lintFindings = Lint.run(root: machine.root)
        self.session = session
        tableFailure = store.tableFailure
        application = .ofCurrentProcess()
    }

    /// Every check, in the order in which policy comes into force.
    package func checks() -> [Check] {
        var checks = [managed]
        if policies.isManaged {
            checks += directories + files + readability + kept + signatures
            checks += [lint, goodCopies, table] + generations + renewal + [names, tags, clock] + schedules
        }
        checks += [host, accounts] + preferences
        checks += [auditLog, auditWriting, spool] + logService + setOnce + leftovers
        checks.append(identity)
        return checks
    }

    /// The root of the machine.
    var root: Root { session.machine.root }

    /// Who may write what the machine keeps.
    var writer: String { root.isSystem ? "root" : "the owner of \(Printable.escape(root.path))" }

    /// Why nobody can tell what is forced, as a clause; `nil` where it can be told.
    var uncertainty: String? { policies.uncertainty ?? session.machine.uncertainty }

    /// Whether the machine has policy at all; one without is not ill.
    private var managed: Check {
        guard policies.isManaged else {
            return Check(
                "managed", true,
                "This machine is unmanaged: none of \(root.display("/etc/managed-defaults")), "
                    + "\(root.display("/run/managed-defaults")) and \(root.display("/var/lib/managed-defaults")) exists, and "
                    + "nothing is forced.")
        }
        if let uncertainty {
            return Check(
                "managed", false,
                "\(PolicyMachine.sentence(ofUncertainty: uncertainty)) A program that starts meanwhile takes every key for "
                    + "forced, without a value where none is known, and stores nothing.",
                remedy:
                    "Mend what the checks of directories, files and copies name, then run mdefaults policy apply as "
                    + "\(writer).")
        }
        let keys = session.resultant.forcedEntries.count { !$0.isSeal }
        return Check(
            "managed", true,
            "This machine is managed by \(TextReport.count(policies.files.count, "policy file")); "
                + "\(TextReport.count(keys, "key")) \(keys == 1 ? "is" : "are") forced for "
                + "\(session.machine.shownName(of: session.account)).")
    }

    /// What the application is called, and how sure that is.
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

    /// A failure as a sentence: with a capital letter, unless it begins with a path, and a full stop.
    static func sentence(_ text: String) -> String {
        let whole = text.hasSuffix(".") ? text : text + "."
        if whole.prefix(while: { $0 != " " }).contains("/") { return whole }
        return whole.prefix(1).uppercased() + whole.dropFirst()
    }
}
