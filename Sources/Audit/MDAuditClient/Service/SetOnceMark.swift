package import MDPropertyList

/// The mark of an entry that was set once: which policy set which key on which occasion.
///
/// A line of a message to the audit service, of the service's own file and of a user's: a JSON object of four strings.
package struct SetOnceMark: Hashable, Sendable {
    /// The most bytes of a line of a message.
    private static let longestLine = 1_024

    /// The identifier of the policy.
    package let policy: Key
    /// What makes the entry a new one: `version 3`, `stamp spring`, `session 5 of BOOT`.
    package let occasion: Key
    /// The domain.
    package let domain: Key
    /// The key.
    package let key: Key

    /// Makes a mark.
    package init(policy: Key, occasion: Key, domain: Key, key: Key) {
        (self.policy, self.occasion, self.domain, self.key) = (policy, occasion, domain, key)
    }

    /// Parses a line of a user's file, which may have other members: older versions wrote a `word`.
    ///
    /// - Returns: `nil` if the line is not a mark.
    package init?(stored line: [UInt8]) {
        guard let source = try? SourceText(decoding: line), let document = try? JSONReader.readPlain(source),
            case .dictionary(let members) = document.root.value, case .string(let policy)? = members["policy"],
            case .string(let occasion)? = members["occasion"], case .string(let domain)? = members["domain"],
            case .string(let key)? = members["key"]
        else { return nil }
        self.init(policy: Key(policy), occasion: Key(occasion), domain: Key(domain), key: Key(key))
    }

    /// Parses a line of a message, without its line feed, which is a mark only in the form that ``line`` has.
    ///
    /// - Throws: `invalid` if it is not a mark, or has more than 1,024 bytes.
    package init(line: [UInt8]) throws(ServiceMessageError) {
        guard line.count <= SetOnceMark.longestLine, let mark = SetOnceMark(stored: line), mark.line == line else {
            throw .invalid("a line is no mark")
        }
        self = mark
    }

    /// The line, without its line feed; the same for equal marks.
    package var line: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.field("policy", policy.string)
        json.field("occasion", occasion.string)
        json.field("domain", domain.string)
        json.field("key", key.string)
        json.endObject()
        return json.utf8
    }
}

/// What the audit service is to do with set-once marks; the raw value is a word of the message.
package enum MarkRequest: String, Hashable, Sendable {
    /// Say which it remembers.
    case ask
    /// Remember all from the answer on, and record those that are new.
    case remember
    /// Remember all from the answer on; the log has the records, because the user's own file held the marks.
    case adopt
}

/// What the audit service remembers of some set-once marks.
package enum MarkMemory: Hashable, Sendable {
    /// It remembers these, and none of the others.
    case marks(Set<SetOnceMark>)
    /// Nothing is known, because it does not answer for all of them.
    case unknown
    /// This machine has no service.
    case noService
}
