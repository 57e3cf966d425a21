package import MDPlatform

/// The tamper-evident log of a root: `/var/log/managed-defaults/current.jsonl` and the files beside it.
///
/// Each call opens, locks and closes the files. Any number of processes may append.
///
/// The writer is part of the client because programs that root runs write the log themselves; checking and queries are
/// in MDAudit.
package struct AuditLog: Sendable {
    /// The path of the log under its root.
    package static let path = LogFiles.current.log

    /// The root that the log belongs to.
    package let root: Root

    /// Makes a value for the log of a root; no file is opened or created yet.
    package init(root: Root) {
        self.root = root
    }

    /// Stores records, durably, and commits to them with a new checkpoint.
    ///
    /// Fills in `seq`, and `time`, `boot`, `mono` and `host` if they are missing. If the log is shorter than its
    /// checkpoint, or does not match it, it is set aside and a new one is begun, with a `recover` record and an alarm. If
    /// a crash tore the last line, that line is cut away, with a `recover` record.
    ///
    /// Complexity: O(log n) in the records of the log; after a crash, O(n).
    ///
    /// - Parameters:
    ///   - records: the records, in their order.
    ///   - seconds: the longest wait for another writer.
    /// - Returns: the places of the records, and an alarm for people if the log had to be set aside.
    /// - Throws: `busy` after that wait; `system` if a file cannot be read or written. Nothing is stored then.
    @discardableResult
    package func append(_ records: [AuditRecord], waiting seconds: Double = 5) throws(AuditError) -> AppendResult {
        do throws(SystemError) {
            try makeDirectory()
            // A key of pseudonyms that is made has its own owner, so it is made before this thread takes on another.
            _ = Pseudonyms.current(of: root)
            // The folder belongs to the audit service, if there is one.
            let owner = try root.status(LogFiles.directory, followingLinks: true).owner
            return try CurrentThread.usingFiles(as: owner) { () throws(SystemError) in
                let lock = try root.lock(LogFiles.lock, mode: 0o600, seconds: seconds)
                defer { withExtendedLifetime(lock) {} }
                var writer = try LogWriter.open(root: root)
                let result = try writer.append(records)
                writer.commit()
                return AppendResult(sequences: result.sequences, alarm: writer.alarm)
            }
        } catch {
            throw error.isTimeout ? .busy(path: root.display(AuditLog.path)) : .system(error)
        }
    }

    /// Creates the directory of the log; under the system's root, members of the group adm may read in it.
    func makeDirectory() throws(SystemError) {
        do throws(SystemError) {
            let status = try root.status(LogFiles.directory, followingLinks: true)
            if status.kind == .directory { return }
        } catch {
            guard error.isMissing else { throw error }
        }
        let above = LogFiles.directory.split(separator: "/").dropLast().joined(separator: "/")
        try root.createDirectory("/" + above, mode: 0o755)
        guard root.isSystem, let group = AccountDatabase(root: root).groupID(named: "adm") else {
            return try root.createDirectory(LogFiles.directory, mode: 0o750)
        }
        // The set-group-ID bit gives every file that is created in the directory the same group.
        try root.createDirectory(LogFiles.directory, mode: 0o2750)
        try root.changeOwner(ofDirectory: LogFiles.directory, user: root.owner, group: group)
    }
}

/// The result of appending records to the log.
package struct AppendResult: Hashable, Sendable {
    /// The places of the records in the log, in their order; `nil` if there were none.
    package let sequences: ClosedRange<Int>?
    /// A sentence for people if something was wrong with the log; `nil` in the usual case.
    package let alarm: String?

    /// Makes a result.
    package init(sequences: ClosedRange<Int>?, alarm: String?) {
        self.sequences = sequences
        self.alarm = alarm
    }
}

/// The paths of a log and of the files beside it.
package struct LogFiles: Hashable, Sendable {
    /// The directory of the log, under the root.
    static let directory = "/var/log/managed-defaults"
    /// The files of the log that is written now.
    package static let current = LogFiles(log: "\(directory)/current.jsonl")
    /// The file to lock while the log is written; only its owner can open it.
    static let lock = "\(directory)/lock"

    /// The names of the files that each writer replaces.
    static let replaced = ["checkpoint", "state"]

    /// The records.
    package let log: String
    /// The newest checkpoint.
    package let checkpoint: String
    /// All checkpoints, one a line.
    package let history: String
    /// The cache that makes appending cheap.
    let state: String

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
    }

    /// The files of a log that was set aside under this id.
    static func aside(_ id: String) -> LogFiles {
        LogFiles(log: "\(directory)/current-\(id).jsonl")
    }

    /// The result of reading a file; `nil` if there is no such file.
    package static func ifPresent<Result>(_ read: () throws(SystemError) -> Result) throws(SystemError) -> Result? {
        do {
            return try read()
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// Whether a name in the directory is part of a log that was set aside.
    static func isAside(_ name: String) -> Bool {
        name.hasPrefix("current-") || name.hasPrefix("checkpoint-") || name.hasPrefix("checkpoints-")
    }
}
