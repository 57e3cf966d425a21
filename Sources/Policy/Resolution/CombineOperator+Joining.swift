import PropertyList

extension CombineOperator {
    /// Whether the operator joins values of a value's type.
    func joins(_ value: Value) -> Bool {
        switch (self, value) {
        case (.union, .array), (.merge, .dictionary), (.and, .boolean), (.or, .boolean): true
        case (.min, .integer), (.max, .integer): true
        case (.min, .real(let number)), (.max, .real(let number)): !number.isNaN
        default: false
        }
    }

    /// Joins values of a type that it joins, the strongest last; `nil` without any.
    ///
    /// Of several that are equal the strongest is taken, for the sake of its type.
    ///
    /// Complexity: O(n) of the size of all values.
    func joined(_ values: [Value]) -> Value? {
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

    /// The entries of two dictionaries, however deep; of anything else, the stronger value.
    private static func merge(_ weak: Value, _ strong: Value) -> Value {
        guard case .dictionary(var result) = weak, case .dictionary(let others) = strong else { return strong }
        for (key, value) in others {
            result[key] = result[key].map { merge($0, value) } ?? value
        }
        return .dictionary(result)
    }
}
