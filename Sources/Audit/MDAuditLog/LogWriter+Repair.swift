import MDPlatform

/// What opening a log mends, and how a log that must not be continued is set aside.
extension LogWriter {
    /// Completes or takes back the end of a segment that was interrupted.
    static func settleNext(root: Root) throws(SystemError) {
        guard (try? root.status(LogFiles.next, followingLinks: false)) != nil else { return }
        if (try? root.status(LogFiles.current.log, followingLinks: false)) == nil {
            try root.rename(LogFiles.next, to: LogFiles.current.log, replacing: false)
            try root.syncDirectory(LogFiles.directory)
        } else {
            // The segment did not end, so nothing of the file was acknowledged.
            try root.remove(LogFiles.next)
        }
    }

    /// Renames a log that must not be continued, with the files beside it.
    ///
    /// - Returns: the alarm.
    static func setAside(root: Root, inspection: LogInspection, reason: String) throws(SystemError) -> String {
        let from = LogFiles.current
        let id = inspection.logID ?? "unknown-" + String(UInt64.random(in: .min ... .max), radix: 16)
        var aside = LogFiles.aside(id)
        var number = 1
        while isTaken(root, aside) {
            // Two logs with one id get different names; a crash between the renames below leaves names that are free here.
            number += 1
            aside = .aside("\(id)-\(number)")
        }
        try rename(root, from.log, aside.log)
        try rename(root, from.history, aside.history)
        try rename(root, from.roots, aside.roots)
        try rename(root, from.segments, aside.segments)
        // The key proves all checkpoints of the old log, and must not sign for the new one.
        try rename(root, from.key, aside.key)
        try rename(root, from.machine, aside.machine)
        // The checkpoint goes last, after a power cut too: as long as it exists, the next writer does not continue the log
        // either.
        try root.syncDirectory(LogFiles.directory)
        try rename(root, from.checkpoint, aside.checkpoint)
        try? root.remove(from.state)
        return "The audit log \(root.display(from.log)) was not continued, because \(reason). "
            + "It was set aside as \(root.display(aside.log)), and a new log was begun."
    }

    /// Whether a name of a log that was set aside is in use.
    private static func isTaken(_ root: Root, _ files: LogFiles) -> Bool {
        [files.log, files.history, files.checkpoint, files.roots, files.segments].contains { path in
            (try? root.status(path, followingLinks: false)) != nil
        }
    }

    /// Renames a file, if it exists.
    private static func rename(_ root: Root, _ from: String, _ to: String) throws(SystemError) {
        do {
            try root.rename(from, to: to, replacing: false)
        } catch {
            if !error.isMissing { throw error }
        }
    }

    /// The sentence about a log that is there in place of the one that this process wrote; `nil` if it continues that one.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - known: the log as this process wrote it.
    ///   - here: the log that is there.
    /// - Returns: the sentence.
    static func noteOfExchange(root: Root, _ known: Checkpoint, _ here: Checkpoint) -> String? {
        let isSame = known.origin == here.origin
        if isSame, here.size > known.size || known.isSameCommitment(as: here) { return nil }
        // Where its records were set aside, the record of that says so.
        let aside = try? root.status(LogFiles.aside(known.logID).log, followingLinks: false)
        if known.size == 0 || (!isSame && aside != nil) { return nil }
        return
            "The log was exchanged while it was in use: the log \(known.logID) had \(known.size) records, and in its "
            + "place is the log \(here.logID) with \(here.size)."
    }

    /// The sentence in the first record of a new log about logs that were set aside; `nil` if there are none.
    static func noteOfLogsSetAside(root: Root) throws(SystemError) -> String? {
        let names = try root.names(in: LogFiles.directory).filter(LogFiles.isAside)
        if names.isEmpty { return nil }
        return "This log was begun because an earlier one could not be continued: it was shorter than its checkpoint, "
            + "or not what its checkpoint says. Set aside: \(names.joined(separator: ", "))."
    }
}
