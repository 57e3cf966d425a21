package import MDAuditLog
package import MDPlatform
import MDPropertyList

/// What a report was made of: digests of its inputs, from which its id follows.
package struct ReportEvidence: Sendable {
    /// An input and the digest of its bytes.
    package struct Input: Hashable, Sendable {
        package let name: String
        package let digest: Digest

        package init(name: String, digest: Digest) {
            (self.name, self.digest) = (name, digest)
        }
    }

    /// The inputs, in a fixed order.
    package let inputs: [Input]
    /// The newest checkpoint of the audit log when the report was made; `nil` if there is none, or it cannot be read.
    package let head: Checkpoint?
    /// The time of the last record that was read of the log; `nil` if there is none.
    package let last: Timestamp?
    /// The id: equal for reports of equal inputs, questions and times, in the form of a UUID that is made of a name.
    package let id: String

    /// Derives the id.
    ///
    /// - Parameters:
    ///   - inputs: the inputs.
    ///   - head: the newest checkpoint of the audit log.
    ///   - last: the time of its last record.
    ///   - question: what was asked: host, times, title, version.
    package init(inputs: [Input], head: Checkpoint?, last: Timestamp?, question: [String]) {
        (self.inputs, self.head, self.last) = (inputs, head, last)
        var hash = DigestBuilder()
        for text in question { hash.add(text) }
        for input in inputs {
            hash.add(input.name)
            hash.add(input.digest.hex)
        }
        hash.add(head?.body ?? "")
        id = ReportEvidence.id(of: hash.digest)
    }

    /// A digest in the form of a UUID (RFC 9562) of version 5, that of names.
    package static func id(of digest: Digest) -> String {
        var bytes = Array(digest.bytes.prefix(16))
        bytes[6] = bytes[6] & 0x0f | 0x50
        bytes[8] = bytes[8] & 0x3f | 0x80
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return text
    }
}

/// Feeds texts into a digest so that no two lists of texts have the same one.
package struct DigestBuilder {
    private var hash = SHA256()

    package init() {}

    /// Adds a text: its length, then its bytes.
    package mutating func add(_ text: String) {
        hash.update(Array("\(text.utf8.count):".utf8))
        hash.update(Array(text.utf8))
    }

    /// Adds bytes.
    package mutating func add(_ bytes: [UInt8]) {
        hash.update(Array("\(bytes.count):".utf8))
        hash.update(bytes)
    }

    package var digest: Digest { hash.finish() }
}
