package import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
package import MDPropertyList

/// What a host keeps of its fleet's policy: the highest number, and which files are the fleet's.
///
/// The log has the numbers too, so that a host whose state is lost or set back takes no older snapshot.
package struct SnapshotState: Hashable, Sendable {
    /// The folder, and its files: this state, and the documents in force as they were signed.
    package static let folder = "/var/lib/managed-defaults/fleet"
    package static let path = "\(folder)/policy"
    package static let snapshot = "\(folder)/snapshot"
    package static let root = "\(folder)/root"
    package static let lock = "\(folder)/policy.lock"

    /// The fleet that everything is about.
    package var fleet: String
    /// The highest snapshot, and the digest of its file.
    package var number: SnapshotNumber?
    package var digest: Digest?
    /// When it becomes stale.
    package var expires: Timestamp?
    /// The highest root document's epoch, and the digest of its file.
    package var rootEpoch = 0
    package var rootDigest: Digest?
    /// The root key of fleet.json when the documents were taken, and its successor if there is one.
    package var firstKey: SigningKey?
    package var rootKey: SigningKey?
    /// The names in policies.d that are the fleet's, with the digests of what it put there.
    package var files: [Key: Digest] = [:]
    /// What was not taken last; `nil` if everything was.
    package var refusal: HostStatus.Refusal?
    /// The digests of what was refused and recorded.
    package var refused: [Digest] = []

    package init(fleet: String) { self.fleet = fleet }

    /// The most bytes, and the most refusals that are remembered.
    private static let limit = 1 << 20
    private static let refusals = 32

    /// Reads the state of a machine; `nil` if there is none, or it does not read.
    ///
    /// - Throws: if it is there, and cannot be read or could have been written by others.
    package static func read(_ root: Root) throws(FleetFault) -> SnapshotState? {
        do throws(TrustError) {
            let bytes = try root.readTrusted(path, limit: limit).bytes
            // A file that does not read counts as lost: the log and the kept snapshot say the same.
            return try? SnapshotState(bytes)
        } catch {
            if error.isMissing { return nil }
            throw FleetFault("\(error)")
        }
    }

    private init(_ bytes: [UInt8]) throws(FleetFault) {
        let document = try FleetDocument(bytes, limit: SnapshotState.limit)
        fleet = try document.required("Fleet", try document.text("Fleet"))
        number = try document.text("Number").flatMap { SnapshotNumber($0) }
        digest = try document.digest("Digest")
        expires = try document.time("Expires")
        rootEpoch = try document.count("RootEpoch") ?? 0
        rootDigest = try document.digest("RootDigest")
        firstKey = try document.text("FirstKey", limit: SigningKey.longest).flatMap { SigningKey($0) }
        rootKey = try document.text("RootKey", limit: SigningKey.longest).flatMap { SigningKey($0) }
        if let files = try document.dictionary("Files", atMost: 100_000) {
            for name in files.names { self.files[name] = try files.digest(name.string) }
        }
        if let file = try document.text("RefusedFile", limit: 4_096) {
            refusal = HostStatus.Refusal(
                file: file, line: try document.count("RefusedLine"),
                reason: try document.text("RefusedReason", limit: 4_096) ?? "")
        }
        refused = (try document.texts("Refused", atMost: SnapshotState.refusals) ?? []).compactMap { Digest(hex: $0) }
    }

    /// The names in policies.d that are the fleet's; none if that is not known.
    package static func names(_ root: Root) -> Set<Key> { Set((try? read(root))?.files.keys.map(\.self) ?? []) }

    /// How many files in force of the administrator's directory are not the fleet's.
    static func ownFiles(of policies: PolicySet, _ root: Root) -> Int {
        let fleet = names(root)
        return policies.files.count { file in
            file.policy != nil && !fleet.contains(file.name) && !PolicySet.isTemporary(file.path)
        }
    }

    /// Remembers that something was refused; whether it is new.
    mutating func remember(_ digest: Digest) -> Bool {
        if refused.contains(digest) { return false }
        refused = refused.suffix(SnapshotState.refusals - 1) + [digest]
        return true
    }

    /// Writes the state; only root reads names and keys of it, and they are no secret.
    func write(_ root: Root) throws(SystemError) {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("Fleet", fleet)
        json.field("Number", number?.description)
        json.field("Digest", digest?.hex)
        json.field("Expires", expires?.rfc3339)
        json.field("RootEpoch", rootEpoch)
        json.field("RootDigest", rootDigest?.hex)
        json.field("FirstKey", firstKey?.description)
        json.field("RootKey", rootKey?.description)
        json.member("Files")
        json.beginObject()
        for (name, digest) in files.sorted(by: { $0.key < $1.key }) { json.field(name.string, digest.hex) }
        json.endObject()
        json.field("RefusedFile", refusal?.file)
        json.field("RefusedLine", refusal?.line)
        json.field("RefusedReason", refusal?.reason)
        json.field("Refused", .array(refused.map { .string($0.hex) }))
        json.endObject()
        try root.createDirectory(SnapshotState.folder, mode: 0o755)
        try root.replace(SnapshotState.path, with: json.utf8 + [0x0a], mode: 0o644)
    }
}
