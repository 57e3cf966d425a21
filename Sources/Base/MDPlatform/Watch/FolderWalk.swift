import Glibc
import MDCPlatform

/// Walks to a folder name by name and watches every directory on the way, so that every change of where the path leads
/// is noticed.
///
/// A directory is watched first and its name checked again afterwards, so that no change between the two is missed.
/// Names and links have the same meaning as for ``PathWalk``.
struct FolderWalk {
    /// The result of a walk.
    struct Outcome {
        /// The kernel's watch of the folder; `nil` if the folder is missing or cannot be watched.
        var folder: Int32?
        /// Whether changes may go unnoticed, so that the folder has to be compared.
        var needsPolling = false
    }

    /// The root of the path.
    private let root: Root
    /// The watches to add to.
    private let kernel: InotifyWatches
    /// The folder for whose sake directories are watched.
    private let user: Int
    /// The directories from the root down to the one that the walk has reached, with the kernel's watch of each; never
    /// empty.
    private var stack: [(directory: DirectoryHandle, watch: Int32?)]
    /// The names that lie ahead, the next one last.
    private var pending: [String] = []
    /// How many links were followed.
    private var links = 0
    /// The watches that the folder needs.
    private var needed: [Int32: (interest: WatchInterest, directory: DirectoryHandle)] = [:]
    /// The result so far.
    private var outcome = Outcome()

    /// The most links in one walk, as in the kernel (MAXSYMLINKS of linux/namei.h).
    private static let linkLimit = 40
    /// How often a name is tried again that other processes change meanwhile.
    private static let patience = 100

    /// Walks to a folder and watches it.
    ///
    /// - Parameters:
    ///   - path: the folder, which need not exist.
    ///   - root: the root of the path.
    ///   - user: the number of the folder.
    ///   - kernel: the watches.
    /// - Returns: the result.
    static func watch(_ path: String, root: Root, user: Int, kernel: InotifyWatches) -> Outcome {
        guard
            let start = try? FileDescriptor.open(
                root.isSystem ? "/" : ".", in: root.anchor, flags: OpenMode.lookup.flags | O_DIRECTORY, shown: path)
        else { return Outcome(needsPolling: true) }
        var walk = FolderWalk(root: root, kernel: kernel, user: user, start: DirectoryHandle(owning: start, path: ""))
        walk.push(path)
        walk.run()
        if cplatform_is_remote(walk.stack[walk.stack.count - 1].directory.raw) == 1 { walk.outcome.needsPolling = true }
        kernel.use(walk.needed, for: user)
        return walk.outcome
    }

    /// Starts at the root.
    private init(root: Root, kernel: InotifyWatches, user: Int, start: DirectoryHandle) {
        self.root = root
        self.kernel = kernel
        self.user = user
        stack = [(start, nil)]
    }

    /// Walks until the folder, or what is missing on the way to it.
    private mutating func run() {
        stack[0].watch = watch(stack[0].directory, pending.isEmpty ? .content : .itself)
        outcome.folder = pending.isEmpty ? stack[0].watch : nil
        if pending.isEmpty, outcome.folder == nil { outcome.needsPolling = true }
        while let name = pending.popLast() {
            if name == ".." {
                if stack.count > 1 { stack.removeLast() }
                // A path that ends here names this directory.
                if pending.isEmpty { finish(watch(stack[stack.count - 1].directory, .content)) }
                continue
            }
            var tries = 0
            var step = enter(name)
            while step == .again, tries < FolderWalk.patience {
                tries += 1
                step = enter(name)
            }
            if step == .again { outcome.needsPolling = true }
            if step != .onward { return }
        }
    }

    /// How the walk continues after a step.
    private enum Step {
        /// The next name.
        case onward
        /// Nothing: the name is missing, or cannot be entered.
        case end
        /// The same name: it changed meanwhile.
        case again
    }

    /// Steps into a directory or follows a link.
    private mutating func enter(_ name: String) -> Step {
        let parent = stack[stack.count - 1]
        do {
            let flags = OpenMode.lookup.flags | O_DIRECTORY | O_NOFOLLOW
            let child = DirectoryHandle(
                owning: try FileDescriptor.open(name, in: parent.directory.raw, flags: flags, shown: name),
                path: "\(parent.directory.path)/\(name)")
            return enter(child, name)
        } catch {
            switch error.code {
            case ENOENT: return waitFor(name)
            case ENOTDIR, ELOOP: return follow(name)
            // A later change of the mode would cause an event, if the directory is watched.
            case EACCES: outcome.needsPolling = outcome.needsPolling || parent.watch == nil
            default: outcome.needsPolling = true
            }
            return .end
        }
    }

