package import MDPolicyModel
package import MDPropertyList

extension CombineOperator {
    /// Whether the operator combines values of a value's type.
    package func joins(_ value: Value) -> Bool {
        switch (self, value) {
        case (.union, .array), (.merge, .dictionary), (.and, .boolean), (.or, .boolean): true
        case (.min, .integer), (.max, .integer): true
        case (.min, .real(let number)), (.max, .real(let number)): !number.isNaN
        default: false
        }
    }

    /// Combines values of a type that the operator combines, the strongest last; `nil` if there are none.
    ///
    /// Of several equal values the strongest is used, because equal values may differ in type.
    ///
    /// Complexity: O(n) of the size of all values.
    package func joined(_ values: [Value]) -> Value? {
        guard var result = values.first else { return nil }
        switch self {
        case .replace: return values.last
        case .union: return .array(CombineOperator.union(values))
        case .merge:
            for value in values.dropFirst() { result = CombineOperator.merge(result, value) }
        case .min:
            for value in values.dropFirst() where !Constraint.isLess(result, value) { result = value }
        case .max:
            for value in values.dropFirst() where !Constraint.isLess(value, result) { result = value }
        case .and: return .boolean(values.allSatisfy { $0 == .boolean(true) })
        case .or: return .boolean(values.contains { $0 == .boolean(true) })
        }
        return result
    }

    /// The elements of arrays in order, each once.
    private static func union(_ arrays: [Value]) -> [Value] {
        var seen: Set<HashedValue> = []
        var result: [Value] = []
        for case .array(let elements) in arrays {
            for element in elements where seen.insert(HashedValue(value: element)).inserted { result.append(element) }
        }
        return result
    }

    /// The entries of two dictionaries, recursively; of anything else, the stronger value.
    private static func merge(_ weak: Value, _ strong: Value) -> Value {
        guard case .dictionary(var result) = weak, case .dictionary(let others) = strong else { return strong }
        for (key, value) in others {
            result[key] = result[key].map { merge($0, value) } ?? value
        }
        return .dictionary(result)
    }
}

/// A value as a hashable key, so that the union of long lists takes linear time.
struct HashedValue: Hashable {
    let value: Value

    /// Hashes what two equal values have in common.
    func hash(into hasher: inout Hasher) { HashedValue.feed(value, into: &hasher) }

    /// Hashes a value and its content.
    private static func feed(_ value: Value, into hasher: inout Hasher) {
        switch value {
        case .string(let text): hasher.combine(Key(text))
        case .boolean(let truth): hasher.combine(truth ? 1.0 : 0.0)
        // Numbers compare by value; equal ones have the same nearest floating-point number.
        case .integer(let number): hasher.combine(number.double)
        case .real(let number), .date(let number): hasher.combine(number.isNaN ? 0.5 : number)
        case .data(let bytes): hasher.combine(bytes)
        case .array(let elements):
            hasher.combine(elements.count)
            for element in elements { feed(element, into: &hasher) }
        case .dictionary(let entries):
            hasher.combine(entries.count)
            // Dictionaries are unordered.
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
