import Glibc
import MDCPlatform

/// Walks a path name by name beneath a root and resolves links itself, so that each of them can be checked.
///
/// Each name is opened without following it, relative to the directory before, so that later changes of the tree cannot
/// redirect the walk. A walk costs three system calls a directory, and holds one descriptor, or two during a step, because a
/// process may have very few left.
struct PathWalk {
    /// The root, for messages.
    private let root: Root
    /// The rule for every directory and link on the way; `nil` if the walk only resolves.
    private let rule: TrustRule?
    /// The rule for the links of a path that a caller names; `nil` if all are followed.
    private(set) var links: LinkRule?
    /// The directory that the walk has reached; `nil` for the root.
    private var current: DirectoryHandle?
    /// The names of the directories from the root down to the one that the walk has reached.
    private var entered: [String] = []
    /// The names that lie ahead, the next one last.
    private var pending: [String] = []
    /// How many links were followed.
    private var followed = 0
    /// Why a directory of a sandbox on the way is not trusted, until the walk enters a mount of the machine's root.
    private var objection: TrustError?
    /// Warnings about permissions that are accepted.
    private(set) var warnings: [String] = []

    /// The most links in one walk, as in the kernel (MAXSYMLINKS of linux/namei.h).
    private static let linkLimit = 40

    /// Starts at a root, which is checked as well.
    init(root: Root, rule: TrustRule?, links: LinkRule? = nil) throws(TrustError) {
        self.root = root
        self.rule = rule
        self.links = links
        if links != nil || rule?.acceptsAnyRoot == false {
            let status = try TrustError.lifting { () throws(SystemError) in
                try FileDescriptor.status(
                    of: root.isSystem ? "/" : ".", in: root.anchor, followingLinks: false, shown: root.display("/"))
            }
            self.links?.enter(status)
            try check(status, "/")
        }
    }

    /// The path of the directory that the walk has reached, beneath the root and without any link in it.
    var path: String { current?.path ?? "" }

    /// The directory that the walk has reached, held open.
    func directory() throws(TrustError) -> DirectoryHandle {
        if let current { return current }
        return try TrustError.lifting { () throws(SystemError) in
            DirectoryHandle(
                owning: try FileDescriptor.open(
                    root.isSystem ? "/" : ".", in: root.anchor, flags: OpenMode.lookup.flags | O_DIRECTORY,
                    shown: root.display("/")),
                path: "")
        }
    }

    /// Walks up to the last name of a path, or into it if the path ends in a slash.
    ///
    /// - Returns: the last name, which is in `directory()` and no link unless `followingLast` is false or the rule for
    ///   links ends the walk there; `nil` if the path ends in `directory()` itself.
    /// - Throws: ENOENT only if a name before the last one is missing.
    mutating func advance(along path: String, followingLast: Bool) throws(TrustError) -> String? {
        do throws(TrustError) {
            let name = try walk(along: path, followingLast: followingLast)
            guard let objection else { return name }
            throw objection
        } catch {
            // What a directory lacks that anybody could have made says nothing.
            throw error.isMissing ? objection ?? error : error
        }
    }

    /// Walks as ``advance(along:followingLast:)`` does, whether or not it ends where trust has begun.
    private mutating func walk(along path: String, followingLast: Bool) throws(TrustError) -> String? {
        push(path)
        // A slash at the end means the directory, also behind a link.
        let entersLast = path.utf8.last == UInt8(ascii: "/") || path.utf8.suffix(2).elementsEqual("/.".utf8)
        while let name = pending.popLast() {
            if name == ".." {
                try leave()
                continue
            }
            if try enter(name, isLast: pending.isEmpty && !entersLast, followingLast: followingLast) { return name }
        }
        return nil
    }

    /// Steps back to the directory above, by the names that led to it: if a directory was moved meanwhile, the kernel's
    /// own `..` would lead elsewhere.
    ///
    /// - Throws: ESTALE if the names do not lead there any more.
    private mutating func leave() throws(TrustError) {
        let names = entered.dropLast()
        returnToRoot()
        for name in names {
            guard try enterDirectory(name) else { throw .system(Root.changed(root.display("\(path)/\(name)"))) }
        }
    }

    /// Returns to the root, which needs no descriptor.
    private mutating func returnToRoot() {
        current = nil
        entered = []
        objection = nil
    }

    /// Opens a name of the directory that the walk has reached.
    private func open(_ name: String, flags: Int32, shown: @autoclosure () -> String) throws(SystemError)
        -> FileDescriptor
    {
        if let current { return try FileDescriptor.open(name, in: current.raw, flags: flags, shown: shown()) }
        return try FileDescriptor.open(
            root.isSystem ? "/" + name : name, in: root.anchor, flags: flags, shown: shown())
    }

