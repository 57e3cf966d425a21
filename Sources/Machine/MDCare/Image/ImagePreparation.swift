import MDAuditLog
import MDAuditReading
package import MDAuditRecord
import MDEngine
package import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPrograms
import MDPropertyList

/// Clears what belongs to one machine, so that its disk can become the image of others.
package struct ImagePreparation {
    /// Something that was there.
    package struct Cleared: Hashable, Sendable {
        /// What it is, as a noun.
        package let what: String
        /// The path under the root.
        package let path: String
    }

    /// The folder of the audit service: marks of users, numbers of what was not stored, keys.
    private static let service = "/var/lib/mdefaultsd"
    /// Single files.
    private static let files = [
        ("the checkpoint that root keeps of the log", KeptCheckpoint.path),
        ("the checkpoint that was not compared", KeptCheckpoint.path + ".uncompared"),
        ("the key of digests of sensitive values", HostKey.path),
        ("what the programs of this machine said of policy", TestimonyRecord.path),
        ("the waivers that were seen", "/var/lib/managed-defaults/waivers.seen"),
        ("the people of directories who were here", PeopleRegister.path),
        ("when they were here, and their groups", KnownPeople.path),
        ("the place of /run on this machine", RunFolder.devicePath),
        ("when exams and grants were last seen", StorePath.temporaryClock),
        ("the private key that signs checkpoints", "/etc/managed-defaults/audit-key.pem"),
        ("what this machine knows of its fleet", "/etc/managed-defaults/fleet.json"),
        ("the private key of the fleet's certificate", "/etc/managed-defaults/fleet/key.pem"),
        ("the fleet's certificate", "/etc/managed-defaults/fleet/certificate.pem"),
        ("what was sent to the fleet", "/var/lib/managed-defaults/fleet/state"),
        ("what the fleet's centre answered", FleetAnswer.path),
    ]

    private let root: Root

    package init(root: Root) {
        self.root = root
    }

    /// What would be cleared.
    package var findings: [Cleared] {
        let folders = [
            ("the audit log with its keys", "/var/log/managed-defaults"),
            ("the audit service's files", ImagePreparation.service),
            ("exams and grants", StorePath.temporary),
        ]
        return folders.filter { !((try? root.names(in: $0.1)) ?? []).isEmpty }.map { Cleared(what: $0.0, path: $0.1) }
            + ImagePreparation.files.filter { root.mayExist($0.1) }.map { Cleared(what: $0.0, path: $0.1) }
    }

    /// Clears it.
    ///
    /// - Throws: `busy` while the audit service runs or another process writes the log; `system` if something stays.
    package func run() throws(AuditError) {
        let service: FileLock?
        do throws(SystemError) {
            service = try lockService()
        } catch {
            throw error.isTimeout ? .busy(path: error.path) : .system(error)
        }
        defer { withExtendedLifetime(service) {} }
        // Before the log goes, which has the record of it.
        do throws(TemporaryEndError) {
            let names = (PolicyStore.lastingNames(in: root) ?? []).map(\.string)
            let recorder = PolicyChangeRecorder(root: root)
            try PolicyStore(root: root).endTemporary(names) { recorder.record($0) }
        } catch {
            switch error {
            case .notRemoved(let cause), .notRecorded(let cause): throw .system(cause)
            }
        }
        _ = try AuditLog(root: root).remove()
        do throws(SystemError) {
            if service != nil {
                try asServiceUser { () throws(SystemError) in
                    _ = try root.removeContents(of: ImagePreparation.service)
                }
            }
            if KeptLog.mustExist(root) { try root.replace(KeptLog.imageMark, with: [], mode: 0o644) }
            for (_, path) in ImagePreparation.files where root.mayExist(path) { try root.remove(path) }
        } catch {
            throw .system(error)
        }
    }

    /// Keeps the audit service from running, which would write again what is removed; `nil` if there is no folder of it.
    private func lockService() throws(SystemError) -> FileLock? {
        guard root.mayExist(ImagePreparation.service) else { return nil }
        return try asServiceUser { () throws(SystemError) in
            try root.lock("\(ImagePreparation.service)/lock", seconds: 0)
        }
    }

    /// Works on the service's files as their owner, so that a link that the owner makes leads nowhere else.
    private func asServiceUser<Result>(_ work: () throws(SystemError) -> Result) throws(SystemError) -> Result {
        let owner = try root.status(ImagePreparation.service, followingLinks: true).owner
        return try CurrentThread.usingFiles(as: owner, work)
    }
}
