import FoundationEssentials
import PropertyList

extension String: ScalarValue {
    /// The text.
    var storedValue: PropertyList.Value? { .string(self) }

    /// Takes over texts.
    init(strictly value: PropertyList.Value) throws(ScalarMismatch) {
        guard case .string(let text) = value else { throw .type }
        self = text
    }

    /// Takes over texts and numbers as `string(forKey:)` does.
    init?(coercing value: PropertyList.Value, in defaults: ManagedDefaults) {
        guard let text = value.stringValue else { return nil }
        self = text
    }
}

extension Date: ScalarValue {
    /// The point in time; `nil` for one that is infinitely far away or none.
    var storedValue: PropertyList.Value? {
        timeIntervalSinceReferenceDate.isFinite ? .date(timeIntervalSinceReferenceDate) : nil
    }

    /// Takes over dates.
    init(strictly value: PropertyList.Value) throws(ScalarMismatch) {
        guard case .date(let seconds) = value else { throw .type }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }
}

extension Data: ScalarValue {
    /// The bytes.
    var storedValue: PropertyList.Value? { .data(Array(self)) }

    /// Takes over data.
    init(strictly value: PropertyList.Value) throws(ScalarMismatch) {
        guard case .data(let bytes) = value else { throw .type }
        self.init(bytes)
    }
}

extension URL: ScalarValue {
    /// The absolute string: an administrator can read it, and force it in a policy file.
    var storedValue: PropertyList.Value? { .string(absoluteString) }

    /// Takes over texts that are URLs.
    init(strictly value: PropertyList.Value) throws(ScalarMismatch) {
        guard case .string(let text) = value else { throw .type }
        guard let url = URL(string: text, encodingInvalidCharacters: false) else {
            throw .content("the text is no URL")
        }
        self = url
    }

    /// Takes over what ``ManagedDefaults/url(forKey:)`` reads, but a text that is a URL as that, not as a path.
    ///
    /// A text without a scheme is a path only where it begins with `/` or `~`.
    init?(coercing value: PropertyList.Value, in defaults: ManagedDefaults) {
        let url: URL?
        switch value {
        case .string(let text) where text.utf8.first != UInt8(ascii: "/") && text.utf8.first != UInt8(ascii: "~"):
            url = try? URL(strictly: value)
        default: url = defaults.url(of: value)
        }
        guard let url else { return nil }
        self = url
    }
}
