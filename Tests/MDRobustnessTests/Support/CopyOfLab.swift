import Foundation
import MDAuditClient
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList
import MDReport
import MDTestSupport

/// A copy of `Examples/lab` that has been opened and used: good copies, table and an audit log with refused writes exist.
extension TemporaryMachine {
    /// Where policy is recorded.
    static let state = "/var/lib/managed-defaults"
    /// Where the audit log is.
    static let log = "/var/log/managed-defaults"
    /// The domain and key whose override is refused.
    static let forced: (domain: Key, key: Key) = ("org.example.Browser", "HomePage")

    /// The lab of the repository.
    static let example = BuiltProgram.repository.appendingPathComponent("Examples/lab").path

    /// The paths of the lab's files below a folder, in byte order.
    static func files(below folder: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: example + folder)?.compactMap { $0 as? String } ?? []
        return names.map { "\(folder)/\($0)" }.filter { path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: example + path)
            return attributes?[.type] as? FileAttributeType == .typeRegular
        }.sorted()
    }

    /// Copies the lab and uses it.
    ///
    /// - Parameter attempts: how many refused writes are in the log.
    /// - Throws: where a file cannot be copied or read.
    convenience init(attempts: Int) throws {
        try self.init(copying: BuiltProgram.repository.appendingPathComponent("Examples/lab"))
        let recorder = PolicyChangeRecorder(root: root)
        guard PolicyStore(root: root).apply(report: { recorder.record($0) }).isRecorded else {
            throw CocoaError(.fileWriteUnknown)
        }
        let machine = try PolicyMachine(folder: path).policy()
        for account in machine.people.prefix(attempts) {
            let session = UserSession(machine: machine, account: account)
            let (domain, key) = TemporaryMachine.forced
            guard let entry = session.rule(of: key, application: domain).entry else { continue }
            let attempt = RecordedWrite(
                entry, domain: domain, tried: .string("https://games.example"), via: .cli, outcome: .refused)
            _ = session.reporter.report(attempt.record(of: account, root: root, identity: nil))
        }
    }

    /// Overwrites a file in place; its owner and mode stay.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - bytes: its new content.
    ///   - age: how many seconds ago it seems to have been written.
    /// - Throws: where it cannot be written.
    func overwrite(_ file: String, _ bytes: [UInt8], age: Int = 0) throws {
        let raw = open(path + file, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, 0o644)
        defer { close(raw) }
        guard raw >= 0, bytes.isEmpty || Glibc.write(raw, bytes, bytes.count) == bytes.count else {
            throw CocoaError(.fileWriteUnknown)
        }
        guard age > 0 else { return }
        let time = timespec(tv_sec: Glibc.time(nil) - age, tv_nsec: 0)
        futimens(raw, [time, time])
    }

    /// Does what commands do: opens the machine, asks for every domain of every user, reports, lints, reads and verifies
    /// the log.
    ///
    /// - Returns: a line for every forced entry of every user.
    @discardableResult
    func useEverything() throws -> [String: [String]] {
        let machine = try PolicyMachine(folder: path).policy()
        var forced: [String: [String]] = [:]
        for account in machine.accounts.accounts {
            let session = UserSession(machine: machine, account: account)
            var domains = Set(session.resultant.forced.keys)
            domains.formUnion((try? session.preferences.domains()) ?? [])
            for domain in domains {
                let search = session.searchList(application: domain)
                for key in search.keys { _ = search.lookUp(key) }
                for problem in search.problems where problem.isEmpty { throw CocoaError(.fileReadUnknown) }
            }
            forced[account.name] = session.resultant.forcedLines
        }
        let report = ComplianceReport(of: machine, ReportRequest(time: Clock.now(), version: "1"))
        _ = (TextReport.render(report), JSONReport.render(report))
        _ = Lint.run(root: root)
        _ = try? AuditLog(root: root).records()
        _ = AuditVerifier.verify(root: root)
        return forced
    }
}

extension ResultantSet {
    /// A line for each forced or absent entry: level, domain, key, value and origin.
    var forcedLines: [String] { entries.filter { $0.level != .recommended }.map(\.line) }
}

extension ResolvedEntry {
    /// The entry as a line, with its type, so that 1, 1.0 and true differ.
    var line: String {
        var writer = JSONWriter()
        if let value { writer.value(value) }
        return "\(level.rawValue) \(domain) \(key) = \(writer.text) \(origin.policy) \(origin)"
    }
}
