import MDAuditLog
import MDPlatform

/// What the centre keeps of a host: its folder, and the copy of its log as a root of its own.
struct HostFolder {
    /// The centre.
    let centre: Root
    let host: FleetHost

    /// The folder of a root's log, here a link to the copy.
    private static let log = "var/log/managed-defaults"
    /// What only the collector's group may read.
    private static let (folderMode, fileMode): (UInt32, UInt32) = (0o750, 0o640)

    /// Reads what is known of the host; an empty head if nothing is.
    ///
    /// - Throws: also if the file is damaged: it may have had a dispute.
    func head() throws(SystemError) -> HostHead {
        let bytes = try LogFiles.ifPresent { () throws(SystemError) in
            try centre.read(CentreFolder.head(host), limit: HostHead.limit).bytes
        }
        guard let bytes else { return HostHead() }
        do throws(FleetFault) {
            return try HostHead(bytes)
        } catch {
            throw SystemError(
                operation: "read", path: centre.display(CentreFolder.head(host)), code: 5, reason: "\(error)")
        }
    }

    /// Replaces a file of the host; it is on disk after the next sync of the file system.
    func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        try centre.replace(path, with: bytes, mode: HostFolder.fileMode, durable: false)
    }

    /// Makes the host's folder.
    func make() throws(SystemError) {
        try centre.createDirectory(CentreFolder.folder(host), mode: HostFolder.folderMode)
    }

    /// The root whose log is the copy of the host's log; made if it is not there.
    func machine() throws(SystemError) -> Root {
        let folder = CentreFolder.folder(host)
        let link = "\(folder)/\(HostFolder.log)"
        if (try? centre.status(link, followingLinks: true))?.kind != .directory {
            try centre.createDirectory(CentreFolder.log(host), mode: HostFolder.folderMode)
            let above = link.split(separator: "/").dropLast().joined(separator: "/")
            try centre.createDirectory("/" + above, mode: HostFolder.folderMode)
            try centre.replaceWithLink(link, to: "../../log")
        }
        return try Root(directory: centre.display(folder))
    }

    /// Whether the host was enrolled as one that forgets everything at each boot.
    var resetsAtBoot: Bool { (try? centre.status(CentreFolder.resets(host), followingLinks: false)) != nil }

    /// The last status that was stored; `nil` if there is none.
    func status() -> HostStatus? {
        let bytes = try? centre.read(CentreFolder.status(host), limit: HostStatus.limit).bytes
        return bytes.flatMap { try? HostStatus($0) }
    }

    /// The key by which the host signs its checkpoints, in PEM; `nil` if the centre does not have it.
    func publicKey() throws(SystemError) -> [UInt8]? {
        try LogFiles.ifPresent { () throws(SystemError) in
            try centre.read(CentreFolder.publicKey(host), limit: 4_096).bytes
        }
    }

    /// Keeps a file of a host that contradicts itself, unless enough are kept.
    ///
    /// - Parameters:
    ///   - bytes: the file, as it arrived.
    ///   - kind: what it is.
    ///   - now: the time.
    /// - Throws: if it cannot be kept.
    func keepDisputed(_ bytes: [UInt8], _ kind: SpoolName.Kind, now: Timestamp) throws(SystemError) {
        let folder = CentreFolder.disputed(host)
        try centre.createDirectory(folder, mode: HostFolder.folderMode)
        let names = try centre.names(in: folder)
        let digest = SHA256.hash(bytes).hex.prefix(16)
        // A name is TIME-DIGEST.KIND; a host in dispute sends the same file again and again.
        let isKept = names.contains { $0.split(separator: "-").last?.hasPrefix(digest) ?? false }
        guard !isKept, names.count < CollectorLimits.mostDisputedFiles else { return }
        let time = now.rfc3339.filter { $0 != ":" && $0 != "-" }
        try replace("\(folder)/\(time)-\(digest).\(kind.rawValue)", with: bytes)
    }
}
