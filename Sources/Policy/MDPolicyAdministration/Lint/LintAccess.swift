package import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Checks that all users can read policy, because the programs of all users obey it.
///
/// Root's commands can read it anyway, and store copies that all users can read, so the fault shows nowhere else.
package enum LintAccess {
    /// Reports policy files, and directories above them, that not all users can read.
    ///
    /// - Parameters:
    ///   - files: the policy files of a machine.
    ///   - root: the root of the machine.
    /// - Returns: the findings.
    package static func findings(_ files: [PolicyFileState], root: Root) -> [Diagnostic] {
        var findings: [Diagnostic] = []
        for path in directories where isClosed(path, root) {
            let message =
                "not everybody can list this directory; programs of others obey what was last recorded of it"
            findings.append(finding(root.display(path), message, "0755"))
        }
        let unread = files.filter { file in file.mode.map { $0 & 0o004 == 0 } ?? lacks(0o004, file.path, root) }
        for path in unread.map(\.path) + (lacks(0o004, StorePath.tags, root) ? [StorePath.tags] : []) {
            let message =
                "not everybody can read this file; programs of others obey its last recorded copy, which everybody can read"
            findings.append(finding(root.display(path), message, "0644"))
        }
        for file in files {
            guard let folder = hidingFolder(of: file, root) else { continue }
            let message =
                "not everybody gets through \(Printable.escape(root.display(folder))) to what this link leads to; programs of"
                + " others obey its last recorded copy"
            findings.append(
                Diagnostic(
                    file: root.display(file.path), severity: .warning, code: .notReadable,
                    message: "\(message); give that folder the mode 0755"))
        }
        return findings + storedFiles(root: root) + (hostName(files, root).map { [$0] } ?? [])
    }

    /// Reports files that root's commands store for all programs, and the folders above them, if not all users can read
    /// them or others could have written them.
    ///
    /// - Parameter root: the root of the machine.
    /// - Returns: the findings.
    package static func storedFiles(root: Root) -> [Diagnostic] {
        let above = ["/var", "/var/lib"].filter { lacks(0o001, $0, root) }.map { path in
            finding(
                root.display(path), "users' programs do not get through this folder to what root's commands keep",
                "0755")
        }
        return above + StoredFiles(root: root).faults().map { $0.finding(writer: StoredFiles.writer(of: root)) }
    }

    /// The finding for a host name that cannot be read from its file, if policy depends on it.
    private static func hostName(_ files: [PolicyFileState], _ root: Root) -> Diagnostic? {
        let clauses = files.lazy.compactMap(\.policy).flatMap { policy in
            (policy.target.map { [$0.include, $0.except] } ?? []) + policy.waivers.map(\.clauses)
        }
        guard clauses.contains(where: { $0.hosts != nil }), let problem = Machine.hostNameProblem(root: root)
        else { return nil }
        var code = LintCode.unreadable
        do throws(TrustError) {
            _ = try root.readTrusted("/etc/hostname", limit: 4_096)
        } catch {
            if case .untrusted = error { code = .untrusted }
        }
        return Diagnostic(
            file: root.display("/etc/hostname"), severity: .warning, code: code,
            message: "\(Diagnostic.clause(problem)); the name that was recorded counts instead, or "
                + (root.isSystem ? "the kernel's" : "localhost"))
    }

    /// The directories that the programs of all users list.
    private static let directories = PolicyDirectory.allCases.flatMap { [$0.home, $0.directory] }

    /// The first folder on the path of a link that not all users can search; `nil` if there is none or the file is no
    /// link.
    private static func hidingFolder(of file: PolicyFileState, _ root: Root) -> String? {
        for folder in PolicyStore(root: root).linkFolders(of: file) {
            var path = ""
            for part in folder.utf8.split(separator: UInt8(ascii: "/")) {
                path += "/\(Substring(part))"
                if lacks(0o001, path, root) { return path }
            }
        }
        return nil
    }

    /// Makes the finding for a path, with the mode that it should have.
    private static func finding(_ path: String, _ message: String, _ mode: String) -> Diagnostic {
        Diagnostic(
            file: path, severity: .warning, code: .notReadable, message: "\(message); give it the mode \(mode)")
    }

    /// Whether a file or directory exists and its mode lacks a right for all users.
    private static func lacks(_ rights: UInt32, _ path: String, _ root: Root) -> Bool {
        guard let mode = try? root.status(path, followingLinks: true).mode else { return false }
        return mode & rights != rights
    }

    /// Whether users cannot list or search a directory; false for anything else, which is reported elsewhere.
    private static func isClosed(_ path: String, _ root: Root) -> Bool {
        guard (try? root.status(path, followingLinks: true).kind) == .directory else { return false }
        return lacks(0o005, path, root)
    }
}
