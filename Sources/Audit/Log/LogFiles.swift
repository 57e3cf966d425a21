/// The paths of a log and of what stands beside it.
struct LogFiles: Hashable, Sendable {
    /// The directory of the log, under the root.
    static let directory = "/var/log/managed-defaults"
    /// The log that is written to.
    static let current = LogFiles(log: "\(directory)/current.jsonl")
    /// The file that is locked while the log is written; only its owner can open it.
    static let lock = "\(directory)/lock"

    /// The names of the files that each writer replaces.
    static let replaced = ["checkpoint", "state"]

    /// The records.
    let log: String
    /// What the log has committed to.
    let checkpoint: String
    /// Every checkpoint that was made, one a line.
    let history: String
    /// The cache that makes appending cheap.
    let state: String

    /// Finds the files that belong to a log: `current-ID.jsonl` has `checkpoint-ID` beside it, any other `checkpoint`.
    init(log path: String) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let folder = String(path.dropLast(name.count))
        var suffix = ""
        if name.hasPrefix("current-"), name.hasSuffix(".jsonl") {
            suffix = "-" + name.dropFirst("current-".count).dropLast(".jsonl".count)
        }
        log = path
        checkpoint = "\(folder)checkpoint\(suffix)"
        history = "\(folder)checkpoints\(suffix)"
        state = "\(folder)state\(suffix)"
    }

    /// The files of a log that was set aside under this id.
    static func aside(_ id: String) -> LogFiles {
        LogFiles(log: "\(directory)/current-\(id).jsonl")
    }

    /// Whether a name in the directory is part of a log that was set aside.
    static func isAside(_ name: String) -> Bool {
        name.hasPrefix("current-") || name.hasPrefix("checkpoint-") || name.hasPrefix("checkpoints-")
    }
}
