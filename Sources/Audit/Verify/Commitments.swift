/// What a log has to hold: the checkpoint, and every one before it.
struct Commitments {
    /// The checkpoint and the newest entry of the history, in the order of their sizes.
    let newest: [CheckpointHistory.Entry]
    /// All of them, in the order of their sizes.
    let all: [CheckpointHistory.Entry]
    /// The checkpoint.
    let checkpoint: CheckpointHistory.Entry

    /// Joins the checkpoint with the history.
    init(checkpoint: Checkpoint, history: HistoryReading) {
        let entry = CheckpointHistory.Entry(size: checkpoint.size, root: checkpoint.root)
        self.checkpoint = entry
        newest = ([entry] + (history.entries.last.map { [$0] } ?? [])).sorted { $0.size < $1.size }
        all = (history.entries + [entry]).sorted { $0.size < $1.size }
    }

    /// How many records there must be.
    var required: Int { newest.last?.size ?? 0 }
}
