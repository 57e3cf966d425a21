package import MDAuditLog
package import MDPlatform

/// Reads the lines of all files of a log in their order, also while a writer ends a segment.
package enum LogLines {
    /// Passes on each line with its number in its file, and the path of that file.
    ///
    /// What a writer adds meanwhile may be left out, but nothing before it.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - files: the files of the log.
    ///   - body: gets each line.
    ///   - torn: gets the number of a line that does not end.
    /// - Throws: if a file cannot be opened or read.
    package static func forEach(
        root: Root, files: LogFiles, _ body: (LogLine, Int, String) -> Void, torn: (Int, String) -> Void
    ) throws(SystemError) {
        var read: Set<Int> = []
        /// Reads the segments that were not read yet, but for one that is also open as the log.
        func readSegments(except open: FileStatus?) throws(SystemError) {
            for part in try LogParts(root: root, files: files).segments where !read.contains(part.first) {
                let file = try LogFiles.ifPresent { () throws(SystemError) in
                    try ReadFile(root: root, path: part.path)
                }
                // One that was just deleted is not missed.
                guard let file else { continue }
                if let open, try file.status().isSameFile(as: open) { continue }
                read.insert(part.first)
                try readAll(file, part.path, body, torn)
            }
        }
        try readSegments(except: nil)
        let log = try LogFiles.ifPresent { () throws(SystemError) in try ReadFile(root: root, path: files.log) }
        guard let log else { return }
        // A segment that ended before the log was opened is not in it.
        try readSegments(except: try log.status())
        try readAll(log, files.log, body, torn)
    }

    /// Reads one file.
    private static func readAll(
        _ file: borrowing ReadFile, _ path: String, _ body: (LogLine, Int, String) -> Void,
        _ torn: (Int, String) -> Void
    ) throws(SystemError) {
        var number = 0
        let end = try file.forEachLine { line in
            number += 1
            body(line, number, path)
        }
        if end.torn > 0 { torn(number + 1, path) }
    }
}
