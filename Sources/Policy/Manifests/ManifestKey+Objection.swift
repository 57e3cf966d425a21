import Platform
package import PropertyList

extension ManifestKey {
    /// What the manifest has against a value, as a clause that goes on with the key: `must be at most 600, and is 700`.
    ///
    /// A key in a dictionary that the manifest does not know is nothing against it: manifests are seldom complete. Values
    /// of sensitive keys are not told.
    ///
    /// Complexity: O(size of the value) times the number of kinds of elements that an array may have.
    package func objection(to value: Value) -> String? {
        if let type, !type.fits(value) { return "must be \(type.words), not \(value.noun)" }
        if let minimum, Self.isLess(value, minimum) { return "must be at least \(text(minimum))\(found(value))" }
        if let maximum, Self.isLess(maximum, value) { return "must be at most \(text(maximum))\(found(value))" }
        if let objection = contentObjection(to: value) { return objection }
        guard isScalar(value) else { return nil }
        if let oneOf, !oneOf.contains(value) {
            let words = oneOf.prefix(12).map { text($0) }.joined(separator: ", ")
            return "must be one of \(words)\(oneOf.count > 12 ? ", …" : "")\(found(value))"
        }
        if let pattern, case .string(let string) = value, !pattern.matches(string) {
            return "must match \(Printable.escape(format.isEmpty ? pattern.text : format))\(found(value))"
        }
        return nil
    }

    /// Whether a constraint certainly allows no value that the manifest does.
    func isApart(from constraint: Constraint) -> Bool {
        if let values = constraint.oneOf { return values.allSatisfy { objection(to: $0) != nil } }
        if let own = maximum, let other = constraint.minimum, Self.isLess(own, other) { return true }
        if let own = minimum, let other = constraint.maximum, Self.isLess(other, own) { return true }
        return false
    }

    /// What is wrong within an array or a dictionary.
    private func contentObjection(to value: Value) -> String? {
        switch value {
        case .array(let elements) where !subkeys.isEmpty:
            for (index, element) in elements.enumerated() {
                let objection =
                    if case .dictionary(let entries) = element, isListOfKeys {
                        dictionaryObjection(to: entries)
                    } else {
                        Self.objection(of: subkeys, to: element)
                    }
                if let objection { return "[\(index)] \(objection)" }
            }
            return nil
        case .dictionary(let entries) where !subkeys.isEmpty:
            return dictionaryObjection(to: entries)
        default: return nil
        }
    }

    /// Whether what stands below an array are the keys of dictionaries in it, without the dictionary around them.
    private var isListOfKeys: Bool {
        subkeys.count > 1 && subkeys.allSatisfy { !$0.name.string.isEmpty && $0.type != nil && $0.type != .dictionary }
    }

    /// What several descriptions have against a value; nothing where one of them has nothing.
    private static func objection(of kinds: [ManifestKey], to value: Value) -> String? {
        var first: String?
        for kind in kinds {
            guard let objection = kind.objection(to: value) else { return nil }
            first = first ?? objection
        }
        return first
    }

    /// What is wrong within a dictionary, whose keys the manifest names or leaves open.
    private func dictionaryObjection(to entries: [Key: Value]) -> String? {
        let anyValue = subkeys.first { $0.name == "{{value}}" }
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            var known = subkeys.filter { $0.name == key }
            if known.isEmpty, let anyValue { known = [anyValue] }
            if let objection = Self.objection(of: known, to: value) { return "\(Self.dotted(key))\(objection)" }
        }
        let missing = subkeys.first { $0.isRequired && !Self.isPlaceholder($0.name) && entries[$0.name] == nil }
        return missing.map { "must have the key \(Printable.escape($0.name.string))" }
    }

    /// A key on the way to what is wrong, with a blank behind it where no index follows.
    private static func dotted(_ key: Key) -> String { ".\(Printable.escape(key.string)) " }

    /// Whether a name stands for any key.
    private static func isPlaceholder(_ name: Key) -> Bool { name.string.utf8.starts(with: "{{".utf8) }

    /// Whether a value has no parts; the allowed values of an array are those of its elements.
    private func isScalar(_ value: Value) -> Bool {
        switch value {
        case .array, .dictionary: false
        default: true
        }
    }

    /// Whether one value comes before another; false where they cannot be compared.
    private static func isLess(_ left: Value, _ right: Value) -> Bool {
        if case (.date(let left), .date(let right)) = (left, right) { return left < right }
        return Constraint.isLess(left, right)
    }

    /// What the value is instead, where it may be told.
    private func found(_ value: Value) -> String { isSensitive ? "" : ", and is \(text(value))" }

    /// A value in JSON, short enough for a message.
    private func text(_ value: Value) -> String {
        var writer = JSONWriter()
        writer.value(value)
        let scalars = writer.text.unicodeScalars
        let shown = scalars.count > 80 ? String(String.UnicodeScalarView(scalars.prefix(80))) + "…" : writer.text
        return Printable.escape(shown)
    }
}
