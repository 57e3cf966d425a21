import Audit
import Compliance
import Engine
import Foundation
import Platform
import Policy
import Testing

/// A folder that stands for a machine, removed at the end of the test.
final class LabFolder {
    /// The folder; always as long as ``placeholder``, so that wrapped lines break alike.
    let path = "/tmp/lab-" + UUID().uuidString.prefix(8)
    /// What golden files have instead of the path.
    static let placeholder = "/tmp/lab-00000000"
    /// The top of the repository.
    static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    /// The time of every report.
    static let time = Timestamp(microseconds: 1_795_000_000_000_000)

    /// Makes a machine with two users, alice and bob.
    init() throws {
        try write(
            "/etc/passwd", "alice:x:1001:1001:Alice Keller:/home/alice:/bin/sh\nbob:x:1002:1002::/home/bob:/bin/sh\n")
        try write("/etc/group", "students:x:1100:bob\n")
        try write("/etc/hostname", "pc1\n")
        try write("/etc/machine-id", "0123456789abcdef0123456789abcdef\n")
    }

    /// Copies the example lab as it is in the repository, without what commands have left in it.
    init(copying folder: String) throws {
        let manager = FileManager.default
        try manager.copyItem(atPath: LabFolder.repository.appendingPathComponent(folder).path, toPath: path)
        try? manager.removeItem(atPath: path + "/var")
        // A checkout may let the group write, which is a finding and not what these tests are about.
        for name in [""] + (manager.enumerator(atPath: path).map { $0.compactMap { $0 as? String } } ?? []) {
            let attributes = try manager.attributesOfItem(atPath: path + "/" + name)
            let type = attributes[.type] as? FileAttributeType
            if type == .typeSymbolicLink { continue }
            let mode = type == .typeDirectory ? 0o755 : 0o644
            try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: path + "/" + name)
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file and makes the folders above it.
    func write(_ file: String, _ text: String) throws {
        try write(file, Data(text.utf8))
    }

    /// Writes a file and makes the folders above it.
    func write(_ file: String, _ data: Data) throws {
        let url = URL(fileURLWithPath: path + file)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        try data.write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: url.path)
    }

    /// Writes a policy file.
    func policy(_ name: String, _ text: String) throws {
        try write("/etc/managed-defaults/policies.d/\(name)", text)
    }

    /// Opens the machine.
    func machine() throws -> PolicyMachine { try PolicyMachine(folder: path) }

    /// Records policy, with its changes in the log.
    func apply() throws {
        let root = try Root(directory: path)
        let recorder = PolicyChangeRecorder(root: root)
        let result = PolicyStore(root: root, settlingTime: 1_000).apply { recorder.record($0) }
        #expect(result.isRecorded)
    }

    /// Makes a report.
    func report(title: String? = nil) throws -> ComplianceReport {
        ComplianceReport(
            of: try machine(), ReportRequest(title: title, time: LabFolder.time, version: "0.1.0"))
    }

    /// What stands in the file beside a full spool.
    static func dropped(_ count: Int) -> String {
        var record = AuditRecord(kind: .drop, src: .spool, note: "The spool is full.")
        record.time = time
        record.count = count
        return String(decoding: record.encoded(), as: UTF8.self) + "\n"
    }

    /// Every file with its content, to tell whether anything was changed.
    func content() throws -> [String: Data] {
        var result: [String: Data] = [:]
        for case let name as String in FileManager.default.enumerator(atPath: path) ?? .init() {
            result[name] = FileManager.default.contents(atPath: path + "/" + name) ?? Data()
        }
        return result
    }
}
