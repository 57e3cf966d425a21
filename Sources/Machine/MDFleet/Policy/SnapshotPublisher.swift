package import MDPlatform
import MDPolicyAdministration
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// The centre's part of publishing: the documents that hosts fetch, files by content first, the snapshot last.
package struct SnapshotPublisher {
    /// Where the publisher's key lies without `--key`: a private key, or the public half of one in the agent.
    package static let key = "\(CentreFolder.path)/publisher/key"
    private static let lock = "\(CentreFolder.path)/publish.lock"

    private let root: Root
    /// Who may sign.
    package let document: FleetRoot
    /// The snapshot that hosts fetch now; `nil` before the first.
    package let last: Snapshot?
    /// The file of that snapshot.
    private let lastFile: [UInt8]?

    /// Reads what the centre has published.
    ///
    /// - Parameter root: the centre.
    /// - Throws: why it cannot be published there, as a clause.
    package init(root: Root) throws(FleetFault) {
        self.root = root
        guard let file = try SnapshotPublisher.read(root, CentreFolder.root, 2 * FleetRoot.limit) else {
            throw FleetFault("\(root.display(CentreFolder.root)) is missing: fleet init makes a centre")
        }
        document = try SnapshotPublisher.naming(root, CentreFolder.root) { () throws(FleetFault) in
            try FleetRoot(try SignedDocument(file, limit: FleetRoot.limit).bytes)
        }
        lastFile = try SnapshotPublisher.read(root, CentreFolder.snapshot, 2 * Snapshot.limit)
        last = try SnapshotPublisher.naming(root, CentreFolder.snapshot) { [lastFile] () throws(FleetFault) in
            guard let lastFile else { return nil }
            return try Snapshot(try SignedDocument(lastFile, limit: Snapshot.limit).bytes)
        }
    }

    /// The number that comes next.
    package var next: SnapshotNumber {
        guard let last, last.number.epoch == document.epoch else {
            return SnapshotNumber(epoch: document.epoch, serial: 1)
        }
        return SnapshotNumber(epoch: document.epoch, serial: last.number.serial + 1)
    }

    /// Publishes a snapshot.
    ///
    /// - Parameters:
    ///   - snapshot: the snapshot.
    ///   - contents: the content of each of its files.
    ///   - key: the path of the publisher's key, in the file system of the caller.
    /// - Returns: who signed it, as the root document names them, and sentences about what was not done besides.
    /// - Throws: why it was not published, as a clause; hosts then fetch what they did before.
    package func publish(
        _ snapshot: Snapshot, _ contents: [[UInt8]], key: String
    ) throws(FleetFault) -> (signer: String, notes: [String]) {
        let signed: SignedDocument
        let signer: SigningKey?
        do throws(OperationError) {
            signed = try SignedDocument(signing: snapshot.bytes, keys: [key])
        } catch {
            throw FleetFault("it was not signed: \(error)")
        }
        do throws(SignatureVerifier.Refusal) {
            signer = try signed.signer(among: document.signers.map(\.key))
        } catch {
            throw FleetFault(error.reason)
        }
        guard let signer, let who = document.name(of: signer) else {
            throw FleetFault("the key \(key) may not publish: pub/root of epoch \(document.epoch) does not name it")
        }
        do throws(SystemError) {
            let lock = try root.lock(SnapshotPublisher.lock)
            guard (try? root.read(CentreFolder.snapshot, limit: 2 * Snapshot.limit).bytes) == lastFile else {
                throw SystemError(
                    operation: "publish", path: root.display(CentreFolder.snapshot), code: 116,
                    reason: "somebody else published meanwhile")
            }
            try root.createDirectory(CentreFolder.files, mode: 0o755)
            for content in contents { try put(content) }
            try root.syncDirectory(CentreFolder.files)
            try root.replace(CentreFolder.snapshot, with: signed.file, mode: 0o644)
            withExtendedLifetime(lock) {}
        } catch {
            throw FleetFault("\(error)")
        }
        var notes: [String] = []
        let recorder = SnapshotRecorder(root: root, fleet: snapshot.fleet, now: snapshot.issued)
        if !recorder.publish(snapshot, signer: who, SHA256.hash(signed.bytes)) {
            notes.append("It could not be recorded in the audit log of this machine.")
        }
        do throws(FleetFault) {
            try CentreWake.send(root, snapshot.number)
        } catch {
            notes.append("Hosts were not woken, and look for themselves each minute: \(error).")
        }
        return (who, notes)
    }

    /// Writes a file by its content, if it is not there as it should be.
    private func put(_ content: [UInt8]) throws(SystemError) {
        let digest = SHA256.hash(content)
        let path = "\(CentreFolder.files)/\(digest.hex)"
        if let present = try? root.read(path, limit: PolicyFile.limits.bytes).bytes, SHA256.hash(present) == digest {
            return
        }
        try root.replace(path, with: content, mode: 0o644, syncsDirectory: false)
    }

    /// Publishes who signs, for `fleet init` and a new epoch.
    ///
    /// - Parameters:
    ///   - signed: the root document with its signatures.
    ///   - root: the centre.
    /// - Throws: if it is no such document, its epoch is not higher than that of the present one, or it cannot be written.
    package static func publish(root signed: SignedDocument, in root: Root) throws(FleetFault) {
        let document = try FleetRoot(signed.bytes)
        if let file = try read(root, CentreFolder.root, 2 * FleetRoot.limit) {
            let present = try naming(root, CentreFolder.root) { () throws(FleetFault) in
                try FleetRoot(try SignedDocument(file, limit: FleetRoot.limit).bytes)
            }
            guard document.epoch > present.epoch else {
                throw FleetFault("epoch \(document.epoch) is not higher than \(present.epoch), which hosts have")
            }
        }
        do throws(SystemError) {
            try root.createDirectory(CentreFolder.published, mode: 0o755)
            try root.replace(CentreFolder.root, with: signed.file, mode: 0o644)
        } catch {
            throw FleetFault("\(error)")
        }
    }

    /// Reads a file of the centre; `nil` if it is missing.
    private static func read(_ root: Root, _ path: String, _ limit: Int) throws(FleetFault) -> [UInt8]? {
        do throws(SystemError) {
            return try root.read(path, limit: limit).bytes
        } catch {
            if error.isMissing { return nil }
            throw FleetFault("\(error)")
        }
    }

    /// Parses a file, and names it if that fails.
    private static func naming<Content>(
        _ root: Root, _ path: String, _ parse: () throws(FleetFault) -> Content
    ) throws(FleetFault) -> Content {
        do throws(FleetFault) {
            return try parse()
        } catch {
            throw FleetFault("\(root.display(path)): \(error)")
        }
    }
}
