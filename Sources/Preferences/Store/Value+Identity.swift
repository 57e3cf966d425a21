package import PropertyList

extension Value {
    /// Whether storing one value in the place of the other would change nothing: the same types, all the way down.
    ///
    /// Equality joins numbers of different types; a file keeps them apart.
    package func isIdentical(to other: Value) -> Bool {
        switch (self, other) {
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern || (left.isNaN && right.isNaN)
        case (.string, .string), (.date, .date), (.data, .data): self == other
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isIdentical(to: $1) }
        case (.dictionary(let left), .dictionary(let right)): Value.areIdentical(left, right)
        default: false
        }
    }

    /// Whether two dictionaries have the same keys with identical values.
    static func areIdentical(_ left: [Key: Value], _ right: [Key: Value]) -> Bool {
        left.count == right.count
            && left.allSatisfy { key, value in right[key].map { value.isIdentical(to: $0) } ?? false }
    }
}
