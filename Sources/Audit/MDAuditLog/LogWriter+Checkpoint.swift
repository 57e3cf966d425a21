import MDPlatform

/// Committing to the records.
extension LogWriter {
    /// Writes the checkpoint of the records on disk.
    ///
    /// A failure is an alarm and no error: the records are stored, and the next writer's checkpoint covers them.
    ///
    /// - Parameter isOwnFolder: whether the files beside the log are known to be this log's. If not, it is looked at
    ///   before each step, because the key, the history and the checkpoint of another log must not be overwritten.
    mutating func commit(isOwnFolder: Bool = false) {
        guard isCheckpointDue, !isMirror else { return }
        do throws(SystemError) {
            if !isOwnFolder { try requirePlace() }
            let checkpoint = try LogWriter.sign(Checkpoint(origin: origin, tree: tree.tree), root: root)
            if !isOwnFolder { try requirePlace() }
            try LogWriter.appendHistory(root: root, checkpoint)
            if !isOwnFolder { try requirePlace() }
            try LogWriter.replaceCheckpoint(root: root, checkpoint)
        } catch {
            alarm = alarm ?? "The records are stored, but the log's checkpoint was not renewed: \(error)."
            return
        }
        isCheckpointDue = false
        // Without this cache the next writer reads the records after all segments, and finds what others changed.
        guard let status = try? file.status(), status.size == size else { return }
        let state = LogState(tree: tree.tree, inSegments: segments.records, status: status).text
        try? root.replace(LogFiles.current.state, with: Array(state.utf8), mode: 0o600, durable: false)
    }

    /// Makes a checkpoint even if there are no new records: after its key was replaced.
    mutating func commitAnew() -> Bool {
        isCheckpointDue = true
        commit()
        return !isCheckpointDue
    }

    /// Writes the checkpoint of the records on disk if the checkpoint there is one of this log.
    ///
    /// For a writer whose files may have been exchanged: the next one then finds that records are missing.
    mutating func commitIfOwn() {
        let text = try? root.read(LogFiles.current.checkpoint, limit: Checkpoint.longestText).bytes
        if let text, Checkpoint(text: text)?.origin == origin { commit(isOwnFolder: true) }
    }

    /// Throws an error if the name of the log leads to another file, or to none.
    private borrowing func requirePlace() throws(SystemError) {
        guard isElsewhere else { return }
        throw SystemError(
            operation: "write", path: root.display(LogFiles.current.checkpoint), code: 116,
            reason: "another log is in its place")
    }

    /// Whether the name of the log leads to another file, or to none.
    var isElsewhere: Bool {
        guard let open = try? file.status(),
            let named = try? root.status(LogFiles.current.log, followingLinks: false)
        else { return true }
        return !named.isSameFile(as: open)
    }

    /// Signs a checkpoint, and replaces the key by the next one.
    ///
    /// The key is erased before its signature is seen; a crash in between leaves a number unused.
    static func sign(_ checkpoint: Checkpoint, root: Root) throws(SystemError) -> Checkpoint {
        let path = LogFiles.current.key
        let key =
            try CheckpointKey.read(root, path)
            ?? CheckpointKey(first: CheckpointKey.randomBytes(), origin: checkpoint.origin)
        guard let key else { return checkpoint }
        // The next writer of the checkpoint syncs the directory.
        try root.replace(path, with: Array(key.next.text.utf8), mode: 0o600, syncsDirectory: false)
        var signed = checkpoint
        signed.signatures = [key.signature(of: checkpoint)]
        return signed
    }

    /// The sentence about a key that is gone; `nil` if the key is there, or the log never had one.
    static func noteOfLostKey(root: Root, _ checkpoint: Checkpoint) throws(SystemError) -> String? {
        guard checkpoint.signatures.contains(where: { CheckpointKey.isOwn($0, of: checkpoint) }),
            try CheckpointKey.read(root, LogFiles.current.key) == nil
        else { return nil }
        return
            "The key of the checkpoints was damaged or missing, and another one was begun, whose first key nobody has."
    }

    /// Adds the checkpoint to the history, after cutting off a torn line.
    static func appendHistory(root: Root, _ checkpoint: Checkpoint) throws(SystemError) {
        let history = try AppendFile.open(root: root, path: LogFiles.current.history, mode: LogWriter.mode)
        let size = try history.size()
        let known = try CheckpointHistoryEnds(size: size) { offset, count throws(SystemError) in
            try history.read(offset: offset, count: count)
        }
        if known.wholeSize < size { try history.truncate(to: known.wholeSize) }
        var text = known.wholeSize == 0 ? "\(checkpoint.origin)\n" : ""
        text += CheckpointEntry(size: checkpoint.size, root: checkpoint.root).line
        try history.append(Array(text.utf8))
    }

    /// Replaces the checkpoint.
    ///
    /// The time of the file is part of the time floor: if it lies in the future it is retained, or else the first record
    /// under a clock that was set back would make that clock right.
    static func replaceCheckpoint(root: Root, _ checkpoint: Checkpoint) throws(SystemError) {
        let path = LogFiles.current.checkpoint
        let times = (try? root.status(path, followingLinks: false)).map { [$0.changed, $0.modified] } ?? []
        let newest = Timestamp(microseconds: (times.max() ?? 0) / 1_000)
        try root.replace(
            path, with: Array(checkpoint.text.utf8), mode: mode, modified: Clock.now() < newest ? newest : nil)
    }
}
