import MDAuditClient
import MDPlatform
import MDPolicyCore
import MDPolicyStore

extension Doctor {
    /// Whether the audit service answers and can store; no check on a machine that it is not meant to run on.
    func auditService(_ health: ServiceHealth) -> [Check] {
        guard isServiceExpected else { return [] }
        switch health {
        case .well: return [Check("audit-service", true, "The audit service answers.")]
        case .unable(let reason):
            // The reason says where the log is.
            let why = PolicyStore(root: root).mayWrite ? ": \(Printable.escape(reason))" : ""
            return [
                Check(
                    "audit-service", false, "The audit service cannot store records\(why).",
                    remedy: "Have \(writer) make room for the log and see that it can be written; then it"
                        + " stores again by itself.")
            ]
        case .silent:
            return [
                Check(
                    "audit-service", false,
                    "The audit service should run here and does not answer, so records of users wait where these can remove"
                        + " them.",
                    remedy: exists("/run/systemd/system")
                        ? "As \(writer): systemctl restart mdefaultsd.socket mdefaultsd.service"
                        : "As \(writer), end mdefaultsd if it runs, and start it.",
                    command: exists("/run/systemd/system") && root.isSystem
                        ? ["systemctl", "restart", "mdefaultsd.socket", "mdefaultsd.service"] : nil)
            ]
        }
    }

    /// Which versions of the engine the programs have that have a connection to the audit service; no check if it knows
    /// none.
    var engines: [Check] {
        guard isServiceExpected, let (programs, more) = ServiceQuestion.engines(of: root), !programs.isEmpty else {
            return []
        }
        let versions = Dictionary(grouping: programs) { $0.engine ?? "" }.sorted { $0.key < $1.key }
        let list = versions.map { version, programs in
            let names = programs.map { program in
                Printable.escape(program.name) + (program.count == 1 ? "" : " (\(program.count))")
            }
            let title = version.isEmpty ? "a version that does not say which" : "version \(Printable.escape(version))"
            return "\(title): \(names.joined(separator: ", "))"
        }
        let rest = more == 0 ? "" : "; \(more) more are not listed"
        return [
            Check(
                "engines", true,
                "Programs that opened a domain and have a connection to the audit service, by the version of"
                    + " ManagedDefaults in them: \(list.joined(separator: "; "))\(rest). Of other programs nothing is known here."
            )
        ]
    }

    /// Whether the audit service is meant to run: its files are there, which it takes away when it ends unless it is
    /// killed, or a unit that is enabled starts it.
    private var isServiceExpected: Bool {
        if exists(ServiceProtocol.socketPath) || exists(GenerationFile.path) { return true }
        return exists("/run/systemd/system")
            && (isWanted("mdefaultsd.socket", by: "sockets.target")
                || isWanted("mdefaultsd.service", by: "multi-user.target"))
    }
}
