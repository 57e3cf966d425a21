import Glibc

/// A directory that was reached through nothing but trusted directories and links, held open.
///
/// Its files are read by name without walking to it again, so that 500 policy files cost one walk.
package final class TrustedDirectory: Sendable {
    /// The root that it lies in.
    private let root: Root
    /// The rule for it and its files.
    private let rule: TrustRule
    /// The directory itself.
    private let handle: DirectoryHandle
    /// Warnings about accepted permissions on the way, as whole sentences.
    package let warnings: [String]

    /// Creates a directory from the end of a walk.
    init(root: Root, rule: TrustRule, handle: DirectoryHandle, warnings: [String]) {
        self.root = root
        self.rule = rule
        self.handle = handle
        self.warnings = warnings
    }

    /// Lists the names in the directory, complete, without `.` and `..`.
    ///
    /// - Parameter inOrder: whether they are sorted in byte order.
    /// - Returns: the names.
    /// - Throws: an error also if the directory has become untrusted since it was opened.
    package func names(inOrder: Bool = true) throws(TrustError) -> [String] {
        let shown = root.display(handle.path)
        if let objection = rule.objection(to: try status()) { throw .untrusted(path: shown, reason: objection) }
        return try TrustError.lifting { () throws(SystemError) in
            try FileDescriptor.names(in: handle.raw, inOrder: inOrder, shown: shown)
        }
    }

    /// Reads the status of the directory.
    package func status() throws(TrustError) -> FileStatus {
        try TrustError.lifting { () throws(SystemError) in
            try FileDescriptor.status(of: handle.raw, shown: root.display(handle.path))
        }
    }

    /// Reads the status of an entry itself, a link not followed.
    package func status(_ name: String) throws(TrustError) -> FileStatus {
        try check(name)
        return try TrustError.lifting { () throws(SystemError) in
            try FileDescriptor.status(of: name, in: handle.raw, followingLinks: false, shown: shown(name))
        }
    }

    /// Whether a name is that of a regular file that is trusted.
    package func hasTrustedFile(_ name: String) -> Bool {
        guard let status = try? status(name), status.kind == .regular else { return false }
        return rule.objection(to: status) == nil
    }

    /// Reads the target of a trusted link, as it is stored in the link; `nil` if the name is not a link.
    package func linkTarget(_ name: String) throws(TrustError) -> String? {
        let status = try status(name)
        guard status.kind == .link else { return nil }
        if let objection = rule.objection(to: status) { throw .untrusted(path: shown(name), reason: objection) }
        return try TrustError.lifting { () throws(SystemError) in
            try FileDescriptor.linkTarget(of: name, in: handle.raw, shown: shown(name))
        }
    }

    /// Opens a regular file that is trusted and no link, to be read piece by piece.
    package func open(_ name: String) throws(TrustError) -> OpenFile {
        try check(name)
        let file = try TrustError.lifting { () throws(SystemError) in
            try OpenFile(
                owning: try FileDescriptor.open(
                    name, in: handle.raw, flags: OpenMode.read.flags | O_NOFOLLOW, shown: shown(name)),
                shown: shown(name))
        }
        if let objection = rule.objection(to: file.status) {
            throw .untrusted(path: shown(name), reason: objection)
        }
        return file
    }

    /// Reads a whole regular file that is trusted; links are followed if everything on their way is trusted.
    ///
    /// - Throws: EFBIG beyond `limit` bytes, ESTALE if the file changed during each of three attempts.
    package func read(_ name: String, limit: Int) throws(TrustError) -> TrustedFile {
        if let file = try readUnlinked(name, limit: limit) { return file }
        return try root.readTrusted("\(handle.path)/\(name)", limit: limit)
    }

    /// Reads a whole regular file that is trusted; `nil` if the name is a link.
    ///
    /// - Throws: EFBIG beyond `limit` bytes, ESTALE if the file changed during each of three attempts.
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

    /// Whether a regular file that is trusted, and no link, has exactly these bytes.
    package func holds(_ bytes: [UInt8], in name: String) -> Bool {
        do {
            try check(name)
            let file = try FileDescriptor.open(
                name, in: handle.raw, flags: OpenMode.read.flags | O_NOFOLLOW, shown: shown(name))
            let status = try file.status(shown: shown(name))
            guard status.kind == .regular, status.size == bytes.count, rule.objection(to: status) == nil else {
                return false
            }
            return try file.read(count: bytes.count, at: 0, shown: shown(name)) == bytes
        } catch {
            return false
        }
    }

    /// Adds rights to the mode of a regular file that is trusted.
    ///
    /// - Parameters:
    ///   - rights: the permission bits to add.
    ///   - name: its name, which must not be a link.
    /// - Throws: EINVAL if the file is of another kind, and errors of the kernel.
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

    /// Refuses what is not a single name.
    private func check(_ name: String) throws(TrustError) {
        let bytes = name.utf8.span
        let hasSlash = bytes.indices.contains { bytes[$0] == UInt8(ascii: "/") }
        guard name.isEmpty || name == "." || name == ".." || hasSlash else { return }
        throw .system(
            SystemError(operation: "open", path: shown(name), code: EINVAL, reason: "the name is no single file name"))
    }
}

