package import MDAuditRecord
import MDPlatform
import MDPropertyList

/// The first key of a log's checkpoints, shown once: a holder that keeps it elsewhere can check each later checkpoint.
package struct FirstKey: Hashable, Sendable {
    /// The name of the log.
    package let origin: String
    /// The key.
    package let key: CheckpointKey
    /// Its bytes.
    private let bytes: [UInt8]

    /// The most bytes of a file that holds one.
    package static let longestText = 4_096

    /// Makes the first key of a log; `nil` unless there are 32 bytes.
    package init?(origin: String, bytes: [UInt8]) {
        guard let key = CheckpointKey(first: bytes, origin: origin) else { return nil }
        (self.origin, self.key, self.bytes) = (origin, key, bytes)
    }

    /// Parses the line that was shown; `nil` for anything else.
    package init?(text bytes: [UInt8]) {
        let line = bytes.last == 0x0a ? bytes.dropLast() : bytes[...]
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, let origin = String(validating: words[0], as: UTF8.self), Checkpoint.isOrigin(origin),
            let decoded = try? Base64.decode(words[2])
        else { return nil }
        self.init(origin: origin, bytes: decoded)
        guard self.text.utf8.elementsEqual(line) else { return nil }
    }

    /// The line without its line feed: the origin, the id of the key, and the key in Base64.
    package var text: String { "\(origin) \(NoteSignature.hex(key.id)) \(Base64.encode(bytes))" }
}

extension AuditLog {
    /// Begins a new series of keys for the checkpoints of the log, and makes a checkpoint with the first of them.
    ///
    /// - Parameter seconds: the longest wait for another writer.
    /// - Returns: the first key, which is stored nowhere: what is stored is the one after it.
    /// - Throws: `busy` after that wait; `system` if a file cannot be read or written.
    package func beginKey(waiting seconds: Double = 5) throws(AuditError) -> FirstKey {
        do throws(SystemError) {
            return try writing(waiting: seconds) { (writer: inout LogWriter) throws(SystemError) in
                _ = try writer.append(LogEntries())
                guard let first = FirstKey(origin: writer.origin, bytes: CheckpointKey.randomBytes()) else {
                    throw SystemError(
                        operation: "make", path: root.display(LogFiles.current.key), code: 22,
                        reason: "the key has a wrong size")
                }
                try root.replace(LogFiles.current.key, with: Array(first.key.text.utf8), mode: 0o600)
                guard writer.commitAnew() else {
                    throw SystemError(
                        operation: "write", path: root.display(LogFiles.current.checkpoint), code: 5,
                        reason: writer.alarm ?? "unknown")
                }
                return first
            }
        } catch {
            throw error.isTimeout ? .busy(path: root.display(AuditLog.path)) : .system(error)
        }
    }
}
