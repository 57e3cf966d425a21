/// A regular expression that a string must match as a whole, without back-references, matched in linear time.
///
/// Its syntax: characters, `.` (any but a line feed), classes (`[a-z]`, `[^…]`), `\d \w \s` and their negations (of
/// ASCII), groups, `|`, `* + ? {n} {n,} {n,m}`, `^` and `$` (the ends of the whole string), and escapes.
package struct ConstraintPattern: Sendable {
    /// The longest string that is matched, in Unicode scalars; a longer one never matches.
    ///
    /// A match takes at most this many times ``PatternProgram/sizeLimit`` steps, a second or two.
    static let lengthLimit = 65_536

    /// The expression as written in the file.
    package let text: String
    /// The compiled expression.
    private let program: PatternProgram

    /// Compiles an expression.
    ///
    /// - Throws: the first error in it.
    package init(_ text: String) throws(ConstraintPatternError) {
        var parser = PatternParser(text)
        let node = try parser.parse()
        program = try PatternProgram(node, sets: parser.sets)
        self.text = text
    }

    /// Whether the expression matches a whole string.
    ///
    /// Complexity: O(program × string).
    package func matches(_ text: String) -> Bool {
        guard text.unicodeScalars.count <= ConstraintPattern.lengthLimit else { return false }
        return program.matches(text.unicodeScalars)
    }

    /// Whether any string matches the expression.
    var matchesSomething: Bool { program.matchesSomething }

    /// Whether any string matches the expression and counts as a number for bounds.
    var matchesNumber: Bool { program.matchesNumber }

    /// The number of steps, for the limit of a whole file.
    package var size: Int { program.steps.count }
}

extension ConstraintPattern: Hashable {
    /// Whether both were compiled from the same text, byte for byte.
    package static func == (left: ConstraintPattern, right: ConstraintPattern) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Feeds the bytes of the text into the hasher.
    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(0xff as UInt8)
    }
}

/// Why a text is not a valid regular expression.
package struct ConstraintPatternError: Error, Hashable, Sendable {
    /// What is wrong and how to correct it, as a clause.
    package let message: String
    /// The offset, in Unicode scalars of the expression, counted from 0.
    package let offset: Int

    package init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }
}

/// A node of the syntax tree of a regular expression.
indirect enum PatternNode {
    /// Nothing: matches the empty string.
    case empty
    /// This character.
    case scalar(UInt32)
    /// Any character except a line feed.
    case any
    /// A character of the set with this number.
    case set(Int)
    /// The start of the string.
    case start
    /// The end of the string.
    case end
    /// One part after the other.
    case sequence([PatternNode])
    /// One part of several.
    case either([PatternNode])
    /// A part repeated; without a greatest number, any number of times.
    case repeated(PatternNode, least: Int, most: Int?)

    /// The number of steps that the part compiles to; `Int.max` if that overflows.
    var size: Int {
        switch self {
        case .empty: return 0
        case .scalar, .any, .set, .start, .end: return 1
        case .sequence(let parts): return parts.reduce(0) { PatternNode.add($0, $1.size) }
        case .either(let parts):
            return parts.reduce(2 * (parts.count - 1)) { PatternNode.add($0, $1.size) }
        case .repeated(let part, let least, let most):
            let (size, once) = (part.size, PatternNode.multiply(part.size, least))
            guard let most else { return PatternNode.add(once, PatternNode.add(size, 2)) }
            return PatternNode.add(once, PatternNode.multiply(PatternNode.add(size, 1), most - least))
        }
    }

    /// A sum that saturates at the greatest number.
    private static func add(_ left: Int, _ right: Int) -> Int {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }

    /// A product that saturates at the greatest number.
    private static func multiply(_ left: Int, _ right: Int) -> Int {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? .max : product
    }
}

/// The Unicode scalars that a class of a regular expression names.
struct ScalarSet: Hashable, Sendable {
    /// Every scalar; surrogates are not scalars.
    private static let all: [ClosedRange<UInt32>] = [0...0xd7ff, 0xe000...0x10ffff]
    /// `\d`: the ASCII digits.
    static let digits = ScalarSet([0x30...0x39])
    /// `\w`: ASCII letters, digits and the underscore.
    static let wordCharacters = ScalarSet([0x30...0x39, 0x41...0x5a, 0x5f...0x5f, 0x61...0x7a])
    /// `\s`: blank, tab, line feed, vertical tab, form feed and carriage return.
    static let blanks = ScalarSet([0x09...0x0d, 0x20...0x20])

    /// The scalars, in ascending ranges that neither overlap nor touch.
    private let ranges: [ClosedRange<UInt32>]

    /// Makes a set of ranges in any order.
    init(_ stretches: [ClosedRange<UInt32>]) {
        var merged: [ClosedRange<UInt32>] = []
        for range in stretches.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, UInt64(range.lowerBound) <= UInt64(last.upperBound) + 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        ranges = merged
    }

    var stretches: [ClosedRange<UInt32>] { ranges }

    var isEmpty: Bool { ranges.isEmpty }

    /// Every scalar that is not in the set.
    var inverted: ScalarSet {
        var result: [ClosedRange<UInt32>] = []
        for whole in ScalarSet.all {
            var next = whole.lowerBound
            for range in ranges where range.overlaps(whole) {
                if range.lowerBound > next { result.append(next...(range.lowerBound - 1)) }
                next = max(next, range.upperBound + 1)
            }
            if next <= whole.upperBound { result.append(next...whole.upperBound) }
        }
        return ScalarSet(result)
    }

    /// Whether a scalar is in the set.
    ///
    /// Complexity: O(log ranges).
    func contains(_ scalar: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= scalar
    }
}
