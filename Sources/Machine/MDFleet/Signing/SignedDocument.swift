import MDPlatform
package import MDPolicyAdministration
package import MDPolicyModel
package import MDPolicyStore
import MDPropertyList

/// A signed document of a fleet in one file: the document's bytes, which end in a newline, then the armoured SSH
/// signature of exactly these bytes.
///
/// A root document that names a successor of its key has a signature of each. Nothing is signed twice otherwise.
package struct SignedDocument: Hashable, Sendable {
    /// The purpose that a signature is made for: no signature of a policy file or a report counts here.
    package static let namespace = "managed-defaults-fleet"
    /// The most signatures, and the most bytes of one.
    private static let signatures = 4
    private static let longestSignature = 16_384

    /// The document.
    package let bytes: [UInt8]
    /// The signatures with their armour.
    private let signatures: [[UInt8]]

    /// Splits a file.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - limit: the most bytes of the document.
    /// - Throws: what is wrong, with its line. Nothing is verified.
    package init(_ file: [UInt8], limit: Int) throws(FleetFault) {
        guard file.count <= limit + SignedDocument.signatures * SignedDocument.longestSignature else {
            throw FleetFault("it has more than \(limit) bytes")
        }
        var (signatures, start, number): ([[UInt8]], Int?, Int) = ([], nil, 0)
        var (documentEnd, offset): (Int?, Int) = (nil, 0)
        func fault(_ message: String) -> FleetFault {
            FleetFault(message, at: Position(line: number, column: 1, offset: offset))
        }
        while offset < file.count {
            number += 1
            guard let end = file[offset...].firstIndex(of: 0x0a) else {
                throw fault("the file ends in the midst of a line")
            }
            let line = file[offset..<end]
            if line.elementsEqual(SSHSignature.begin.utf8) {
                guard start == nil else { throw fault("a signature begins within another one") }
                guard signatures.count < SignedDocument.signatures else {
                    throw fault("there are more than \(SignedDocument.signatures) signatures")
                }
                start = offset
                documentEnd = documentEnd ?? offset
            } else if line.elementsEqual(SSHSignature.end.utf8) {
                guard let begin = start else { throw fault("a signature ends that did not begin") }
                guard end + 1 - begin <= SignedDocument.longestSignature else {
                    throw fault("this signature is too long")
                }
                signatures.append(Array(file[begin...end]))
                start = nil
            } else if documentEnd != nil, start == nil {
                throw fault("something follows the signature")
            }
            offset = end + 1
        }
        guard let documentEnd else { throw FleetFault("it has no signature") }
        guard start == nil else { throw fault("the signature does not end") }
        guard (1...limit).contains(documentEnd) else {
            throw FleetFault(documentEnd == 0 ? "there is no document" : "it has more than \(limit) bytes")
        }
        (bytes, self.signatures) = (Array(file[..<documentEnd]), signatures)
    }

    /// Signs a document.
    ///
    /// - Parameters:
    ///   - bytes: the document, with the newline at its end.
    ///   - keys: the paths of the keys, in the file system of the caller; for a public one, the agent signs.
    /// - Throws: why it could not be signed, as a clause.
    package init(signing bytes: [UInt8], keys: [String]) throws(OperationError) {
        var signatures: [[UInt8]] = []
        for key in keys {
            signatures.append(try SSHSignature.sign(bytes, key: key, namespace: SignedDocument.namespace))
        }
        (self.bytes, self.signatures) = (bytes, signatures)
    }

    /// The file.
    package var file: [UInt8] { bytes + signatures.flatMap { $0 } }

    /// The first of some keys that signed the document; `nil` if none did.
    ///
    /// - Throws: if `ssh-keygen` could not be run, so that nothing is known.
    package func signer(among keys: [SigningKey]) throws(SignatureVerifier.Refusal) -> SigningKey? {
        // A list by numbers, so that nothing in it has to be escaped.
        let lines = keys.enumerated().map { index, key in
            "\(index) namespaces=\"\(SignedDocument.namespace)\" \(key)\n"
        }
        let list = Array(lines.joined().utf8)
        for signature in signatures {
            let answer = try SSHSignature.signer(
                of: bytes, signature, among: list, namespace: SignedDocument.namespace)
            guard case .signed(let name) = answer, let index = Int(name), keys.indices.contains(index) else { continue }
            return keys[index]
        }
        return nil
    }
}
