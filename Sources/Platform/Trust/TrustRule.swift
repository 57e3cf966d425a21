import CPlatform
import Glibc

/// Who may own what is trusted, and who may write to it.
package struct TrustRule: Hashable, Sendable {
    /// The uid that stands for root.
    let owner: UInt32
    /// Whether the overflow uid counts as the owner: in a user namespace that is how root's files look.
    let acceptsOverflow: Bool
    /// Whether a file must not be a mount of its own: in a user namespace anybody can mount one file of root's over another.
    let refusesMounts: Bool
    /// Whether anybody may own the root directory itself: that of a sandbox is the user's, and says nothing of what is in it.
    let acceptsAnyRoot: Bool
    /// Whether write permission for the group is a warning only.
    let acceptsGroupWrite: Bool
    /// How messages call the owner.
    let ownerName: String
    /// As whom files are read; `nil` for the process itself, whom the kernel holds to its rights.
    let reader: FileReader?

    /// The rule of a root: design.md, "Trust and failing closed" and "--root DIR".
    package init(root: Root) {
        let isMapped = root.isSystem && CurrentProcess.isPolicyOutside
        // Where the root directory belongs to root outside of the namespace, so does policy: what belongs to the root of
        // the namespace is what its maker mounted over it.
        let isOutside = isMapped && CurrentProcess.isRootOutside
        owner = isOutside ? CurrentProcess.overflowUID : root.owner
        acceptsOverflow = isMapped
        refusesMounts = isOutside
        acceptsAnyRoot = isMapped && !isOutside
        acceptsGroupWrite = !root.isSystem
        reader = root.reader
        ownerName =
            isOutside
            ? "the machine's own root"
            : root.isSystem ? "root" : "uid \(root.owner), the owner of \(root.path)"
    }

    /// The rule of a machine's root, for tests of what depends on the process.
    init(
        owner: UInt32, acceptsOverflow: Bool, refusesMounts: Bool = false, acceptsGroupWrite: Bool, ownerName: String
    ) {
        self.owner = owner
        self.acceptsOverflow = acceptsOverflow
        self.refusesMounts = refusesMounts
        acceptsAnyRoot = false
        self.acceptsGroupWrite = acceptsGroupWrite
        self.ownerName = ownerName
        reader = nil
    }

    /// Fails as the kernel would where the reader lacks a right.
    func require(
        _ right: FileReader.Right, to status: FileStatus, shown: @autoclosure () -> String
    ) throws(TrustError) {
        guard let reader, !reader.has(right, to: status) else { return }
        throw .system(SystemError(operation: "open", path: shown(), code: EACCES))
    }

    /// The directories of policy, at and beneath which nobody but a user has a reason to mount anything.
    private static let homes = ["/etc/managed-defaults", "/run/managed-defaults", recordHome]
    /// The directory of what root's commands recorded.
    static let recordHome = "/var/lib/managed-defaults"

    /// Whether a directory must not be a mount where the rule refuses mounts.
    ///
    /// - Parameters:
    ///   - path: its path, without links.
    ///   - unmounted: a directory at and beneath which none must be, as well; `nil` for none.
    /// - Returns: whether that is so.
    func forbidsMount(at path: String, unmounted: String?) -> Bool {
        guard refusesMounts else { return false }
        return (TrustRule.homes + (unmounted.map { [$0] } ?? [])).contains { path == $0 || path.hasPrefix($0 + "/") }
    }

    /// Why a file, directory or link is not trusted, as the end of a sentence that begins with its path; `nil` where it is.
    ///
    /// The sticky bit makes no difference: whoever may add names to a directory may add a policy file.
    package func objection(to status: FileStatus) -> String? {
        if status.owner != owner, !(acceptsOverflow && status.owner == CurrentProcess.overflowUID) {
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

    /// Why an open file or directory is not trusted where it is mounted, as the end of a sentence that begins with its
    /// path; `nil` where it is.
    func objection(toMount raw: Int32) -> String? {
        // Where the kernel does not tell, nobody knows.
        guard refusesMounts, cplatform_is_mount(raw) != 0 else { return nil }
        return "may be mounted by the user, as anybody can in a user namespace"
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