    /// Makes a directory the current one, once it is watched.
    private mutating func enter(_ child: DirectoryHandle, _ name: String) -> Step {
        let isLast = pending.isEmpty
        let watch = watch(child, isLast ? .content : .itself)
        // A directory that cannot be watched is watched by its name in its parent.
        let isNamed = self.watch(parent: watch == nil ? .entry(name) : .removal(of: name))
        if watch == nil, !isNamed { outcome.needsPolling = true }
        let parent = stack[stack.count - 1].directory.raw
        guard let now = try? FileDescriptor.status(of: name, in: parent, followingLinks: false, shown: name),
            let status = try? FileDescriptor.status(of: child.raw, shown: name), now.isSameFile(as: status)
        else { return .again }
        stack.append((child, watch))
        if isLast { finish(watch) }
        return .onward
    }

    /// Watches for the appearance of a missing name.
    private mutating func waitFor(_ name: String) -> Step {
        if !watch(parent: .entry(name)) { outcome.needsPolling = true }
        let parent = stack[stack.count - 1].directory.raw
        do {
            _ = try FileDescriptor.status(of: name, in: parent, followingLinks: false, shown: name)
            return .again
        } catch {
            return .end
        }
    }

    /// Follows a link and watches its name; ends at anything else that is not a directory.
    private mutating func follow(_ name: String) -> Step {
        if !watch(parent: .entry(name)) { outcome.needsPolling = true }
        let parent = stack[stack.count - 1].directory.raw
        guard let status = try? FileDescriptor.status(of: name, in: parent, followingLinks: false, shown: name),
            status.kind != .directory
        else { return .again }
        guard status.kind == .link else {
            if pending.isEmpty { return end(atFile: name, status) }
            return .end
        }
        guard let target = try? FileDescriptor.linkTarget(of: name, in: parent, shown: name) else { return .again }
        links += 1
        if links > FolderWalk.linkLimit || target.isEmpty { return .end }
        if target.utf8.first == UInt8(ascii: "/") { stack.removeLast(stack.count - 1) }
        push(target)
        // A link to the root, or to `.`, ends at the current directory.
        if pending.isEmpty { finish(watch(stack[stack.count - 1].directory, .content)) }
        return .onward
    }

    /// Watches a file at the folder's path; it may have been replaced before the watch began.
    private mutating func end(atFile name: String, _ status: FileStatus) -> Step {
        if !watch(parent: .file(name)) { outcome.needsPolling = true }
        let now = try? FileDescriptor.status(
            of: name, in: stack[stack.count - 1].directory.raw, followingLinks: false, shown: name)
        return now.map { $0.isSameFile(as: status) } ?? false ? .end : .again
    }

    /// Records that the walk has reached the folder.
    private mutating func finish(_ watch: Int32?) {
        outcome.folder = watch
        if watch == nil { outcome.needsPolling = true }
    }

    /// Watches the current directory for an interest; whether that works.
    private mutating func watch(parent interest: WatchInterest) -> Bool {
        let last = stack.count - 1
        let watch = watch(stack[last].directory, interest)
        if stack[last].watch == nil { stack[last].watch = watch }
        return watch != nil
    }

    /// Watches a directory.
    ///
    /// - Returns: the kernel's watch; `nil` if it refuses.
    private mutating func watch(_ directory: DirectoryHandle, _ interest: WatchInterest) -> Int32? {
        do {
            let watch = try kernel.add(directory, interest, for: user)
            needed[watch, default: (.itself, directory)].interest.merge(interest)
            return watch
        } catch {
            // A directory that may not be read is watched by its name in its parent; without quota that fails too.
            if error.code != EACCES { outcome.needsPolling = true }
            return nil
        }
    }

    /// Puts the names of a path ahead of those that still wait.
    private mutating func push(_ path: String) {
        let names = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }
        pending.append(contentsOf: names.reversed())
    }
}