extension Root {
    /// Reads a whole regular file that only the owner of the root could have written.
    ///
    /// Every directory and link on the way, the root itself included, and the file must satisfy ``TrustRule``.
    ///
    /// - Parameters:
    ///   - path: the path.
    ///   - limit: the most bytes that are read.
    /// - Returns: the file.
    /// - Throws: EFBIG beyond `limit` bytes, ESTALE if the file changed during each of three attempts, or what is not
    ///   trusted and why.
    package func readTrusted(_ path: String, limit: Int) throws(TrustError) -> TrustedFile {
        let rule = TrustRule(root: self)
        let shown = display(path)
        for _ in 1...3 {
            var walk = try PathWalk(root: self, rule: rule)
            guard let name = try walk.advance(along: path, followingLast: true) else {
                throw .system(
                    SystemError(
                        operation: "read", path: shown, code: EISDIR, reason: "it is a directory, not a regular file"))
            }
            // Messages name the file that is not trusted, which a link may have led to.
            let place = display("\(walk.path)/\(name)")
            let directory = try walk.directory()
            do {
                if let file = try TrustRead.file(
                    name, in: directory.raw, rule: rule, limit: limit, warnings: walk.warnings, shown: place)
                {
                    return file
                }
            } catch {
                // The name became a link after the walk checked it: the next walk follows it.
                guard case .system(let cause) = error, cause.code == ELOOP else { throw error }
            }
        }
        throw .system(Root.changed(shown))
    }

    /// Opens a directory that only the owner of the root could have added files to.
    ///
    /// - Parameter path: the path.
    /// - Returns: the directory.
    /// - Throws: why it cannot be had, or is not trusted.
    package func trustedDirectory(_ path: String) throws(TrustError) -> TrustedDirectory {
        let rule = TrustRule(root: self)
        var walk = try PathWalk(root: self, rule: rule)
        // With a slash at the end the walk ends in the directory itself.
        if try walk.advance(along: path + "/", followingLast: true) != nil {
            throw .system(SystemError(operation: "open", path: display(path), code: ENOTDIR))
        }
        return TrustedDirectory(root: self, rule: rule, handle: try walk.directory(), warnings: walk.warnings)
    }

    /// The names in a trusted directory, complete and in byte order, without `.` and `..`.
    package func trustedNames(in path: String) throws(TrustError) -> [String] {
        try trustedDirectory(path).names()
    }
}

/// Reads one file relative to a trusted directory.
enum TrustRead {
    /// Opens, checks and reads; `nil` if the file changed meanwhile, ELOOP if the name is a link.
    static func file(
        _ name: String, in directory: Int32, rule: TrustRule, limit: Int, warnings: [String],
        shown: @autoclosure () -> String
    ) throws(TrustError) -> TrustedFile? {
        let descriptor = try TrustError.lifting { () throws(SystemError) in
            try FileDescriptor.open(name, in: directory, flags: OpenMode.read.flags | O_NOFOLLOW, shown: shown())
        }
        let raw = descriptor.raw
        let before = try TrustError.lifting { () throws(SystemError) in
            try FileDescriptor.status(of: raw, shown: shown())
        }
        if let objection = rule.objection(to: before) {
            throw .untrusted(path: shown(), reason: objection)
        }
        let result: (bytes: [UInt8], status: FileStatus)?
        do {
            result = try descriptor.readWhole(limit: limit, known: before, shown: shown())
        } catch {
            throw .system(error)
        }
        // Owner and mode belong to what must not change; ctime changes with both.
        guard let result, result.status == before else { return nil }
        let own = rule.warning(about: before, shown: shown()).map { [$0] } ?? []
        return TrustedFile(bytes: result.bytes, status: result.status, warnings: warnings + own)
    }
}

/// A file that only the owner of the root could have written.
package struct TrustedFile: Sendable {
    /// The whole content.
    package let bytes: [UInt8]
    /// The status before and after reading.
    package let status: FileStatus
    /// Warnings about accepted permissions, as whole sentences.
    package let warnings: [String]

    /// Describes a file that was read.
    package init(bytes: [UInt8], status: FileStatus, warnings: [String]) {
        self.bytes = bytes
        self.status = status
        self.warnings = warnings
    }
}
