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
    ///   - isThorough: whether each file is looked at that root's commands keep, as for ``kept(root:isThorough:)``.
    /// - Returns: the findings.
    package static func findings(_ files: [LoadedFile], root: Root, isThorough: Bool = true) -> [Diagnostic] {
        var findings: [Diagnostic] = []
        for path in directories where isClosed(path, root) {
            let message =
                "not everybody can list this directory; programs of others obey what root's commands last recorded"
            findings.append(finding(root.display(path), "\(message), or, without a record, change nothing", "0755"))
        }
        let unread = files.filter { file in file.mode.map { $0 & 0o004 == 0 } ?? lacks(0o004, file.path, root) }
        for path in unread.map(\.path) + (lacks(0o004, StorePath.tags, root) ? [StorePath.tags] : []) {
            let message =
                "not everybody can read this file; programs of others obey what root's commands last recorded of"
            findings.append(finding(root.display(path), "\(message) it, or, without a record, change nothing", "0644"))
        }
        for file in files {
            guard let folder = hidingFolder(of: file, root) else { continue }
            let message =
                "not everybody gets through \(Printable.escape(root.display(folder))) to what this link leads to; programs of"
                + " others obey what root's commands last recorded of it, or, without a record, change nothing"
            findings.append(
                Diagnostic(
                    file: root.display(file.path), severity: .warning, code: .notReadable,
                    message: "\(message); give that folder the mode 0755"))
        }
        return findings + kept(root: root, isThorough: isThorough) + (hostName(files, root).map { [$0] } ?? [])
    }

    /// Reports what root's commands keep for everybody's programs, and the folders above it, where not everybody can read
    /// it or others could have written it.
    ///
    /// - Parameters:
    ///   - root: beneath which it lies.
    ///   - isThorough: whether each file is looked at, and not only the folders, as long as these are as they should be.
    /// - Returns: the findings.
    package static func kept(root: Root, isThorough: Bool = true) -> [Diagnostic] {
        let above = ["/var", "/var/lib"].filter { lacks(0o001, $0, root) }.map { path in
            finding(
                root.display(path), "users' programs do not get through this folder to what root's commands keep",
                "0755")
        }
        return above + KeptFiles(root: root).faults(isThorough: isThorough).map { $0.finding(writer: writer(of: root)) }
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
            message: "\(DirectoryScan.withoutStop(problem)); the name that was recorded counts instead, or "
                + (root.isSystem ? "the kernel's" : "localhost"))
    }

    /// The directories that everybody's programs list.
    private static let directories = PolicyPlace.allCases.flatMap { [$0.home, $0.directory] }

    /// The policy files whose content, as it is now, reaches nobody's programs but root's: not everybody can read them, or
    /// get to what they lead to, and there is no copy yet that everybody can.
    ///
    /// - Parameters:
    ///   - files: the policy files of a machine.
    ///   - root: beneath which they lie.
    /// - Returns: those files.
    package static func unreached(_ files: [LoadedFile], root: Root) -> [LoadedFile] {
        let new = files.filter { $0.source == .current && !$0.isRecorded }
        if new.isEmpty || directories.contains(where: { lacks(0o005, $0, root) }) { return new }
        return new.filter { file in
            file.mode.map { $0 & 0o004 == 0 } ?? lacks(0o004, file.path, root) || hidingFolder(of: file, root) != nil
        }
    }

    /// The files that are gone or switched off, which only root sees, because not everybody can list the directories.
    ///
    /// - Parameters:
    ///   - changes: what differs from what was recorded.
    ///   - root: beneath which they lay.
    /// - Returns: those changes.
    package static func unseen(_ changes: [PolicyChange], root: Root) -> [PolicyChange] {
        let gone = changes.filter { $0.from != nil && $0.to == nil }
        return !gone.isEmpty && directories.contains { lacks(0o005, $0, root) } ? gone : []
    }

    /// The paths of what not everybody can read of policy itself: its directories, its files with the folders that they lead
    /// into, and the tags.
    ///
    /// - Parameters:
    ///   - files: the policy files of a machine.
    ///   - root: beneath which they lie.
    /// - Returns: the paths beneath the root.
    package static func closed(_ files: [LoadedFile], root: Root) -> [String] {
        directories.filter { lacks(0o005, $0, root) }
            + (files.map(\.path) + [StorePath.tags]).filter { lacks(0o004, $0, root) }
            + files.compactMap { hidingFolder(of: $0, root) }
    }

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
