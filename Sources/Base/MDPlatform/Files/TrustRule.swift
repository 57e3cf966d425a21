/// Which owners and write permissions a trusted file may have.
package struct TrustRule: Hashable, Sendable {
    /// The uid that counts as root's.
    package let owner: UInt32
    /// Whether the root directory itself may have any owner: that of a sandbox belongs to the user, which does not
    /// affect the files in it.
    let acceptsAnyRoot: Bool
    /// Whether trust begins at a mount that is read-only and whose root belongs to ``owner``, whatever lies above it:
    /// the folders of a sandbox belong to the user.
    let beginsAtMount: Bool
    /// Whether write permission for the group is a warning only.
    let acceptsGroupWrite: Bool
    /// How messages call the owner.
    let ownerName: String

    /// The rule of a root: root owns the files of a machine, and the owner of a folder those of a machine in it.
    package init(root: Root) {
        let isForeign = root.isSystem && UserNamespace.isForeign
        owner = isForeign ? UserNamespace.overflowUID : root.owner
        acceptsAnyRoot = isForeign
        beginsAtMount = isForeign
        acceptsGroupWrite = !root.isSystem
        ownerName =
            isForeign
            ? "the machine's own root"
            : root.isSystem ? "root" : "uid \(root.owner), the owner of \(root.path)"
    }

    /// The rule of a machine's root, for tests of what depends on the process.
    init(owner: UInt32, acceptsGroupWrite: Bool, ownerName: String) {
        self.owner = owner
        acceptsAnyRoot = false
        beginsAtMount = false
        self.acceptsGroupWrite = acceptsGroupWrite
        self.ownerName = ownerName
    }

    /// Checks a file, directory or link.
    ///
    /// The sticky bit makes no difference: a user who can add names to a directory can add a policy file.
    ///
    /// - Returns: why it is not trusted, as the end of a sentence that begins with its path; `nil` if it is trusted.
    package func objection(to status: FileStatus) -> String? {
        if status.owner != owner {
            return "belongs to uid \(status.owner), not to \(ownerName)"
        }
        // Every link has mode 0777, which means nothing.
        if status.kind == .link { return nil }
        if status.mode & 0o002 != 0 { return "is writable by others (mode \(TrustRule.octal(status.mode)))" }
        if status.mode & 0o020 != 0, !acceptsGroupWrite {
            return "is writable by its group (mode \(TrustRule.octal(status.mode)))"
        }
        return nil
    }

    /// A warning about a permission that is accepted, as a whole sentence, or `nil`.
    package func warning(about status: FileStatus, shown: @autoclosure () -> String) -> String? {
        guard status.kind != .link, status.mode & 0o020 != 0, acceptsGroupWrite else { return nil }
        return "\(shown()) is writable by its group (mode \(TrustRule.octal(status.mode)))."
    }

    /// A mode as people write it: `0664`.
    package static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(4 - digits.count, 0)) + digits
    }
}

/// Why a trusted file could not be read.
package enum TrustError: Error, Hashable, Sendable {
    /// It could not be reached or read.
    case system(SystemError)
    /// An untrusted user can change it, or a directory or link on its way; the path as people are shown it.
    case untrusted(path: String, reason: String)

    /// Whether an untrusted user can change it, or a directory or link on its way.
    package var isUntrusted: Bool {
        if case .untrusted = self { true } else { false }
    }

    /// Whether the file, or a directory on the way to it, is not there.
    package var isMissing: Bool {
        if case .system(let error) = self { error.isMissing } else { false }
    }
}

extension TrustError {
    /// Runs a function and converts its system errors to trust errors.
    static func lifting<Result: ~Copyable>(
        _ body: () throws(SystemError) -> Result
    ) throws(TrustError) -> Result {
        do {
            return try body()
        } catch {
            throw .system(error)
        }
    }
}

extension TrustError: CustomStringConvertible {
    /// The failure as a sentence without its full stop.
    package var description: String {
        switch self {
        case .system(let error): error.description
        case .untrusted(let path, let reason):
            "\(Printable.escape(path)) is not trusted: it \(Printable.escape(reason))"
        }
    }
}

/// The user namespace (user_namespaces(7)) that this process runs in.
package enum UserNamespace {
    /// Whether this process runs in a user namespace whose root is not the root of the machine.
    ///
    /// If `/` belongs to uid 0, this is the machine itself, or a container that counts as a machine. Otherwise the
    /// machine's root has the overflow uid here, and the process cannot know its own user.
    package static let isForeign: Bool = {
        guard let owner = (try? Root.system.status("/", followingLinks: false))?.owner, owner != 0 else { return false }
        if owner == overflowUID { return true }
        return (try? Root.system.read("/proc/self/uid_map", limit: 65_536).bytes).map(isMapped) ?? false
    }()

    /// The uid of all users outside of a user namespace (Linux's default of kernel.overflowuid).
    package static let overflowUID: UInt32 = 65_534

    /// Whether a uid map is other than the identity of the first namespace, `0 0 4294967295`.
    static func isMapped(_ map: [UInt8]) -> Bool {
        let fields = map.split { $0 == 0x20 || $0 == 0x0a || $0 == 0x09 }.map { String(decoding: $0, as: UTF8.self) }
        return fields != ["0", "0", "4294967295"]
    }
}
