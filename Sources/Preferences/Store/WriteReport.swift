import PropertyList

/// What a write did, besides what was asked for.
struct WriteReport {
    /// What others changed since the memory that the write began with; `nil` where they removed a key.
    var foreign: [Key: Value?]
    /// The files that were damaged and were set aside.
    var damaged: [DamagedFile] = []
    /// Whether a file was written.
    var isWritten = false

    /// Adds what others changed; most writes find nothing.
    mutating func take(_ refreshed: Refreshed, _ values: [Key: Value]) {
        let changes = refreshed.foreign(in: values)
        guard !foreign.isEmpty else {
            foreign = changes
            return
        }
        for (key, value) in changes { foreign[key] = value }
    }
}
