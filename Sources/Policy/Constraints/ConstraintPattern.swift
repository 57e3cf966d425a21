/// A regular expression that a string must match as a whole, without back-references, matched in linear time.
///
/// What it knows: characters, `.` (any but a line feed), classes (`[a-z]`, `[^…]`), `\d \w \s` and their negations (of
/// ASCII), groups, `|`, `* + ? {n} {n,} {n,m}`, `^` and `$` (the ends of the whole string), and escapes.
package struct ConstraintPattern: Sendable {
    /// The longest string that is looked at, in Unicode scalars; a longer one matches nothing.
    ///
    /// A match takes at most this many times ``PatternProgram/sizeLimit`` steps, a second or two.
    package static let lengthLimit = 65_536

    /// The expression as it stands in the file.
    package let text: String
    /// What the expression was compiled to.
    private let program: PatternProgram

    /// Compiles an expression.
    ///
    /// - Throws: the first mistake in it.
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

    /// Whether there is any string that the expression matches.
    var matchesSomething: Bool { program.matchesSomething }

    /// Whether there is any string that the expression matches and that counts as a number for bounds.
    var matchesNumber: Bool { program.matchesNumber }

    /// How many steps the program has, for the bound of a whole file.
    var size: Int { program.steps.count }
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
