package import MDPlatform

/// The paths of a log and of the files beside it.
package struct LogFiles: Hashable, Sendable {
    /// The directory of the log, under the root.
    static let directory = "/var/log/managed-defaults"
    /// The files of the log that is written now.
    package static let current = LogFiles(log: "\(directory)/current.jsonl")
    /// The file to lock while the log is written; only its owner can open it.
    static let lock = "\(directory)/lock"

    /// The names of the files that each writer replaces.
    static let replaced = ["checkpoint", "checkpoints", "state", "roots", "key", "shares", "machine"]
    /// The beginning of the next segment, until it takes the place of the full one.
    static let next = "\(directory)/next.jsonl"

    /// The records.
    package let log: String
    /// The newest checkpoint.
    package let checkpoint: String
    /// All checkpoints, one a line.
    package let history: String
    /// The cache that makes appending cheap.
    let state: String
    /// The key of the next checkpoint's signature; only its owner can read it.
    package let key: String
    /// What is known of the machine that the log belongs to.
    let machine: String
    /// The roots of all segments, also of those whose records were deleted.
    package let roots: String
    /// The folder of the full segments.
    package let segments: String

    /// Derives the paths from that of the log: `current-ID.jsonl` has `checkpoint-ID` beside it, any other `checkpoint`.
    package init(log path: String) {
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
        key = "\(folder)key\(suffix)"
        machine = "\(folder)machine\(suffix)"
        roots = "\(folder)roots\(suffix)"
        segments = "\(folder)segments\(suffix)"
    }

    /// The file of a full segment.
    package func segment(_ first: Int) -> String { "\(segments)/\(LogFiles.name(ofSegment: first)).jsonl" }

    /// The checkpoints that were made while a segment was filled, one a line.
    package func history(ofSegment first: Int) -> String {
        "\(segments)/\(LogFiles.name(ofSegment: first)).checkpoints"
    }

    /// The beginning of the names of the files of a segment: the number of its first record in 16 digits.
    package static func name(ofSegment first: Int) -> String {
        let digits = String(first)
        return String(repeating: "0", count: max(16 - digits.utf8.count, 0)) + digits
    }

    /// The number of the first record of the segment that a file holds; `nil` for any other name.
    package static func firstRecord(ofFile name: String) -> Int? {
        guard name.hasSuffix(".jsonl") else { return nil }
        let digits = name.dropLast(".jsonl".count)
        guard digits.utf8.count == 16, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let first = Int(digits),
            first > 0
        else { return nil }
        return first
    }

    /// The files of a log that was set aside under this id.
    package static func aside(_ id: String) -> LogFiles {
        LogFiles(log: "\(directory)/current-\(id).jsonl")
    }

    /// The result of reading a file; `nil` if there is no such file.
    package static func ifPresent<Result: ~Copyable>(
        _ read: () throws(SystemError) -> Result
    ) throws(SystemError) -> Result? {
        do {
            return try read()
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// Whether a name in the directory is part of a log that was set aside.
    static func isAside(_ name: String) -> Bool {
        ["current-", "checkpoint-", "checkpoints-", "roots-", "segments-", "key-", "machine-"].contains {
            name.hasPrefix($0)
        }
    }
}
