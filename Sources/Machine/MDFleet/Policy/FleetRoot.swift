package import MDPolicyAdministration
import MDPropertyList

/// The signers of the snapshots of a fleet: `pub/root`, signed by the root key.
///
/// Each change has a higher epoch, which ends what the keys of an earlier one signed. A document that names another root
/// key is signed by the old and the new one.
package struct FleetRoot: Hashable, Sendable {
    /// A key that may publish.
    package struct Signer: Hashable, Sendable {
        /// The key.
        package let key: SigningKey
        /// The name, for people.
        package let who: String

        package init(_ key: SigningKey, who: String) { (self.key, self.who) = (key, who) }
    }

    /// The fleet.
    package let fleet: String
    /// The number of this document, at least 1.
    package let epoch: Int
    /// The key that signs later root documents.
    package let rootKey: SigningKey
    /// The signers of snapshots of this epoch.
    package let signers: [Signer]

    package init(fleet: String, epoch: Int, rootKey: SigningKey, signers: [Signer]) {
        (self.fleet, self.epoch, self.rootKey, self.signers) = (fleet, epoch, rootKey, signers)
    }

    /// The most bytes of the document.
    package static let limit = 131_072
    /// The most signers.
    private static let signers = 16

    /// Parses a document whose signature was verified, or is yet to be.
    package init(_ bytes: [UInt8]) throws(FleetFault) {
        let document = try FleetDocument(bytes, limit: FleetRoot.limit)
        fleet = try document.required("Fleet", try document.text("Fleet"))
        epoch = try document.required("Epoch", try document.count("Epoch"))
        guard epoch > 0 else { throw document.fault("Epoch", "epochs are counted from 1") }
        rootKey = try document.key("RootKey")
        var signers: [Signer] = []
        let list = try document.dictionaries("Signers", atMost: FleetRoot.signers)
        for signer in try document.required("Signers", list) {
            let who = try signer.required("Who", try signer.text("Who"))
            signers.append(Signer(try signer.key("Key"), who: who))
        }
        guard !signers.isEmpty else { throw document.fault("Signers", "nobody may sign") }
        self.signers = signers
    }

    /// The document, with the newline at its end.
    package var bytes: [UInt8] {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("Fleet", fleet)
        json.field("Epoch", epoch)
        json.field("RootKey", rootKey.description)
        json.member("Signers")
        json.beginArray()
        for signer in signers {
            json.beginObject()
            json.field("Key", signer.key.description)
            json.field("Who", signer.who)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.utf8 + [0x0a]
    }

    /// Signs the document.
    ///
    /// - Parameter keys: the paths of the root key and, where ``rootKey`` is a new one, of the new one too.
    /// - Returns: the document with its signatures.
    /// - Throws: why it could not be signed, as a clause.
    package func signed(by keys: [String]) throws(OperationError) -> SignedDocument {
        try SignedDocument(signing: bytes, keys: keys)
    }

    /// The name of a signer; `nil` for a key that may not sign.
    package func name(of key: SigningKey) -> String? { signers.first { $0.key == key }?.who }
}

extension FleetDocument {
    /// A public key that must be there.
    package func key(_ name: String) throws(FleetFault) -> SigningKey {
        let line = try required(name, try text(name, limit: SigningKey.longest))
        guard let key = SigningKey(line) else { throw fault(name, "this is no public key as ssh-keygen writes it") }
        return key
    }
}
