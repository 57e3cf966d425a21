import MDAuditClient
import MDAuditRecord
package import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// Puts waivers that are in force for a user into the audit log, once for each boot.
///
/// Only processes that may write the log do so: root's commands, and those of a folder's owner.
package struct WaiverRecorder: Sendable {
    /// What was recorded since the boot: a line with the boot, then one for each waiver and user.
    private static let path = "/var/lib/managed-defaults/waivers.seen"
    /// The most bytes that are read of it.
    private static let limit = 1 << 20
    /// How long another process is waited for, in seconds.
    private static let seconds = 1.0

    /// The root of the machine.
    private let root: Root

    /// Makes a recorder.
    package init(root: Root) {
        self.root = root
    }

    /// Records the waivers that lift something for a user and were not recorded since the boot.
    ///
    /// Costs nothing if there are none.
    package func record(_ waivers: [ResolvedWaiver], of account: Account) {
        // Of a common setting one record is enough, not one for each key of programs that it became.
        let used = waivers.filter { $0.state == .inForce && !$0.waiver.origin.source.isExpanded }
        let user = CurrentProcess.euid
        guard !used.isEmpty, user == 0 || user == root.owner else { return }
        let names = used.map { WaiverRecorder.name($0.waiver, account) }
        if seen().isSuperset(of: names) { return }
        guard (try? root.createDirectory("/var/lib/managed-defaults", mode: 0o755)) != nil,
            let lock = try? root.lock(WaiverRecorder.path + ".lock", seconds: WaiverRecorder.seconds)
        else { return }
        defer { withExtendedLifetime(lock) {} }
        var known = seen()
        let reporter = AuditReporter(root: root, stateDirectory: nil)
        for (waiver, name) in zip(used, names) where !known.contains(name) {
            if case .stored = reporter.report(WaiverRecorder.record(of: waiver.waiver, account)) { known.insert(name) }
        }
        let lines = ([boot] + known.sorted()).joined(separator: "\n") + "\n"
        // What is lost here is only recorded again.
        try? root.replace(WaiverRecorder.path, with: Array(lines.utf8), mode: 0o600, durable: false)
    }

    /// The boot that names count for.
    private var boot: String { Machine.bootID() ?? "an unknown boot" }

    /// The names of what was recorded since the boot.
    private func seen() -> Set<String> {
        guard let bytes = try? root.read(WaiverRecorder.path, limit: WaiverRecorder.limit).bytes else { return [] }
        let lines = bytes.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
        return lines.first == boot ? Set(lines.dropFirst()) : []
    }

    /// Identifies a waiver of a user: a digest of everything that it says.
    private static func name(_ waiver: Waiver, _ account: Account) -> String {
        let parts = [
            String(account.uid), waiver.origin.policy, waiver.origin.file, waiver.domain.string, waiver.key.string,
            waiver.until.map { String($0.microseconds) } ?? "", waiver.reason, waiver.approvedBy,
        ]
        return SHA256.hash(parts.flatMap { Array($0.utf8) + [0] }).hex
    }

    /// The record of a waiver that is used.
    private static func record(of waiver: Waiver, _ account: Account) -> AuditRecord {
        let end = waiver.until.map { " until \($0.rfc3339.prefix(19))Z" } ?? " without end"
        let reason = waiver.reason.isEmpty ? "" : ", \(waiver.reason)"
        let approval = waiver.approvedBy.isEmpty ? "" : " (approved by \(waiver.approvedBy))"
        var record = AuditRecord(kind: .grant, src: .client, note: "waiver in force\(end)\(reason)\(approval)")
        record.stamp(with: account)
        record.domain = waiver.domain
        record.key = waiver.key
        record.policy = PolicyReference(
            id: waiver.origin.policy, file: waiver.origin.file, line: waiver.origin.position.line)
        return record
    }
}

/// What a waiver does for a user; the raw values are those of JSON.
package enum WaiverState: String, Sendable, CaseIterable {
    /// It lifts something.
    case inForce = "in force"
    /// It has ended.
    case expired
    /// It is unknown whether its file applies, so it lifts nothing.
    case inDoubt = "in doubt"
    /// There is nothing that it would lift.
    case withoutEffect = "without effect"
}

extension ResolvedWaiver {
    /// What the waiver does for its user.
    package var state: WaiverState {
        isExpired ? .expired : isInDoubt ? .inDoubt : lifted.isEmpty ? .withoutEffect : .inForce
    }
}
