import MDAuditClient
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

extension Doctor {
    /// Whether the audit log is as it was stored.
    var auditLog: Check {
        let log = AuditLogInspection(
            root: root, policies: policies, .init(now: Clock.now(), zone: .utc, isWhole: false)
        ).log
        let state =
            switch log.status {
            case .intact: "The audit log is intact. "
            case .gaps: "The audit log is intact and has declared gaps. "
            case .altered: "The audit log was altered. "
            case .truncated: "The audit log was truncated. "
            case .unchecked: "The audit log could not be checked. "
            case nil: "The audit log is empty. "
            }
        return Check(
            "audit-log", log.isVerified ?? false, state + Doctor.sentence(Printable.escape(log.detail)),
            remedy: log.isForbidden
                ? "Have root run mdefaults audit verify: whether the log verifies is not known, and nothing speaks against it."
                : "Keep the directory \(Printable.escape(root.display("/var/log/managed-defaults"))) as it is, and find "
                    + "out who could write it: mdefaults audit verify says what is still proven.")
    }

    /// Whether the records of the user's programs are kept where the user cannot remove them: by the audit service, or
    /// as a duplicate by a log service.
    ///
    /// No check without policy, and under a folder unless entries are set once. Root's programs write the log
    /// themselves, so root gets the checks about all other users.
    func logService(_ service: ServiceHealth) -> [Check] {
        // Then nothing is sent to one.
        if PrivacyMode(of: root).isPseudonymous { return [] }
        let isNeeded = root.isSystem ? !policies.files.isEmpty : !session.resultant.setOnce.isEmpty
        guard isNeeded else { return [] }
        let isOfAll = root.isSystem && session.account.uid == 0
        let name = isOfAll ? "users" : Printable.escape(session.account.name)
        let isOnce = !isOfAll && !session.resultant.setOnce.isEmpty
        let trace = isOnce ? "of attempts, and of what is set once, for \(name)" : "of attempts of \(name)"
        if service == .well {
            return [Check("log-service", true, "The audit service keeps a trace \(trace).")]
        }
        if SystemLog.isPresent(under: root) {
            return [Check("log-service", true, "The system's log service keeps a trace \(trace).")]
        }
        // The check says what becomes of the records until then only to users that may take them into the log.
        let until =
            PolicyStore(root: root).mayWrite
            ? ", so \(isOfAll ? "they" : name) can remove the record that waits in a spool" : ""
        return [
            Check(
                "log-service", false,
                "This machine has nowhere to keep a trace \(trace): neither the audit service nor a log service listens"
                    + "\(until).",
                remedy: "Start mdefaultsd, or run journald or another log service that listens on /dev/log.")
        ]
    }

    /// Whether this process can write the audit log.
    var auditWriting: Check {
        let user = CurrentProcess.euid
        guard user == 0 || user == root.owner else {
            return Check(
                "audit-writable", true, "Only \(writer) may write the audit log; attempts of this user wait in a spool."
            )
        }
        let shown = Printable.escape(root.display(AuditLog.path))
        do throws(SystemError) {
            let status = try root.status(AuditLog.path, followingLinks: false)
            guard status.kind == .regular else {
                return Check(
                    "audit-writable", false, "\(shown) is no regular file, and nothing can be recorded.",
                    remedy: "Remove it.")
            }
            _ = try root.open(AuditLog.path, .append(mode: status.mode))
            if let foreign = AuditLog(root: root).foreignFile {
                return Check(
                    "audit-writable", false,
                    "\(Printable.escape(root.display(foreign))) does not belong to the owner of its folder, who writes the log,"
                        + " and nothing can be recorded.",
                    remedy: "Give all files there to the owner of the folder (chown).")
            }
            if let reason = AuditLog(root: root).fullness {
                return Check(
                    "audit-writable", false, "\(shown) takes no records: \(reason).",
                    remedy: "Make room on its file system, or change MaximumMegabytes and MinimumDays in "
                        + "\(Printable.escape(root.display(AuditSettings.path))).")
            }
            return Check("audit-writable", true, "\(shown) can be written.")
        } catch {
            if error.isMissing {
                return Check("audit-writable", true, "\(shown) is made with its first record.")
            }
            return Check(
                "audit-writable", false, Doctor.sentence(error.description),
                remedy: "Make \(writer) the owner of the file and of its directory.")
        }
    }

    /// Whether the user's spool has records.
    var spool: Check {
        let path = "\(session.stateDirectory)/spool.jsonl"
        let name = Printable.escape(session.account.name)
        // The check says where the records are only to users that may take them into the log.
        let isTold = PolicyStore(root: root).mayWrite
        let shown = isTold ? Printable.escape(root.display(path)) : "the spool"
        do throws(SystemError) {
            let answer = try HomeAccess.asOwner(session) {
                Array(String((try? root.status(path, followingLinks: false))?.size ?? 0).utf8)
            }
            guard let size = Int(String(decoding: answer, as: UTF8.self)), size > 0 else {
                return Check("spool", true, "No record of \(name) waits in a spool.")
            }
            return Check(
                "spool", false, "\(Plural.count(size, "byte")) of records wait in \(shown), outside of the log.",
                remedy: isTold
                    ? "Run mdefaults policy apply, which takes the records into the log."
                    : "Have root run mdefaults policy apply, which takes the records into the log.",
                command: mdefaults("policy", "apply"))
        } catch {
            return Check(
                "spool", false, "Nobody could look at \(shown) as \(name): \(Printable.escape(error.text)).",
                remedy: "Run mdefaults doctor as \(name).")
        }
    }
}
