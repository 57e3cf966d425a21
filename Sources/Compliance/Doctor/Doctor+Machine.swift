import Audit
import Engine
import Platform
import Policy
import Preferences
import PropertyList

extension Doctor {
    /// What the machine is called, which host patterns are compared with.
    var host: Check {
        let name = Printable.escape(session.machine.host.full)
        let root = session.machine.root
        if let problem = Machine.hostNameProblem(root: root) {
            let other = root.isSystem ? " or as the kernel says" : ", or as none is"
            let file = Printable.escape(root.display(Machine.hostNamePath))
            return Check(
                "host-name", false,
                "\(Doctor.sentence(Printable.escape(problem))) The machine counts as \(name), as it was recorded\(other).",
                remedy:
                    root.isSystem
                    ? "Write the name into \(file), and: chown root:root \(file); chmod 0644 \(file)."
                    : "Write the name into \(file), and let nobody else write there.")
        }
        return Check("host-name", true, "The machine is called \(name).")
    }

    /// Whether the lists of users and groups are sound.
    var accounts: Check {
        let problems = session.machine.accounts.problems
        guard let first = problems.first else {
            return Check("accounts", true, "The lists of users and groups are sound.")
        }
        let more = problems.count > 1 ? " \(problems.count - 1) more lines are skipped as well." : ""
        return Check(
            "accounts", false, Doctor.sentence(first.description) + more,
            remedy: "Mend the line; who is meant by it is not known to policy.")
    }

    /// Whether the user's preference files can be read.
    var preferences: [Check] {
        let name = Printable.escape(session.account.name)
        let problems = HomeAccess.read(session).problems
        if problems.isEmpty {
            return [Check("preferences", true, "Every preference file of \(name) can be read.")]
        }
        return problems.map { problem in
            let file = Printable.escape(problem.file)
            let place = problem.position.map { $0.isBinary ? ", \($0)" : ":\($0)" } ?? ""
            return Check(
                "preferences", false, subject: file.isEmpty ? nil : file,
                Doctor.sentence((file.isEmpty ? "" : "\(file)\(place): ") + Printable.escape(problem.message)),
                remedy: problem.position != nil
                    ? "Mend the file, or move it away; until then its values are not in effect, and it is kept."
                    : "Make the file one of \(name)'s own that they can read.")
        }
    }

