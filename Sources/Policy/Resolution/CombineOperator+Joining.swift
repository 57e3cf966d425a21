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
            for value in values.dropFirst() where !CombineOperator.isLess(result, value) { result = value }
        case .max:
            for value in values.dropFirst() where !CombineOperator.isLess(value, result) { result = value }
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

    /// Whether one number is less than another, compared by what they count.
    private static func isLess(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.real(let left), .real(let right)): left < right
        case (.integer(let left), .real(let right)): compare(left, right) < 0
        case (.real(let left), .integer(let right)): compare(right, left) > 0
        default: false
        }
    }

    /// Compares a whole number with another number that is not NaN: negative, zero or positive, as the whole one is
    /// less, equal or greater.
    private static func compare(_ whole: Integer, _ real: Double) -> Int {
        // Both ends are powers of two, which a floating-point number holds exactly.
        if real >= 18_446_744_073_709_551_616 { return -1 }
        if real < -9_223_372_036_854_775_808 { return 1 }
        let floor = real.rounded(.down)
        guard let below = Int64(exactly: floor).map({ Integer($0) }) ?? UInt64(exactly: floor).map({ Integer($0) })
        else { return 0 }
        if whole == below { return floor < real ? -1 : 0 }
        return whole < below ? -1 : 1
    }
}
