package import MDPropertyList

/// The condition that a user's value must satisfy to take effect.
package struct Constraint: Equatable, Sendable {
    /// The least number, if given; an integer or a real.
    package let minimum: Value?
    /// The greatest number, if given; an integer or a real.
    package let maximum: Value?
    /// The allowed values, if given.
    package let oneOf: [Value]?
    /// The expression that a string must match as a whole, if given.
    package let pattern: ConstraintPattern?

    package init(
        minimum: Value? = nil, maximum: Value? = nil, oneOf: [Value]? = nil, pattern: ConstraintPattern? = nil
    ) {
        self.minimum = minimum
        self.maximum = maximum
        self.oneOf = oneOf
        self.pattern = pattern
    }

    /// Whether two constraints are equal down to the types of their numbers.
    package func isIdentical(to other: Constraint) -> Bool {
        self == other && minimum.isIdentical(to: other.minimum) && maximum.isIdentical(to: other.maximum)
            && Value.areIdentical(oneOf ?? [], other.oneOf ?? [])
    }
}

/// The constraint of a key in a policy file.
package struct ConstraintEntry: Equatable, Sendable {
    package let domain: Key
    package let key: Key
    package let constraint: Constraint
    /// The place of the key.
    package let origin: Origin

    package init(domain: Key, key: Key, constraint: Constraint, origin: Origin) {
        self.domain = domain
        self.key = key
        self.constraint = constraint
        self.origin = origin
    }
}

/// The effect of a constraint on a user's value.
package enum ConstraintVerdict: Equatable, Sendable {
    /// The value takes effect.
    case allowed
    /// The value lies beyond a bound; this one takes effect instead.
    case clamped(Value)
    /// The value is ignored; the next domain of the search list decides.
    case refused
}

extension Constraint {
    /// Checks a user's value.
    ///
    /// A bound needs a number; a string of decimal digits counts as one, because arguments carry numbers as strings. A
    /// number beyond a bound becomes the bound: in the user's numeric type if that holds it exactly, else in the
    /// bound's own. Anything that is not a number, is not one of the allowed values or does not match the pattern is
    /// refused.
    ///
    /// Complexity: O(values of `OneOf`).
    package func verdict(on value: Value) -> ConstraintVerdict {
        guard let obeyed = bounded(value), oneOf?.contains(obeyed) ?? true, hasPattern(obeyed) else { return .refused }
        return obeyed == value ? .allowed : .clamped(obeyed)
    }

    /// The value limited by the bounds; `nil` if they refuse it.
    private func bounded(_ value: Value) -> Value? {
        guard minimum != nil || maximum != nil else { return value }
        // If the bounds cross, no value is allowed.
        if let minimum, let maximum, Constraint.isLess(maximum, minimum) { return nil }
        guard let number = Constraint.number(value) else { return nil }
        if let minimum, Constraint.isLess(number, minimum) { return Constraint.converted(minimum, like: value) }
        if let maximum, Constraint.isLess(maximum, number) { return Constraint.converted(maximum, like: value) }
        return value
    }

    /// Whether a value matches the pattern, if there is one.
    private func hasPattern(_ value: Value) -> Bool {
        guard let pattern else { return true }
        guard case .string(let text) = value else { return false }
        return pattern.matches(text)
    }

    /// The only value that the constraint allows, as the administrator wrote it; `nil` if it allows several or none.
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

    /// Whether the rest of the constraint allows a value of `OneOf` unchanged.
    private func leaves(_ value: Value) -> Bool { bounded(value) == value && hasPattern(value) }

    /// Why no value can satisfy the constraint, as a clause; `nil` if one can.
    package var contradiction: String? {
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

    /// The number that a bound compares: a value that is a number, or a text of one; `nil` for any other.
    private static func number(_ value: Value) -> Value? {
        switch value {
        case .integer: return value
        case .real(let number): return number.isNaN ? nil : value
        case .string(let text): return plainNumber(text)
        case .boolean, .date, .data, .array, .dictionary: return nil
        }
    }

    /// The number of a text that consists of digits with an optional sign and decimals; `nil` for any other.
    ///
    /// Every getter reads such a text as the same number; `integer(forKey:)` and `double(forKey:)` read one with an
    /// exponent or a tail as different numbers.
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

    /// A bound in the numeric type of a user's value, if that type holds it exactly; else the bound.
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

    /// Whether one number is less than another, compared exactly; false if one is not a number.
    package static func isLess(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.real(let left), .real(let right)): left < right
        case (.integer(let left), .real(let right)): compare(left, right) < 0
        case (.real(let left), .integer(let right)): compare(right, left) > 0
        default: false
        }
    }

    /// The sign of the difference of an integer and a real; 0 also if the real is not a number.
    private static func compare(_ whole: Integer, _ real: Double) -> Int {
        if real.isNaN { return 0 }
        let floor = real.rounded(.down)
        let floorInteger = Int64(exactly: floor).map { Integer($0) } ?? UInt64(exactly: floor).map { Integer($0) }
        guard let floorInteger else { return real < 0 ? 1 : -1 }
        if whole != floorInteger { return whole < floorInteger ? -1 : 1 }
        return real > floor ? -1 : 0
    }
}

extension Constraint {
    /// The most allowed values that ``words`` lists.
    private static let listed = 12

    /// The allowed values, in words that follow "must be": `at most 70`, `from 3 to 70`, `one of a, b`.
    ///
    /// Texts are not escaped; the caller that prints them does that.
    package var words: String {
        var clauses: [String] = []
        switch (minimum, maximum) {
        case (let minimum?, let maximum?):
            clauses.append("from \(Constraint.text(minimum)) to \(Constraint.text(maximum))")
        case (let minimum?, nil): clauses.append("at least \(Constraint.text(minimum))")
        case (nil, let maximum?): clauses.append("at most \(Constraint.text(maximum))")
        case (nil, nil): break
        }
        if let oneOf {
            let names = oneOf.prefix(Constraint.listed).map { Constraint.text($0) }.joined(separator: ", ")
            let rest = oneOf.count > Constraint.listed ? " and \(oneOf.count - Constraint.listed) more" : ""
            clauses.append(oneOf.count == 1 ? names : "one of \(names)\(rest)")
        }
        if let pattern { clauses.append("a text that matches \(pattern.text)") }
        return clauses.joined(separator: " and ")
    }

    /// A value in a sentence: a text unchanged, anything else as JSON.
    package static func text(_ value: Value) -> String {
        if case .string(let text) = value { return text.isEmpty ? "\"\"" : text }
        var json = JSONWriter()
        json.value(value)
        return json.text
    }
}
