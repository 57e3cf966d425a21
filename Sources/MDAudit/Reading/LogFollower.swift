package import MDAuditClient
package import MDPlatform

/// Reads what is added to the log, each line once, also after the file was renamed and another one begun.
package struct LogFollower {
    /// Something in the log.
    package enum Entry {
        /// A record.
        case record(AuditRecord)
        /// A line that is no record; the message has no full stop.
        case problem(line: Int, message: String)
        /// The file under the name of the log is another one now.
        case replaced
        /// The file was made shorter than what was read of it.
        case cut
    }

    /// An open file.
    private final class OpenLog {
        /// The file.
        let file: ReadFile
        /// Its identity.
        let status: FileStatus

        /// Opens the log.
        init(root: Root) throws(SystemError) {
            file = try ReadFile(root: root, path: AuditLog.path)
            status = try file.status()
        }
    }

    /// The size of the pieces in which the log is read.
    private static let chunkSize = 1 << 18

    /// The root that the log belongs to.
    private let root: Root
    /// The file that is read; `nil` if there was none yet.
    private var log: OpenLog?
    /// The number of bytes of the whole lines that were read of it.
    private var offset = 0
    /// The number of whole lines that were read of it.
    private var lines = 0

    /// Makes a reader at the beginning of the log; opens nothing.
    package init(root: Root) {
        self.root = root
    }

    /// Passes on what was added since the last call; at the first one, all of the newest file.
    ///
    /// - Throws: if the log exists and cannot be read.
    package mutating func advance(_ body: (Entry) -> Void) throws(SystemError) {
        while true {
            if log == nil {
                guard let opened = try open() else { return }
                (log, offset, lines) = (opened, 0, 0)
            }
            guard let log else { return }
            try read(log, body)
            guard
                let named = try LogFiles.ifPresent({ () throws(SystemError) in
                    try root.status(AuditLog.path, followingLinks: true)
                })
            else { return }
            if named.isSameFile(as: log.status) {
                try checkSize(of: log, body)
                return
            }
            // Lines may have been added between the end that was read and the new name; none is added after it.
            try read(log, body)
            body(.replaced)
            self.log = nil
        }
    }

    /// Opens the log, if it exists.
    private func open() throws(SystemError) -> OpenLog? {
        try LogFiles.ifPresent { () throws(SystemError) in try OpenLog(root: root) }
    }

    /// Reads the whole lines to the end of the file.
    ///
    /// The beginning of a line is read again next time: what a crash tore off may be cut away and written over until then.
    private mutating func read(_ log: OpenLog, _ body: (Entry) -> Void) throws(SystemError) {
        var splitter = LineSplitter()
        while true {
            let chunk = try log.file.read(offset: offset + splitter.pendingLength, count: LogFollower.chunkSize)
            if chunk.isEmpty { return }
            let before = splitter.pendingLength
            splitter.feed(chunk) { line in
                lines += 1
                body(LogFollower.entry(line, number: lines))
            }
            offset += before + chunk.count - splitter.pendingLength
        }
    }

    /// Goes on at the end of a file that is shorter than what was read of it.
    private mutating func checkSize(of log: OpenLog, _ body: (Entry) -> Void) throws(SystemError) {
        let size = try log.file.status().size
        guard size < offset else { return }
        offset = size
        body(.cut)
    }

    /// A line as a record, or why it is none.
    private static func entry(_ line: LogLine, number: Int) -> Entry {
        if line.isTooLong {
            return .problem(line: number, message: "the line has \(line.length) bytes, more than a record can have")
        }
        do throws(AuditError) {
            return .record(try AuditRecord(line: line.bytes))
        } catch {
            return .problem(line: number, message: error.description)
        }
    }
}