    /// Whether the audit log is as it was written.
    var auditLog: Check {
        let log = LogReading(root: root, policies: policies).log
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

    /// Whether what the user's programs remember of entries that were set once agrees with the log.
    var setOnce: [Check] {
        let home = HomeAccess.read(session)
        if home.marks.isEmpty, session.resultant.setOnce.isEmpty { return [] }
        var findings = FindingCollector(machine: session.machine)
        findings.add(LogReading(root: root, policies: policies).setOnce, of: session.account, home)
        if findings.sorted.isEmpty {
            let count = TextReport.count(home.marks.count, "entry that was", "entries that were")
            return [Check("set-once", true, "\(count) set once for \(Printable.escape(session.account.name)).")]
        }
        return findings.sorted.map { finding in
            Check(
                "set-once", false, Doctor.sentence(Printable.escape(finding.message)),
                remedy: "Look at the records with mdefaults audit list --kind policy; nothing needs to be mended.")
        }
    }

    /// Whether a log service keeps a duplicate of what the user's programs record; nothing without policy, and where those
    /// programs write the log themselves: root's, and those beneath a folder, where only what is set once matters.
    var logService: [Check] {
        let isNeeded = root.isSystem ? !policies.files.isEmpty : !session.resultant.setOnce.isEmpty
        guard isNeeded, !root.isSystem || session.account.uid != 0 else { return [] }
        let name = Printable.escape(session.account.name)
        let isOnce = !session.resultant.setOnce.isEmpty
        let trace = isOnce ? "of attempts, and of what is set once, for \(name)" : "of attempts of \(name)"
        if SystemLog(root: root).isPresent {
            return [Check("log-service", true, "The system's log service keeps a trace \(trace).")]
        }
        let mark =
            isOnce ? ", and the mark of what is set once, which only a report of \(writer) that saw it tells" : ""
        return [
            Check(
                "log-service", false,
                "This machine has nowhere to keep a trace \(trace): no log service listens, so \(name) can remove the record"
                    + " that waits in a spool\(mark).",
                remedy: "Run journald, or another log service that listens on /dev/log"
                    + "\(isOnce ? ", and mdefaults report now and then as \(writer)" : "").")
        ]
    }

    /// Whether this process can store what it records.
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

    /// Whether records of the user wait outside of the log.
    var spool: Check {
        let path = "\(session.stateDirectory)/spool.jsonl"
        let shown = Printable.escape(root.display(path))
        let name = Printable.escape(session.account.name)
        do throws(SystemError) {
            let answer = try HomeAccess.asOwner(session) {
                Array(String((try? root.status(path, followingLinks: false))?.size ?? 0).utf8)
            }
            guard let size = Int(String(decoding: answer, as: UTF8.self)), size > 0 else {
                return Check("spool", true, "No record of \(name) waits in a spool.")
            }
            return Check(
                "spool", false, "\(TextReport.count(size, "byte")) of records wait in \(shown), outside of the log.",
                remedy: "Keep the file: this version has no service that takes the records into the log.")
        } catch {
            return Check(
                "spool", false, "Nobody could look at \(shown) as \(name): \(Printable.escape(error.text)).",
                remedy: "Run mdefaults doctor as \(name).")
        }
    }

    /// Temporary files that a killed process has left behind.
    var leftovers: [Check] {
        let folders = [
            "/etc", "/etc/managed-defaults", "/etc/managed-defaults/policies.d", "/run/managed-defaults/policies.d",
            "/var/lib/managed-defaults",
            "/var/lib/managed-defaults/good", "/var/log/managed-defaults",
        ]
        var found = folders.flatMap { leftovers(in: $0) }
        // NUL stands in no file name. A home that cannot be looked into has been named by the check of preferences.
        let own = try? HomeAccess.asOwner(session) {
            Array(leftovers(in: session.preferences.directory).joined(separator: "\0").utf8)
        }
        found += (own ?? []).split(separator: 0).map { Printable.escape(String(decoding: $0, as: UTF8.self)) }
        if found.isEmpty { return [Check("leftovers", true, "No killed process has left a temporary file behind.")] }
        return found.map { path in
            Check(
                "leftovers", false, subject: path, "\(path) is a temporary file that a killed process has left behind.",
                remedy: "Remove it; nothing reads it.")
        }
    }

    /// The old temporary files of a folder, as they are shown to people.
    ///
    /// A folder that cannot be listed has been named by the check that needs it.
    private func leftovers(in folder: String) -> [String] {
        ((try? root.names(in: folder)) ?? []).compactMap { name in
            let path = "\(folder)/\(name)"
            guard Doctor.isTemporary(name, in: folder), let status = try? root.status(path, followingLinks: false),
                isOld(status)
            else { return nil }
            return Printable.escape(root.display(path))
        }
    }

    /// Whether a name is one that replacing a file makes: `.NAME.` with random characters and `.tmp`; or that of the
    /// directory that a rollback builds.
    private static func isTemporary(_ name: String, in folder: String) -> Bool {
        if folder == "/etc/managed-defaults", name == PolicyStore.newDirectoryName { return true }
        return folder != "/etc" && name.hasPrefix(".") && name.hasSuffix(".tmp")
    }

    /// Whether a file was last written so long ago that nobody can be writing it now: ten minutes.
    private func isOld(_ status: FileStatus) -> Bool {
        let (age, overflow) = Clock.now().microseconds.subtractingReportingOverflow(status.modified / 1_000)
        return overflow || age > 600_000_000
    }
}
