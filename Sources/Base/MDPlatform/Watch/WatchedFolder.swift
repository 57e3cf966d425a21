/// The current state of a folder of a subscription.
struct WatchedFolder {
    /// The subscription.
    let subscription: WatchSubscription
    /// Which of the folders it is.
    let index: Int
    /// The kernel's watch of the folder; `nil` if it is missing or not watched.
    private(set) var watch: Int32?
    /// Whether it is compared once a second.
    private(set) var isPolled = false
    /// The result of the last comparison.
    private var inspection: FolderInspection?

    /// Creates the state of a folder that `refresh` will watch.
    init(_ subscription: WatchSubscription, index: Int) {
        self.subscription = subscription
        self.index = index
    }

    /// The folder, as it was given.
    var path: String { subscription.folders[index] }

    /// Walks to the folder again, watches it, and compares it if it cannot be watched.
    ///
    /// - Returns: whether anything in it may have changed since the last time.
    mutating func refresh(_ user: Int, _ kernel: InotifyWatches?) -> Bool {
        let before = (watch: watch, isPolled: isPolled)
        let outcome =
            kernel.map { FolderWalk.watch(path, root: subscription.root, user: user, kernel: $0) }
            ?? FolderWalk.Outcome(needsPolling: true)
        watch = outcome.folder
        isPolled = outcome.needsPolling
        var mayDiffer = before.watch != watch || before.isPolled != isPolled
        guard isPolled else {
            inspection = nil
            return mayDiffer
        }
        // If descriptors or memory are lacking, the last inspection is compared as soon as they are available.
        if let now = try? FolderInspection(path, root: subscription.root) {
            mayDiffer = mayDiffer || inspection?.mayDiffer(from: now) ?? true
            inspection = now
        }
        return mayDiffer
    }
}

/// What one reading of a folder, or a file, found; two of them show whether it changed.
struct FolderInspection: Equatable {
    /// The status of the folder, and of the files that its names lead to.
    private struct Content: Equatable {
        /// The status of the folder.
        var folder: FileStatus
        /// The names and what they lead to; `nil` for what cannot be examined.
        var entries: [[UInt8]: FileStatus?]
    }

    /// What was found; `nil` if there is no such folder or it may not be read.
    private var content: Content?
    /// Whether something changed so shortly before that a further change could leave the same times.
    private(set) var isFresh = false

    /// Inspects a folder; links in it are followed, so that changes of their targets count.
    ///
    /// - Throws: an error if this process lacks descriptors or memory, or the file system fails.
    init(_ path: String, root: Root) throws(SystemError) {
        do {
            let directory = try root.open(path, .directory)
            let raw = directory.raw
            var content = Content(folder: try directory.status(shown: path), entries: [:])
            for name in try FileDescriptor.names(in: raw, shown: path) {
                let status =
                    (try? FileDescriptor.status(of: name, in: raw, followingLinks: true, shown: name))
                    ?? (try? FileDescriptor.status(of: name, in: raw, followingLinks: false, shown: name))
                content.entries[Array(name.utf8)] = .some(status)
            }
            let newest = content.entries.values.reduce(content.folder.changed) { max($0, $1?.changed ?? .min) }
            isFresh = FolderInspection.isFresh(newest)
            self.content = content
        } catch {
            guard error.isMissing || error.isPermission || error.isLoop else { throw error }
            // A file may be watched as a folder is.
            if let file = try? root.status(path, followingLinks: true) {
                content = Content(folder: file, entries: [:])
                isFresh = FolderInspection.isFresh(file.changed)
            }
        }
    }

    /// Whether a time of change, in nanoseconds, is so near that a further change could leave the same.
    private static func isFresh(_ changed: Int64) -> Bool {
        let now = Clock.now().microseconds
        // The kernel's clock of files ticks every 10 ms at least.
        return changed / 1_000 > now - 20_000 && changed / 1_000 <= now
    }

    /// Whether a folder may have changed between this inspection and a later one.
    func mayDiffer(from later: FolderInspection) -> Bool {
        isFresh || content != later.content
    }
}
