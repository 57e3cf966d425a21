/// Who may own what is trusted, and who may write to it.
package struct TrustRule: Hashable, Sendable {
    /// The uid that stands for root.
    package let owner: UInt32
    /// Whether anybody may own the root directory itself: that of a sandbox is the user's, and says nothing of what is in it.
    let acceptsAnyRoot: Bool
    /// Whether write permission for the group is a warning only.
    let acceptsGroupWrite: Bool
    /// How messages call the owner.
    let ownerName: String

    /// The rule of a root: design.md, "Trust and failing closed" and "--root DIR".
    package init(root: Root) {
        let isForeign = root.isSystem && CurrentProcess.isInForeignNamespace
        owner = isForeign ? CurrentProcess.overflowUID : root.owner
        acceptsAnyRoot = isForeign
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
        self.acceptsGroupWrite = acceptsGroupWrite
        self.ownerName = ownerName
    }

    /// Why a file, directory or link is not trusted, as the end of a sentence that begins with its path; `nil` where it is.
    ///
    /// The sticky bit makes no difference: whoever may add names to a directory may add a policy file.
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

    /// What is allowed and yet worth saying, as a whole sentence, or `nil`.
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
