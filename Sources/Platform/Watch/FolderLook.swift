/// What a folder, or a file, looks like, to be compared with what it looked like before.
struct FolderLook: Equatable {
    /// What is seen of the folder and what its names lead to.
    private struct Sight: Equatable {
        /// The status of the folder.
        var folder: FileStatus
        /// The names and what they lead to; `nil` for what cannot be examined.
        var entries: [[UInt8]: FileStatus?]
    }

    /// What is seen; `nil` where there is no such folder or it may not be looked at.
    private var sight: Sight?
    /// Whether something changed so shortly before that a further change could leave the same times.
    private(set) var isFresh = false

    /// Looks at a folder; links in it are followed, so that a file's content counts wherever it is.
    ///
    /// - Throws: where this process has no means to look: descriptors, memory, a file system that fails.
    init(_ path: String, root: Root) throws(SystemError) {
        do {
            let directory = try root.open(path, .directory)
            let raw = directory.raw
            var sight = Sight(folder: try directory.status(shown: path), entries: [:])
            for name in try FileDescriptor.names(in: raw, shown: path) {
                let status =
                    (try? FileDescriptor.status(of: name, in: raw, followingLinks: true, shown: name))
                    ?? (try? FileDescriptor.status(of: name, in: raw, followingLinks: false, shown: name))
                sight.entries[Array(name.utf8)] = .some(status)
            }
            let newest = sight.entries.values.reduce(sight.folder.changed) { max($0, $1?.changed ?? .min) }
            isFresh = FolderLook.isFresh(newest)
            self.sight = sight
        } catch {
            guard error.isMissing || error.isPermission || error.isLoop else { throw error }
            // A file may be watched as a folder is.
            if let file = try? root.status(path, followingLinks: true) {
                sight = Sight(folder: file, entries: [:])
                isFresh = FolderLook.isFresh(file.changed)
            }
        }
    }

    /// Whether a time of change, in nanoseconds, is so near that a further change could leave the same.
    private static func isFresh(_ changed: Int64) -> Bool {
        let now = Clock.now().microseconds
        // The kernel's clock of files ticks every 10 ms at least.
        return changed / 1_000 > now - 20_000 && changed / 1_000 <= now
    }

    /// Whether a folder may have changed from one look to a later one.
    func mayDiffer(from later: FolderLook) -> Bool {
        isFresh || sight != later.sight
    }
}
