import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTools

/// What the centre had of all logs on a day: a line HOST LOG SIZE ROOT each, in a file whose digest is a record of the
/// centre's own log, so that its checkpoint binds them.
struct DailyHeads {
    private let centre: Root
    private let day: String

    init(_ centre: Root, _ now: Timestamp) { (self.centre, day) = (centre, String(now.rfc3339.prefix(10))) }

    /// Writes the file of the day, if there is none.
    func writeOnce() throws(SystemError) {
        let path = "\(CentreFolder.heads)/\(day)"
        if centre.mayExist(path) { return }
        var (text, count) = ("", 0)
        for host in try centre.names(in: CentreFolder.hosts).compactMap({ FleetHost($0) }).sorted() {
            let head = try? HostFolder(centre: centre, host: host).head()
            guard let head, let log = head.log, let root = head.root else { continue }
            text += "\(host) \(log) \(head.size) \(Base64.encode(root.bytes))\n"
            count += 1
        }
        let bytes = Array(text.utf8)
        var record = AuditRecord(
            kind: .policy, note: "The heads of the logs of \(Plural.count(count, "host")) on \(day).")
        record.policy = PolicyReference(file: path, sha256: SHA256.hash(bytes))
        // The record comes first: a file without one would be bound by nothing.
        try centre.createDirectory(CentreFolder.heads, mode: 0o755)
        let own = try CentreFolder.own(centre)
        do throws(AuditError) {
            try AuditLog(root: own).append([record])
        } catch {
            throw SystemError(operation: "record", path: centre.display(path), code: 5, reason: "\(error)")
        }
        try centre.replace(path, with: bytes, mode: 0o640)
    }
}
