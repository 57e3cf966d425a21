import MDPlatform
import MDPolicyAdministration
import MDPropertyList

/// Who publishes the policy of the demo: keys, documents and signatures are those of a real fleet, and no host is woken.
struct DemoPublisher {
    /// The folder of policy, which people can change and publish again.
    static let folder = "/policies"
    /// Where the root key lies, in place of a stick.
    private static let stick = "/stick"

    /// The root key, which machines know.
    let rootKey: SigningKey
    private let centre: Root

    /// Makes keys and the document of who may sign.
    init(_ centre: Root) throws(FleetFault) {
        let (root, publisher) = (centre.display("\(DemoPublisher.stick)/root"), centre.display(SnapshotPublisher.key))
        do throws(SystemError) {
            try centre.createDirectory(DemoPublisher.stick, mode: 0o700)
            try centre.createDirectory(CentrePreparation.publisherFolder, mode: 0o700)
        } catch {
            throw FleetFault("\(error)")
        }
        try SigningKey.make(at: root, comment: "root of the fleet \(DemoFleet.name)")
        try SigningKey.make(at: publisher, comment: "publisher of the fleet \(DemoFleet.name)")
        (rootKey, self.centre) = (try SigningKey(of: root), centre)
        let document = FleetRoot(
            fleet: DemoFleet.name, epoch: 1, rootKey: rootKey,
            signers: [FleetRoot.Signer(try SigningKey(of: publisher), who: "publisher of \(DemoFleet.name)")])
        let signed: SignedDocument
        do throws(OperationError) {
            signed = try document.signed(by: [root])
        } catch {
            throw FleetFault("\(error)")
        }
        try SnapshotPublisher.publish(root: signed, in: centre)
        try write(
            CentreConfiguration(fleet: DemoFleet.name, address: nil, wake: nil, rootKey: "\(rootKey)").bytes,
            to: CentreConfiguration.path)
    }

    /// Publishes policy files as the next snapshot.
    func publish(_ files: [String: String], reason: String, at time: Timestamp) throws(FleetFault) {
        let contents = files.mapValues { Array($0.utf8) }
        for (name, bytes) in contents { try write(bytes, to: "\(DemoPublisher.folder)/\(name)") }
        let publisher = try SnapshotPublisher(root: centre)
        var snapshot = Snapshot(
            fleet: DemoFleet.name, publisher.next, issued: time,
            expires: Timestamp(microseconds: time.microseconds + 90 * 86_400_000_000),
            files: Dictionary(contents.map { (Key($0), SHA256.hash($1)) }) { first, _ in first })
        snapshot.reason = reason
        _ = try publisher.publish(snapshot, Array(contents.values), key: centre.display(SnapshotPublisher.key))
    }

    private func write(_ bytes: [UInt8], to path: String) throws(FleetFault) {
        do throws(SystemError) {
            try centre.createDirectory(DemoPublisher.folder, mode: 0o755)
            try centre.replace(path, with: bytes, mode: 0o644, durable: false)
        } catch {
            throw FleetFault("\(error)")
        }
    }
}
