import MDPlatform
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Why something of the centre is not taken.
enum SnapshotObstacle: Error {
    /// It is wrong: recorded, once per content.
    case refused(HostStatus.Refusal, of: Digest)
    /// There was no answer, or this machine could not do it: tried again.
    case unknown(String)

    /// A refusal of a whole document, with the line of a fault.
    static func refused(_ file: String, _ fault: FleetFault, _ bytes: [UInt8]) -> SnapshotObstacle {
        .refused(
            HostStatus.Refusal(file: file, line: fault.position?.line, reason: fault.message), of: SHA256.hash(bytes))
    }

    /// A refusal of a whole document.
    static func refused(_ file: String, _ reason: String, _ bytes: [UInt8]) -> SnapshotObstacle {
        refused(file, FleetFault(reason), bytes)
    }
}

/// Checks the documents of a centre against what a host knows of its fleet.
struct SnapshotCheck {
    /// What the host is told by its administrator.
    let configuration: FleetConfiguration
    /// What it took before.
    let state: SnapshotState
    /// What its log says that it took.
    let highest: SnapshotRecorder.Highest

    /// The names of the two documents in refusals.
    private static let (root, snapshot) = ("root", "snapshot")

    /// A document that was taken.
    struct Taken<Content> {
        let content: Content
        /// The digest of the document without signatures.
        let digest: Digest
        /// The name of the signer.
        let signer: String
    }

    /// The root key: that of fleet.json, or its successor.
    private func rootKey() throws(SnapshotObstacle) -> (first: SigningKey, now: SigningKey) {
        guard let line = configuration.rootKey else {
            throw .unknown("\(FleetConfiguration.path) has no RootKey, so nothing that the centre publishes is taken")
        }
        guard let first = SigningKey(line) else {
            throw .unknown("RootKey in \(FleetConfiguration.path) is no public key as ssh-keygen writes it")
        }
        return (first, state.firstKey == first ? state.rootKey ?? first : first)
    }

    /// Checks a root document.
    ///
    /// - Parameter file: the file with its signatures.
    /// - Returns: the document, and the root key that began its line.
    /// - Throws: why it is not taken.
    func root(_ file: [UInt8]) throws(SnapshotObstacle) -> (taken: Taken<FleetRoot>, firstKey: SigningKey) {
        let name = SnapshotCheck.root
        let keys = try rootKey()
        do throws(FleetFault) {
            let signed = try SignedDocument(file, limit: FleetRoot.limit)
            let digest = SHA256.hash(signed.bytes)
            if digest != state.rootDigest || state.firstKey != keys.first {
                guard try signer(of: signed, among: [keys.now]) != nil else {
                    throw FleetFault("the root key did not sign it")
                }
            }
            let document = try FleetRoot(signed.bytes)
            try requireFleet(document.fleet)
            if document.rootKey != keys.now, try signer(of: signed, among: [document.rootKey]) == nil {
                throw FleetFault("the new root key that it names did not sign it")
            }
            let kept = [(state.rootEpoch, state.rootDigest), (highest.root?.epoch ?? 0, highest.root?.digest)]
            for (epoch, known) in kept where epoch >= document.epoch {
                guard epoch == document.epoch else {
                    throw FleetFault("its epoch \(document.epoch) is older than \(epoch), which this host has")
                }
                guard known == digest else {
                    throw FleetFault("it has the epoch \(epoch) of another document that this host has")
                }
            }
            guard document.epoch >= configuration.leastEpoch else {
                throw FleetFault("its epoch \(document.epoch) is older than \(configuration.leastEpoch) of fleet.json")
            }
            return (Taken(content: document, digest: digest, signer: ""), keys.first)
        } catch {
            throw obstacle(error, name, file)
        }
    }

    /// Checks a snapshot.
    ///
    /// - Parameters:
    ///   - file: the file with its signature.
    ///   - root: who may sign.
    /// - Returns: the snapshot; `nil` if it is the one in force.
    /// - Throws: why it is not taken.
    func snapshot(_ file: [UInt8], _ root: FleetRoot) throws(SnapshotObstacle) -> Taken<Snapshot>? {
        do throws(FleetFault) {
            let signed = try SignedDocument(file, limit: Snapshot.limit)
            let digest = SHA256.hash(signed.bytes)
            if digest == state.digest { return nil }
            guard let key = try signer(of: signed, among: root.signers.map(\.key)), let who = root.name(of: key) else {
                throw FleetFault("nobody who may publish in epoch \(root.epoch) signed it")
            }
            let snapshot = try Snapshot(signed.bytes)
            try requireFleet(snapshot.fleet)
            let number = snapshot.number
            guard number.epoch == root.epoch else {
                throw FleetFault("it says epoch \(number.epoch), and pub/root is of epoch \(root.epoch)")
            }
            let kept = [state.number.map { ($0, state.digest) }, highest.snapshot.map { ($0.number, $0.digest) }]
            for case (let known, let content)? in kept where known >= number {
                guard known == number else { throw FleetFault("\(number) is older than \(known), which this host has") }
                guard content == digest else {
                    throw FleetFault("it has the number \(number) of another snapshot that this host has")
                }
            }
            let least = SnapshotNumber(epoch: configuration.leastEpoch, serial: configuration.leastSerial)
            guard number >= least else { throw FleetFault("\(number) is older than \(least) of fleet.json") }
            return Taken(content: snapshot, digest: digest, signer: who)
        } catch {
            throw obstacle(error, SnapshotCheck.snapshot, file)
        }
    }

    private func requireFleet(_ name: String) throws(FleetFault) {
        guard name.utf8.elementsEqual(configuration.fleet.utf8) else {
            throw FleetFault("it is of fleet \(Printable.escape(name)), and this host is in \(configuration.fleet)")
        }
    }

    /// The mark of a fault that says nothing of the document.
    private static let unknown = "it could not be checked: "

    private func signer(of document: SignedDocument, among keys: [SigningKey]) throws(FleetFault) -> SigningKey? {
        do throws(SignatureVerifier.Refusal) {
            return try document.signer(among: keys)
        } catch {
            throw FleetFault(SnapshotCheck.unknown + error.reason)
        }
    }

    private func obstacle(_ fault: FleetFault, _ name: String, _ file: [UInt8]) -> SnapshotObstacle {
        fault.message.utf8.starts(with: SnapshotCheck.unknown.utf8)
            ? .unknown("\(name): \(fault.message)") : .refused(name, fault, file)
    }
}
