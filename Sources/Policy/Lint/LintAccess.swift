package import Platform
import PropertyList

/// What of policy not everybody can read, although everybody's programs obey it.
///
/// Root's own commands read it all the same, and store copies that everybody can read; so it shows nowhere else.
package enum LintAccess {
    /// Reports policy files, and directories above them, whose mode keeps others out.
    ///
    /// - Parameters:
    ///   - files: the policy files of a machine.
    ///   - root: beneath which they lie.
    /// - Returns: the findings.
    package static func findings(_ files: [LoadedFile], root: Root) -> [Diagnostic] {
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
        return findings + kept(root: root) + (hostName(files, root).map { [$0] } ?? [])
    }

    /// Reports what root's commands keep for everybody's programs, and the folders above it, where not everybody can read
    /// it or others could have written it.
    ///
    /// - Parameter root: beneath which it lies.
    /// - Returns: the findings.
    package static func kept(root: Root) -> [Diagnostic] {
        let above = ["/var", "/var/lib"].filter { lacks(0o001, $0, root) }.map { path in
            finding(
                root.display(path), "users' programs do not get through this folder to what root's commands keep",
                "0755")
        }
        return above + KeptFiles(root: root).faults().map { $0.finding(writer: writer(of: root)) }
    }

    /// Who may write what a machine keeps.
    static func writer(of root: Root) -> String { root.isSystem ? "root" : "the owner of \(root.path)" }

    /// The finding of a name of the machine that cannot be had from where it belongs, where policy asks for it.
    private static func hostName(_ files: [LoadedFile], _ root: Root) -> Diagnostic? {
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

    /// The directories that everybody's programs list.
    private static let directories = PolicyPlace.allCases.flatMap { [$0.home, $0.directory] }

    /// The first folder on the way of a link that not everybody gets through; `nil` for none, and for what is no link.
    private static func hidingFolder(of file: LoadedFile, _ root: Root) -> String? {
        for folder in PolicyStore(root: root).linkFolders(of: file) {
            var path = ""
            for part in folder.utf8.split(separator: UInt8(ascii: "/")) {
                path += "/\(Substring(part))"
                if lacks(0o001, path, root) { return path }
            }
        }
        return nil
    }

    /// The finding of a path, with the mode that it should have.
    private static func finding(_ path: String, _ message: String, _ mode: String) -> Diagnostic {
        Diagnostic(
            file: path, severity: .warning, code: .notReadable, message: "\(message); give it the mode \(mode)")
    }

    /// Whether a file or directory is there and its mode lacks a right of everybody.
    private static func lacks(_ rights: UInt32, _ path: String, _ root: Root) -> Bool {
        guard let mode = try? root.status(path, followingLinks: true).mode else { return false }
        return mode & rights != rights
    }

    /// Whether users cannot list a directory, or not get through it; what is none is named where it is used.
    private static func isClosed(_ path: String, _ root: Root) -> Bool {
        guard (try? root.status(path, followingLinks: true).kind) == .directory else { return false }
        return lacks(0o005, path, root)
    }
}
