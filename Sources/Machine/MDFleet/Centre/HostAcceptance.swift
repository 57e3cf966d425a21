import MDAuditLog
import MDAuditRecord
package import MDPlatform
import MDPropertyList

/// An administrator's word about a host: what was raised of it until now is settled.
package enum HostAcceptance {
    /// Ends the alarms of a host, and its dispute if it is in one: then its log begins again, and the old copy stays beside.
    ///
    /// - Parameters:
    ///   - host: the host.
    ///   - reason: why, for the record.
    ///   - now: the time.
    ///   - root: the centre.
    /// - Returns: where the old copy is; `nil` if the log goes on, or there was none.
    /// - Throws: if the host is unknown, or the record or a file cannot be written; nothing is changed without a record.
    package static func accept(
        _ host: FleetHost, reason: String, now: Timestamp, at root: Root
    ) throws(FleetFault) -> String? {
        do throws(SystemError) {
            let lock = try Collector.lock(root)
            defer { withExtendedLifetime(lock) {} }
            guard root.mayExist(CentreFolder.folder(host)) else {
                throw SystemError(
                    operation: "accept", path: host.name, code: 2, reason: "the centre knows no such host")
            }
            let folder = HostFolder(centre: root, host: host)
            // A damaged one is what an administrator then ends too.
            let known = try? folder.head()
            var head = known ?? HostHead()
            let machine = folder.status()?.machine
            // A machine that was replaced, and has sent no record yet.
            let isOther = head.stranger != nil && head.stranger == machine
            let begins = known == nil || head.dispute != nil || isOther
            var aside: String?
            if begins, root.mayExist(CentreFolder.log(host)) {
                let base = "\(CentreFolder.folder(host))/log-\(head.log ?? "unknown")"
                var (path, number) = (base, 1)
                while root.mayExist(path) {
                    number += 1
                    path = "\(base)-\(number)"
                }
                aside = path
            }
            var record = AuditRecord(
                kind: .recover,
                note: "The host \(host) was accepted at the fleet's centre: \(reason)"
                    + (head.dispute.map { " (\($0.rawValue))" } ?? "")
                    + (aside.map { "; what was kept of its log is \(root.display($0))." } ?? "."))
            record.fillInProcess()
            try root.createDirectory(CentreFolder.heads, mode: 0o755)
            let own = try CentreFolder.own(root)
            do throws(AuditError) {
                try AuditLog(root: own).append([record])
            } catch {
                throw SystemError(operation: "record", path: host.name, code: 5, reason: "\(error)")
            }
            if let aside { try root.rename(CentreFolder.log(host), to: aside, replacing: false) }
            if begins {
                head.machine = machine ?? head.stranger
                head.acceptedLog = head.refusedLog
                (head.dispute, head.refusedLog, head.waits) = (nil, nil, nil)
                (head.log, head.size, head.root, head.isSigned) = (nil, 0, nil, false)
            }
            (head.accepted, head.stranger, head.alarmWords) = (now, nil, [])
            (head.behind, head.isBehindSaid, head.isMalformed) = (nil, false, false)
            try folder.replace(CentreFolder.head(host), with: head.bytes)
            try root.syncFileSystem(CentreFolder.hosts)
            guard begins else { return nil }
            do {
                try root.remove(CentreFolder.acknowledgement(host))
            } catch {
                if !error.isMissing { throw error }
            }
            return aside.map { root.display($0) }
        } catch {
            throw FleetFault("\(error)")
        }
    }
}
