import MDAuditLog
package import MDAuditRecord
package import MDPlatform
package import MDPolicyCore
import MDTools

/// Reads what is added to the log, each line once, also after the file was renamed and another one begun.
package struct LogFollower {
    /// Something in the log.
    package enum Entry {
        /// A record.
        case record(AuditRecord)
        /// A line that is not a record; the message has no full stop.
        case problem(file: String, line: Int, message: String)
        /// The log is another one now, whose records are counted from 1 again.
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

        /// The path under the root.
        let path: String

        /// Opens a file.
        init(root: Root, path: String) throws(SystemError) {
            self.path = path
            file = try ReadFile(root: root, path: path)
            status = try file.status()
        }
    }

    /// The size of the pieces in which the log is read.
    private static let chunkSize = 1 << 18

    /// The root that the log belongs to.
    private let root: Root
    /// The keys whose values are hidden.
    private let secrets: ManifestSecrets
    /// The file that is read; `nil` if there was none yet.
    private var log: OpenLog?
    /// The number of the last record that was read, or of one before.
    private var last = 0
    /// The name of the log, if it has one.
    private var origin: String?
    /// Whether a file was opened.
    private var isBegun = false
    /// The number of bytes of the whole lines that were read of it.
    private var offset = 0
    /// The number of whole lines that were read of it.
    private var lines = 0

    /// Makes a reader at the beginning of the log; opens nothing.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - secrets: the keys whose values are hidden.
    package init(root: Root, hiding secrets: ManifestSecrets) {
        (self.root, self.secrets) = (root, secrets)
    }

    /// Opens the newest file of the log, if there is one, so that what ``advance(_:)`` passes on begins with it.
    ///
    /// - Throws: if the log exists and cannot be read.
    package mutating func attach() throws(SystemError) {
        guard log == nil, let first = try open() else { return }
        try begin(with: first)
    }

    /// Begins with a file.
    private mutating func begin(with first: OpenLog) throws(SystemError) {
        (log, origin, isBegun) = (first, AuditLog(root: root).name, true)
        // What the segments have that ended before is not passed on.
        last = try LogParts(root: root, files: .current).segments.last?.first ?? 0
    }

    /// Passes on what was added since the last call; at the first one, all of the newest file.
    ///
    /// - Throws: if the log exists and cannot be read.
    package mutating func advance(_ body: (Entry) -> Void) throws(SystemError) {
        while true {
            if log == nil, try !openNext(body) { return }
            guard let log else { return }
            try read(log, body)
            let named = try LogFiles.ifPresent { () throws(SystemError) in
                try root.status(AuditLog.path, followingLinks: true)
            }
            guard let named else { return }
            if named.isSameFile(as: log.status) {
                try checkSize(of: log, body)
                return
            }
            // Lines may have been added between the end that was read and the new name; none is added after it.
            try read(log, body)
            self.log = nil
        }
    }

    /// Opens the file that follows, and passes on the segments that ended in between; returns whether there is one.
    private mutating func openNext(_ body: (Entry) -> Void) throws(SystemError) -> Bool {
        guard let next = try open() else { return false }
        guard isBegun else {
            try begin(with: next)
            return true
        }
        let name = AuditLog(root: root).name
        if name == origin {
            for segment in try LogParts(root: root, files: .current).segments where segment.first > last {
                let file = try LogFiles.ifPresent { () throws(SystemError) in
                    try OpenLog(root: root, path: segment.path)
                }
                guard let file else { continue }
                if file.status.isSameFile(as: next.status) { break }
                (offset, lines) = (0, 0)
                try read(file, body)
            }
        } else {
            body(.replaced)
            (origin, last) = (name, 0)
        }
        (log, offset, lines) = (next, 0, 0)
        return true
    }

    /// Opens the log, if it exists.
    private func open() throws(SystemError) -> OpenLog? {
        try LogFiles.ifPresent { () throws(SystemError) in try OpenLog(root: root, path: AuditLog.path) }
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
                let entry = entry(line, number: lines, in: log.path)
                if case .record(let record) = entry { last = record.seq }
                body(entry)
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

    /// A line as a record, or why it is not a record.
    private func entry(_ line: LogLine, number: Int, in path: String) -> Entry {
        if line.isTooLong {
            return
                .problem(
                    file: path, line: number, message: "the line has \(line.length) bytes, more than a record can have")
        }
        do throws(AuditError) {
            var record = try AuditRecord(line: line.bytes)
            _ = secrets.hideValues(of: &record)
            return .record(record)
        } catch {
            return
                .problem(file: path, line: number, message: error.description)
        }
    }
}
