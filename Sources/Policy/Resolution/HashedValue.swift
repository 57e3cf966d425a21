import PropertyList

/// A value that can be told from others by its hash, so that the union of long lists takes no time.
struct HashedValue: Hashable {
    /// The value.
    let value: Value

    /// Feeds what two equal values have in common.
    func hash(into hasher: inout Hasher) { HashedValue.feed(value, into: &hasher) }

    /// Feeds a value, and what it holds.
    private static func feed(_ value: Value, into hasher: inout Hasher) {
        switch value {
        case .string(let text): hasher.combine(Key(text))
        case .boolean(let truth): hasher.combine(truth ? 1.0 : 0.0)
        // Numbers compare by what they count; those that are equal have one nearest floating-point number.
        case .integer(let number): hasher.combine(number.double)
        case .real(let number), .date(let number): hasher.combine(number.isNaN ? 0.5 : number)
        case .data(let bytes): hasher.combine(bytes)
        case .array(let elements):
            hasher.combine(elements.count)
            for element in elements { feed(element, into: &hasher) }
        case .dictionary(let entries):
            hasher.combine(entries.count)
            // Dictionaries have no order.
            var sum = 0
            for (key, element) in entries {
                var inner = Hasher()
                inner.combine(key)
                feed(element, into: &inner)
                sum ^= inner.finalize()
            }
            hasher.combine(sum)
        }
    }
}
