package import MDAuditLog
package import MDPlatform

/// The files of a log in the order of their records.
package struct LogParts: Sendable {
    /// A full segment.
    package struct Segment: Hashable, Sendable {
        /// The number of its first record.
        package let first: Int
        /// The file.
        package let path: String

        /// Makes a value.
        package init(first: Int, path: String) { (self.first, self.path) = (first, path) }
    }

    /// The segments whose records are there, in their order.
    package let segments: [Segment]

    /// Lists the segments of a log; none if there is no folder of them.
    package init(root: Root, files: LogFiles) throws(SystemError) {
        let names = try LogFiles.ifPresent { () throws(SystemError) in try root.names(in: files.segments) }
        segments = (names ?? []).compactMap { name in
            LogFiles.firstRecord(ofFile: name).map { Segment(first: $0, path: "\(files.segments)/\(name)") }
        }.sorted { $0.first < $1.first }
    }

    /// The segments before a file that is open as the log.
    ///
    /// A segment that ended after the log was opened is what was opened; what follows it came later.
    package func segments(before log: FileStatus?, in root: Root) -> [Segment] {
        guard let log else { return segments }
        return Array(
            segments.prefix { segment in
                (try? root.status(segment.path, followingLinks: true))?.isSameFile(as: log) != true
            })
    }

    /// Whether a log has any file with records.
    package static func exist(root: Root, files: LogFiles) throws(SystemError) -> Bool {
        let log = try LogFiles.ifPresent { () throws(SystemError) in
            try root.status(files.log, followingLinks: true)
        }
        if log != nil { return true }
        return try !LogParts(root: root, files: files).segments.isEmpty
    }
}
