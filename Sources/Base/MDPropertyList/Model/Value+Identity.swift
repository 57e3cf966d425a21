extension Value {
    /// Whether replacing one stored value by the other would change nothing: the types are equal too, at every level.
    ///
    /// Equality treats numbers of different types as equal; a file distinguishes them.
    package func isIdentical(to other: Value) -> Bool {
        switch (self, other) {
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern || (left.isNaN && right.isNaN)
        case (.string, .string), (.date, .date), (.data, .data): self == other
        case (.array(let left), .array(let right)): Value.areIdentical(left, right)
        case (.dictionary(let left), .dictionary(let right)): Value.areIdentical(left, right)
        default: false
        }
    }

    /// Whether two arrays have identical values in the same order.
    package static func areIdentical(_ left: [Value], _ right: [Value]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { $0.isIdentical(to: $1) }
    }

    /// Whether two dictionaries have the same keys with identical values.
    package static func areIdentical(_ left: [Key: Value], _ right: [Key: Value]) -> Bool {
        left.count == right.count
            && left.allSatisfy { key, value in right[key].map { value.isIdentical(to: $0) } ?? false }
    }
}

extension Value? {
    /// Whether both are missing, or both are there and identical.
    package func isIdentical(to other: Value?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let value?, let other?): value.isIdentical(to: other)
        default: false
        }
    }
}
