import Foundation
import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport

extension TemporaryMachine {
    /// Makes a machine without accounts.
    convenience init() throws { try self.init(.none) }

    /// Makes a root whose log cannot be written, because a file is in the place of its directory.
    static func withoutLog() throws -> TemporaryMachine {
        let temporary = try TemporaryMachine()
        try temporary.write("var", "")
        return temporary
    }

    /// The directory of the log.
    var logFolder: URL { url("var/log/managed-defaults") }

    /// Reads a file of the log's directory.
    func readLog(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: logFolder.appending(path: name)))
    }

    /// Overwrites a file of the log's directory.
    func writeLog(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: logFolder.appending(path: name))
    }

    /// Removes a file of the log's directory.
    func removeLog(_ name: String) throws {
        try FileManager.default.removeItem(at: logFolder.appending(path: name))
    }

    /// The names in the log's directory.
    func logNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: logFolder.path).sorted()
    }

    /// Makes a log of short records, `batches` being the number of records of each command.
    func makeLog(batches: [Int]) throws {
        for count in batches {
            _ = try AuditLog(root: root).append((0..<count).map { _ in TemporaryMachine.record() })
        }
    }

    /// A short record.
    static func record(_ kind: RecordKind = .override) -> AuditRecord {
        var record = AuditRecord(kind: kind)
        (record.boot, record.host, record.mono) = ("b", "h", 7)
        record.key = "K"
        return record
    }
}
