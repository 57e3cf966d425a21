package import MDPropertyList

/// A set-once mark as the audit service remembers it: which policy set which key on which occasion.
///
/// A line of a message and of the service's own file: a JSON object of four strings.
package struct ServiceMark: Hashable, Sendable {
    /// The most bytes of a line.
    private static let longestLine = 1_024

    /// The identifier of the policy.
    package let policy: Key
    /// What makes the entry a new one: `version 3`.
    package let occasion: Key
    /// The domain.
    package let domain: Key
    /// The key.
    package let key: Key

    /// Makes a mark.
    package init(policy: Key, occasion: Key, domain: Key, key: Key) {
        (self.policy, self.occasion, self.domain, self.key) = (policy, occasion, domain, key)
    }

    /// Parses a line without its line feed, which is a mark only in the form that ``line`` has.
    ///
    /// - Throws: `invalid` if it is no mark, or has more than 1,024 bytes.
    package init(line: [UInt8]) throws(ServiceMessageError) {
        guard line.count <= ServiceMark.longestLine, let source = try? SourceText(decoding: line),
            let document = try? JSONReader.readPlain(source), case .dictionary(let members) = document.root.value,
            members.count == 4, case .string(let policy)? = members["policy"],
            case .string(let occasion)? = members["occasion"], case .string(let domain)? = members["domain"],
            case .string(let key)? = members["key"]
        else { throw .invalid("a line is no mark") }
        self.init(policy: Key(policy), occasion: Key(occasion), domain: Key(domain), key: Key(key))
        guard self.line == line else { throw .invalid("a line is no mark") }
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
