import Foundation
import MDAuditClient
import MDAuditRecord
import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyStore
import MDPropertyList
import MDReport
import MDTestSupport
import Testing

/// A machine that is reported on.
extension TemporaryMachine {
    /// What golden files have instead of the path of a copy, as long as that, so that wrapped lines break alike.
    static let placeholder = "/tmp/lab-00000000"
    /// The top of the repository.
    static var repository: URL { BuiltProgram.repository }
    /// The time of every report.
    static let time = Timestamp(microseconds: 1_795_000_000_000_000)

    /// Makes a machine with two users, alice and bob.
    convenience init() throws {
        try self.init(.none)
        try write(
            "/etc/passwd", "alice:x:1001:1001:Alice Keller:/home/alice:/bin/sh\nbob:x:1002:1002::/home/bob:/bin/sh\n")
        try write("/etc/group", "students:x:1100:bob\n")
        try write("/etc/hostname", "pc1\n")
        try write("/etc/machine-id", "0123456789abcdef0123456789abcdef\n")
        // Only a program counts that belongs to root.
        try write("/usr/bin/browser", "")
        try opened(["org.example.Browser", "org.example.A"], by: [1001, 1002])
    }

    /// Writes that a program of users opened domains since the boot, as the audit service does.
    func opened(_ domains: [String], by users: [UInt32], program: String? = "/usr/bin/browser") throws {
        let items = users.flatMap { uid in
            domains.map { OpenedDomain(uid: uid, executable: program, domain: Key($0)) }
        }
        let lines = [OpenedDomain.head(root: root)] + items.map(\.line)
        try write(OpenedDomain.path, lines.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined())
    }

    /// Copies the example lab as it is in the repository, without what commands have left in it.
    convenience init(copying folder: String) throws {
        try self.init(
            copying: BuiltProgram.repository.appendingPathComponent(folder), in: Place(existing: Scratch.lockedFolder())
        )
    }

    /// Opens the machine.
    func machine(at time: Timestamp? = nil) throws -> PolicyInForce { try PolicyMachine(folder: path).policy(at: time) }

    /// Records policy, with its changes in the log.
    func apply() throws {
        let recorder = PolicyChangeRecorder(root: root)
        let result = PolicyStore(root: root, settlingTime: 1_000).apply { recorder.record($0) }
        #expect(result.isRecorded)
    }

    /// Makes a report, at a fixed time unless this run has written records, which are later.
    func report(title: String? = nil) throws -> ComplianceReport {
        func report(_ time: Timestamp?) throws -> ComplianceReport {
            ComplianceReport(of: try machine(), ReportRequest(title: title, time: time, version: "0.1.0"))
        }
        let fixed = try report(TemporaryMachine.time)
        return fixed.evidence.last.map { $0 > TemporaryMachine.time } ?? false ? try report(nil) : fixed
    }

    /// The content of the file beside a full spool.
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
