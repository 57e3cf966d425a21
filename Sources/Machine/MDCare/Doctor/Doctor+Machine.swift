import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList

extension Doctor {
    /// The name of the machine, which host patterns are matched against.
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

    /// Whether the account database can be parsed.
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
                remedy: problem.kind == .noAnswer
                    ? "Let what serves the home answer again, or unmount it."
                    : problem.position != nil
                        ? "Mend the file, or move it away; until then its values are not in effect, and it is kept."
                        : "Make the file one of \(name)'s own that they can read.")
        }
    }

    /// The temporary files of killed processes.
    var leftovers: [Check] {
        let folders = [
            "/etc", "/etc/managed-defaults", "/etc/managed-defaults/policies.d", "/run/managed-defaults/policies.d",
            "/var/lib/managed-defaults",
            "/var/lib/managed-defaults/good", "/var/lib/managed-defaults/temporary",
            "/var/lib/managed-defaults/reasons",
            "/var/log/managed-defaults",
        ]
        var found = folders.flatMap { leftovers(in: $0) }
        // A file name cannot contain NUL. The check of preferences names a home that cannot be read.
        let own = try? HomeAccess.asOwner(session) {
            Array(leftovers(in: session.preferences.directory).joined(separator: "\0").utf8)
        }
        found += (own ?? []).split(separator: 0).map { Printable.escape(String(decoding: $0, as: UTF8.self)) }
        if found.isEmpty { return [Check("leftovers", true, "No killed process has left a temporary file behind.")] }
        let directory = Printable.escape(root.display("/etc/managed-defaults/\(PolicyStore.newDirectoryName)"))
        return found.map { path in
            if path == directory {
                return Check(
                    "leftovers", false, subject: path,
                    "\(path) is a directory that an install or a rollback has left behind; while it cannot be removed, "
                        + "neither changes anything.",
                    remedy: Doctor.sentence(PolicyStore.newDirectoryRemedy(path)))
            }
            return Check(
                "leftovers", false, subject: path, "\(path) is a temporary file that a killed process has left behind.",
                remedy: "Remove it; nothing reads it.")
        }
    }

    /// The display paths of the old temporary files of a folder.
    ///
    /// The check that needs the folder names it if it cannot be listed.
    private func leftovers(in folder: String) -> [String] {
        ((try? root.names(in: folder)) ?? []).compactMap { name in
            let path = "\(folder)/\(name)"
            guard Doctor.isTemporary(name, in: folder), let status = try? root.status(path, followingLinks: false),
                isOld(status, seconds: status.kind == .directory ? 10 : 600)
            else { return nil }
            return Printable.escape(root.display(path))
        }
    }

    /// Whether a name is that of a temporary file, `.NAME.` with random characters and `.tmp`, or of the directory that a
    /// rollback builds.
    private static func isTemporary(_ name: String, in folder: String) -> Bool {
        if folder == "/etc/managed-defaults", name == PolicyStore.newDirectoryName { return true }
        return folder != "/etc" && name.hasPrefix(".") && name.hasSuffix(".tmp")
    }

    /// Whether a file was last written so long ago that no process writes it now: an exchange of directories is soon over.
    private func isOld(_ status: FileStatus, seconds: Int64) -> Bool {
        let (age, overflow) = Clock.now().microseconds.subtractingReportingOverflow(status.modified / 1_000)
        return overflow || age > seconds * 1_000_000
    }

    /// Whether the clock is later than the time floor.
    var clock: Check {
        guard let fault = ClockFault.sentence(on: session.machine) else {
            return Check("clock", true, "The clock is later than everything that was recorded here.")
        }
        return Check(
            "clock", false, fault,
            remedy:
                "Set the clock. If it is right, and was ahead by mistake when that was recorded: mdefaults policy forget"
                + " --clock as \(writer).", command: mdefaults("policy", "forget", "--clock"))
    }

    /// Whether every time zone and calendar of a schedule is known; no check if no schedule matters.
    var schedules: [Check] {
        session.resultant.problems.map { problem in
            let shown = root.display(problem.file)
            return Check(
                "schedule", false, subject: Printable.escape(shown),
                Doctor.sentence(Printable.escape("\(shown):\(problem.position): \(problem.message)")),
                remedy: "Install the time zones of the system (tzdata), or mend the name.")
        }
    }
}

extension Doctor {
    /// Whether the files that add languages can be used; no check where there is none.
    var languages: [Check] {
        MessageFile.all(in: root).map { file in
            let shown = Printable.escape(root.display(file.path))
            guard let first = file.problems.first else {
                let count = "\(file.count) of \(MessageFile.countOfAll) texts"
                let rest = file.count < MessageFile.countOfAll ? "; the others are English" : ""
                return Check("messages", true, subject: shown, "\(shown) has \(count)\(rest).")
            }
            let more = file.problems.count - 1
            let rest = more == 0 ? "" : " There \(more == 1 ? "is 1" : "are \(more)") more."
            return Check(
                "messages", false, subject: shown, "\(first).\(rest)",
                remedy: "Mend the line, or remove it: until then users read this text in English.")
        }
    }
}