    /// Steps into a directory or follows a link.
    ///
    /// - Returns: whether the walk ends before this name, which is the last one and no link to follow, or missing.
    /// - Throws: errors of the kernel, ELOOP beyond the limit of links, or that the directory or link is not trusted.
    private mutating func enter(_ name: String, isLast: Bool, followingLast: Bool) throws(TrustError) -> Bool {
        if !isLast, try enterDirectory(name) { return false }
        let path = "\(self.path)/\(name)"
        let shown = root.display(path)
        let link: (status: FileStatus, target: String)?
        do {
            link = try isLink(name, shown: shown) ? readLink(name, shown: shown) : nil
        } catch {
            // The caller decides what a missing last name means.
            if isLast, error.code == ENOENT { return true }
            throw .system(error)
        }
        guard let link, !isLast || followingLast else {
            if isLast { return true }
            throw .system(SystemError(operation: "open", path: shown, code: ENOTDIR))
        }
        // The last name is the caller's to judge: an open file of this process, or a link that stays where it is.
        if isLast, let current, links?.isDescriptors(current) == true { return true }
        if let reason = links?.objection(to: link.status) {
            if isLast { return true }
            throw .untrusted(path: shown, reason: reason)
        }
        try check(link.status, path)
        followed += 1
        guard followed <= PathWalk.linkLimit, !link.target.isEmpty else {
            throw .system(SystemError(operation: "open", path: shown, code: link.target.isEmpty ? ENOENT : ELOOP))
        }
        if link.target.utf8.first == UInt8(ascii: "/") { returnToRoot() }
        push(link.target)
        return false
    }

    /// Steps into a directory.
    ///
    /// - Returns: false if it is not a directory: it is a link, or a file of another kind.
    /// - Throws: errors of the kernel, or that the directory is not trusted.
    private mutating func enterDirectory(_ name: String) throws(TrustError) -> Bool {
        let path = "\(self.path)/\(name)"
        let next: DirectoryHandle
        do {
            // O_DIRECTORY triggers automounts.
            let flags = OpenMode.lookup.flags | O_DIRECTORY | O_NOFOLLOW
            next = DirectoryHandle(owning: try open(name, flags: flags, shown: root.display(path)), path: path)
        } catch {
            if error.code == ENOTDIR { return false }
            throw .system(error)
        }
        if rule != nil || links != nil {
            let status = try TrustError.lifting { () throws(SystemError) in
                try FileDescriptor.status(of: next.raw, shown: root.display(path))
            }
            links?.enter(status)
            do throws(TrustError) {
                try check(status, path)
                // Trust begins at a mount that the machine's root made for a sandbox.
                if objection != nil, isMadeByRoot(next) { objection = nil }
            } catch {
                guard rule?.beginsAtMount == true else { throw error }
                objection = objection ?? error
            }
        }
        // The directory before is closed unless another owner holds it.
        current = next
        entered.append(name)
        return true
    }

    /// Whether a directory is the mount point of a file system that cannot be written through it.
    private func isMadeByRoot(_ directory: DirectoryHandle) -> Bool {
        var status = statvfs()
        // The structure outlives the call, which fills it whole or fails.
        guard cplatform_is_mount(directory.raw) == 1, unsafe fstatvfs(directory.raw, &status) == 0 else { return false }
        return status.f_flag & UInt(ST_RDONLY) != 0
    }

    /// Whether a name is a link.
    private func isLink(_ name: String, shown: String) throws(SystemError) -> Bool {
        let (directory, place) = current.map { ($0.raw, name) } ?? (root.anchor, root.isSystem ? "/" + name : name)
        return try FileDescriptor.status(of: place, in: directory, followingLinks: false, shown: shown).kind == .link
    }

    /// Reads a link's target and status; `nil` for anything but a link.
    private func readLink(_ name: String, shown: String) throws(SystemError) -> (status: FileStatus, target: String)? {
        // The descriptor holds on to the link, so that both answers are about the same one.
        let node = try open(name, flags: OpenMode.lookup.flags | O_NOFOLLOW, shown: shown)
        let status = try node.status(shown: shown)
        guard status.kind == .link else { return nil }
        return (status, try FileDescriptor.linkTarget(of: "", in: node.raw, shown: shown))
    }

    /// Puts the names of a path ahead of those that still wait.
    private mutating func push(_ path: String) {
        let names = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }
        pending.append(contentsOf: names.reversed())
    }

    /// Holds a directory or link to the rule.
    private mutating func check(_ status: FileStatus, _ path: String) throws(TrustError) {
        guard let rule else { return }
        if let objection = rule.objection(to: status) {
            throw .untrusted(path: root.display(path), reason: objection)
        }
        if let warning = rule.warning(about: status, shown: root.display(path)), !warnings.contains(warning) {
            warnings.append(warning)
        }
    }
}

/// An open directory and its path beneath the root without any link in it, shared by all users of one walk.
final class DirectoryHandle: Sendable {
    /// The number that the kernel knows it by; `O_PATH` is enough.
    let raw: Int32
    /// The real path beneath the root: empty for the root itself, else with a slash at its beginning.
    let path: String

    /// Takes ownership of an open directory.
    init(owning descriptor: consuming FileDescriptor, path: String) {
        raw = descriptor.release()
        self.path = path
    }

    deinit {
        _ = close(raw)
    }
}
