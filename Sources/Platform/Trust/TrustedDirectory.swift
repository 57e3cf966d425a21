import Glibc

/// A directory that was reached through nothing but trusted directories and links, held open.
///
/// Its files are read by name without walking to it again, so that 500 policy files cost one walk.
package final class TrustedDirectory: Sendable {
    /// The root that it lies in.
    private let root: Root
    /// What it and its files are held to.
    private let rule: TrustRule
    /// The directory itself.
    private let handle: DirectoryHandle
    /// What was allowed on the way and is yet worth saying, as whole sentences.
    package let warnings: [String]

    /// Takes over where a walk ended.
    init(root: Root, rule: TrustRule, handle: DirectoryHandle, warnings: [String]) {
        self.root = root
        self.rule = rule
        self.handle = handle
        self.warnings = warnings
    }

    /// The names in the directory, complete and in byte order, without `.` and `..`.
    ///
    /// - Parameter inOrder: whether they are put in order.
    /// - Returns: the names.
    /// - Throws: also where the directory has become untrusted since it was opened.
    package func names(inOrder: Bool = true) throws(TrustError) -> [String] {
        let shown = root.display(handle.path)
        let status = try TrustError.lifting { () throws(SystemError) in
            try FileDescriptor.status(of: handle.raw, shown: shown)
        }
        if let objection = rule.objection(to: status) { throw .untrusted(path: shown, reason: objection) }
        return try TrustError.lifting { () throws(SystemError) in
            try FileDescriptor.names(in: handle.raw, inOrder: inOrder, shown: shown)
        }
    }

    /// What the kernel says about an entry itself, a link not followed.
    package func status(_ name: String) throws(TrustError) -> FileStatus {
        try check(name)
        return try TrustError.lifting { () throws(SystemError) in
            try FileDescriptor.status(of: name, in: handle.raw, followingLinks: false, shown: shown(name))
        }
    }

    /// Where a link leads, as it is written in the link, which is trusted; `nil` where the name is no link.
    package func linkTarget(_ name: String) throws(TrustError) -> String? {
        let status = try status(name)
        guard status.kind == .link else { return nil }
        if let objection = rule.objection(to: status) { throw .untrusted(path: shown(name), reason: objection) }
        return try TrustError.lifting { () throws(SystemError) in
            try FileDescriptor.linkTarget(of: name, in: handle.raw, shown: shown(name))
        }
    }

    /// Reads a whole regular file that is trusted; a link is followed while everything on its way is trusted.
    ///
    /// - Throws: EFBIG beyond `limit` bytes, ESTALE where the file changed during each of three readings.
    package func read(_ name: String, limit: Int) throws(TrustError) -> TrustedFile {
        if let file = try readUnlinked(name, limit: limit) { return file }
        return try root.readTrusted("\(handle.path)/\(name)", limit: limit)
    }

    /// Reads a whole regular file that is trusted; `nil` where the name is a link.
    ///
    /// - Throws: EFBIG beyond `limit` bytes, ESTALE where the file changed during each of three readings.
    package func readUnlinked(_ name: String, limit: Int) throws(TrustError) -> TrustedFile? {
        try check(name)
        for _ in 1...3 {
            do {
                if let file = try TrustRead.file(
                    name, in: handle.raw, rule: rule, limit: limit, warnings: [], shown: shown(name))
                {
                    return file
                }
            } catch {
                guard case .system(let cause) = error, cause.code == ELOOP else { throw error }
                return nil
            }
        }
        throw .system(Root.changed(shown(name)))
    }

    /// Adds rights to the mode of a regular file that is trusted.
    ///
    /// - Parameters:
    ///   - rights: the permission bits that it has to have.
    ///   - name: its name, which is that of no link.
    /// - Throws: EINVAL where it is something else by now, and what the kernel says.
    package func add(rights: UInt32, to name: String) throws(TrustError) {
        try check(name)
        try add(rights, name, .regular, shown: shown(name))
    }

    /// Adds rights to the mode of the directory itself, as ``add(rights:to:)`` does.
    package func add(rights: UInt32) throws(TrustError) {
        try add(rights, ".", .directory, shown: root.display(handle.path))
    }

    /// Adds rights to what a name relative to the directory leads to.
    private func add(_ rights: UInt32, _ name: String, _ kind: FileKind, shown: String) throws(TrustError) {
        let status = try TrustError.lifting { () throws(SystemError) in
            let flags = kind == .directory ? OpenMode.directory.flags : OpenMode.read.flags | O_NOFOLLOW
            let descriptor = try FileDescriptor.open(name, in: handle.raw, flags: flags, shown: shown)
            let raw = descriptor.raw
            let status = try FileDescriptor.status(of: raw, shown: shown)
            if status.kind == kind, rule.objection(to: status) == nil {
                try SystemCall.run("change the mode of", shown) { fchmod(raw, (status.mode | rights) & 0o7777) }
            }
            return status
        }
        if let objection = rule.objection(to: status) { throw .untrusted(path: shown, reason: objection) }
        guard status.kind == kind else {
            throw .system(
                SystemError(
                    operation: "change the mode of", path: shown, code: EINVAL, reason: "it is \(status.kind.noun)"))
        }
    }

    /// The path for messages.
    private func shown(_ name: String) -> String { root.display("\(handle.path)/\(name)") }

    /// Refuses what is no single name.
    private func check(_ name: String) throws(TrustError) {
        let bytes = name.utf8.span
        let hasSlash = bytes.indices.contains { bytes[$0] == UInt8(ascii: "/") }
        guard name.isEmpty || name == "." || name == ".." || hasSlash else { return }
        throw .system(
            SystemError(operation: "open", path: shown(name), code: EINVAL, reason: "the name is no single file name"))
    }
}
