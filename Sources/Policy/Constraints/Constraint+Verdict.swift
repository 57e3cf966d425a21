package import PropertyList

extension Constraint {
    /// What becomes of a user's value.
    ///
    /// With a bound, a number is needed; a string of decimal digits counts as one, because that is how numbers come from
    /// arguments. Beyond a bound stands the bound: in the user's numeric type where that holds it exactly, else in its
    /// own. What is no number, not one of the allowed values, or no match of the pattern, is refused.
    ///
    /// Complexity: O(values of `OneOf`).
    package func verdict(on value: Value) -> ConstraintVerdict {
        guard let obeyed = bounded(value), oneOf?.contains(obeyed) ?? true, hasPattern(obeyed) else { return .refused }
        return obeyed == value ? .allowed : .clamped(obeyed)
    }

    /// What the bounds make of a value; `nil` where they refuse it.
    private func bounded(_ value: Value) -> Value? {
        guard minimum != nil || maximum != nil else { return value }
        // Bounds that cross leave nothing on either side.
        if let minimum, let maximum, Constraint.isLess(maximum, minimum) { return nil }
        guard let number = Constraint.number(value) else { return nil }
        if let minimum, Constraint.isLess(number, minimum) { return Constraint.converted(minimum, like: value) }
        if let maximum, Constraint.isLess(maximum, number) { return Constraint.converted(maximum, like: value) }
        return value
    }

    /// Whether a value is as the pattern asks for.
    private func hasPattern(_ value: Value) -> Bool {
        guard let pattern else { return true }
        guard case .string(let text) = value else { return false }
        return pattern.matches(text)
    }

    /// The single value that the constraint leaves, in the administrator's own words; `nil` where it leaves several, or
    /// none.
    package var onlyValue: Value? {
        if let oneOf {
            // Every program start asks: a long list is left at its second value.
            var only: Value?
            for value in oneOf where value != only && leaves(value) {
                if only != nil { return nil }
                only = value
            }
            return only
        }
        guard let minimum, let maximum, minimum == maximum, verdict(on: minimum) == .allowed else { return nil }
        return minimum
    }

    /// Whether the rest of the constraint leaves a value of `OneOf` as it is.
    private func leaves(_ value: Value) -> Bool { bounded(value) == value && hasPattern(value) }

    /// Why no value can satisfy the constraint, as a clause; `nil` where one does.
    var contradiction: String? {
        if let minimum, let maximum, Constraint.isLess(maximum, minimum) {
            return "its Minimum is greater than its Maximum"
        }
        if let oneOf {
            if oneOf.isEmpty { return "its OneOf is empty" }
            if oneOf.contains(where: leaves) { return nil }
            return "none of the values of its OneOf satisfies the rest of it"
        }
        guard let pattern else { return nil }
        if !pattern.matchesSomething { return "no string matches its Pattern" }
        let isBounded = minimum != nil || maximum != nil
        return isBounded && !pattern.matchesNumber ? "its bounds ask for a number, and its Pattern matches none" : nil
    }

    /// The number that a value counts as, where a bound asks for one.
    private static func number(_ value: Value) -> Value? {
        switch value {
        case .integer: return value
        case .real(let number): return number.isNaN ? nil : value
        case .string(let text): return plainNumber(text)
        case .boolean, .date, .data, .array, .dictionary: return nil
        }
    }

    /// The number of a text that is one as a whole: digits with an optional sign and decimals.
    ///
    /// Every getter reads such a text as the same number; one with an exponent or a tail is different numbers to
    /// `integer(forKey:)` and `double(forKey:)`.
    private static func plainNumber(_ text: String) -> Value? {
        var hasDigits = false
        var hasPoint = false
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): hasDigits = true
            case UInt8(ascii: "+"), UInt8(ascii: "-"): if index > 0 { return nil }
            case UInt8(ascii: "."):
                if hasPoint || !hasDigits { return nil }
                hasPoint = true
            default: return nil
            }
        }
        guard hasDigits, text.utf8.last != UInt8(ascii: ".") else { return nil }
        if !hasPoint, let whole = Integer(decimal: text) { return .integer(whole) }
        return Double(text).map { .real($0) }
    }

    /// A bound in the numeric type of a user's value, where that holds it exactly.
    private static func converted(_ bound: Value, like value: Value) -> Value {
        switch (bound, value) {
        case (.real(let bound), .integer):
            if let whole = Int64(exactly: bound) { return .integer(Integer(whole)) }
            if let whole = UInt64(exactly: bound) { return .integer(Integer(whole)) }
        case (.integer(let whole), .real):
            let real = whole.double
            if Value.real(real) == bound { return .real(real) }
        default: break
        }
        return bound
    }

    /// Whether one number is less than another, exactly; false where one of them is none.
    static func isLess(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.real(let left), .real(let right)): left < right
        case (.integer(let left), .real(let right)): compare(left, right) < 0
        case (.real(let left), .integer(let right)): compare(right, left) > 0
        default: false
        }
    }

    /// The sign of the difference of an integer and a real; 0 also where the real is not a number.
    private static func compare(_ whole: Integer, _ real: Double) -> Int {
        if real.isNaN { return 0 }
        let floor = real.rounded(.down)
        let floorInteger = Int64(exactly: floor).map { Integer($0) } ?? UInt64(exactly: floor).map { Integer($0) }
        guard let floorInteger else { return real < 0 ? 1 : -1 }
        if whole != floorInteger { return whole < floorInteger ? -1 : 1 }
        return real > floor ? -1 : 0
    }
}
