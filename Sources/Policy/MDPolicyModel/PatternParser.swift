/// Parses a regular expression.
///
/// Strict: a construction that other engines read in different ways (an unescaped brace, an empty class) is an error.
struct PatternParser {
    /// The longest expression, in Unicode scalars.
    static let lengthLimit = 10_000
    /// The deepest nesting of groups.
    static let depthLimit = 64
    /// The greatest number of repetitions.
    static let repetitionLimit = 1_000

    let scalars: [Unicode.Scalar]
    /// The index of the next character.
    var index = 0
    /// The number of open groups.
    private var depth = 0
    /// The classes so far.
    var sets: [ScalarSet] = []

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    /// The next character; `nil` at the end.
    var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    /// Skips a character, if it is the next one.
    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        index += 1
        return true
    }

    /// Parses the whole expression.
    mutating func parse() throws(ConstraintPatternError) -> PatternNode {
        guard scalars.count <= PatternParser.lengthLimit else {
            throw ConstraintPatternError("a pattern has at most \(PatternParser.lengthLimit) characters", at: 0)
        }
        let node = try alternatives()
        if next != nil { throw ConstraintPatternError("this ')' has no '('; a literal one is written \\)", at: index) }
        return node
    }

    /// Parses parts between `|`, up to the end or a `)`.
    private mutating func alternatives() throws(ConstraintPatternError) -> PatternNode {
        var parts = [try sequence()]
        while skip("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .either(parts)
    }

    /// Parses parts one after the other, up to the end, a `|` or a `)`.
    private mutating func sequence() throws(ConstraintPatternError) -> PatternNode {
        var parts: [PatternNode] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let part = try repetition()
            if part.size > 0 { parts.append(part) }
        }
        return parts.isEmpty ? .empty : parts.count == 1 ? parts[0] : .sequence(parts)
    }

    /// Parses a part and its quantifier.
    private mutating func repetition() throws(ConstraintPatternError) -> PatternNode {
        let start = index
        let part = try atom()
        guard let (least, most) = try quantifier() else { return part }
        if scalars[start] == "^" || scalars[start] == "$" {
            throw ConstraintPatternError("a '^' or '$' cannot be repeated", at: start)
        }
        // A lazy repetition matches the same whole strings as a greedy one.
        _ = skip("?")
        if let scalar = next, "*+?{".unicodeScalars.contains(scalar) {
            throw ConstraintPatternError("a repetition cannot be repeated; put a group around it", at: index)
        }
        return part.size == 0 ? .empty : .repeated(part, least: least, most: most)
    }

    /// Parses `*`, `+`, `?` or `{…}`; `nil` if none is next.
    private mutating func quantifier() throws(ConstraintPatternError) -> (least: Int, most: Int?)? {
        if skip("*") { return (0, nil) }
        if skip("+") { return (1, nil) }
        if skip("?") { return (0, 1) }
        let start = index
        guard skip("{") else { return nil }
        let words = "a repetition is {n}, {n,} or {n,m}; a literal brace is written \\{"
        guard let least = try number() else { throw ConstraintPatternError(words, at: start) }
        var most: Int? = least
        if skip(",") { most = try number() }
        guard skip("}") else { throw ConstraintPatternError(words, at: start) }
        if let most, most < least {
            throw ConstraintPatternError("this repetition has a greatest number below its least", at: start)
        }
        return (least, most)
    }

    /// Parses the number of a repetition; `nil` if no digit is next.
    private mutating func number() throws(ConstraintPatternError) -> Int? {
        let start = index
        var value: Int?
        while let scalar = next, ("0"..."9").contains(scalar) {
            value = (value ?? 0) * 10 + Int(scalar.value - 0x30)
            index += 1
            if let value, value > PatternParser.repetitionLimit {
                let limit = PatternParser.repetitionLimit
                throw ConstraintPatternError("a part is repeated at most \(limit) times", at: start)
            }
        }
        return value
    }

    /// Parses one part: a character, a class, a group.
    private mutating func atom() throws(ConstraintPatternError) -> PatternNode {
        guard let scalar = next else { return .empty }
        switch scalar {
        case "(": return try group()
        case "[": return add(try characterClass())
        case "\\":
            switch try escape() {
            case .scalar(let value): return .scalar(value)
            case .set(let set): return add(set)
            }
        case "*", "+", "?":
            throw ConstraintPatternError("there is nothing before this '\(scalar)' to repeat", at: index)
        case "{", "}", "]":
            throw ConstraintPatternError("a literal '\(scalar)' is written \\\(scalar)", at: index)
        default: break
        }
        index += 1
        switch scalar {
        case ".": return .any
        case "^": return .start
        case "$": return .end
        default: return .scalar(scalar.value)
        }
    }

    /// Stores a class and makes the node that refers to it.
    private mutating func add(_ set: ScalarSet) -> PatternNode {
        sets.append(set)
        return .set(sets.count - 1)
    }

    /// Parses a group: `(…)` or `(?:…)`.
    private mutating func group() throws(ConstraintPatternError) -> PatternNode {
        let start = index
        index += 1
        if skip("?"), !skip(":") {
            throw ConstraintPatternError(
                "of the groups that begin with (? there is only (?:…); looking around, names and flags are not"
                    + " understood", at: start)
        }
        depth += 1
        guard depth <= PatternParser.depthLimit else {
            throw ConstraintPatternError(
                "there are more than \(PatternParser.depthLimit) groups inside of each other", at: start)
        }
        let node = try alternatives()
        guard skip(")") else { throw ConstraintPatternError("this '(' has no ')'", at: start) }
        depth -= 1
        return node
    }
}

extension PatternParser {
    /// The meaning of an escape sequence.
    enum Escape {
        /// A character.
        case scalar(UInt32)
        /// A class: `\d` and its like.
        case set(ScalarSet)
    }

    /// Parses a backslash and its escape sequence.
    mutating func escape() throws(ConstraintPatternError) -> Escape {
        let start = index
        index += 1
        guard let scalar = next else { throw ConstraintPatternError("a backslash stands at the end", at: start) }
        index += 1
        switch scalar {
        case "d": return .set(.digits)
        case "D": return .set(ScalarSet.digits.inverted)
        case "w": return .set(.wordCharacters)
        case "W": return .set(ScalarSet.wordCharacters.inverted)
        case "s": return .set(.blanks)
        case "S": return .set(ScalarSet.blanks.inverted)
        case "t": return .scalar(0x09)
        case "n": return .scalar(0x0a)
        case "v": return .scalar(0x0b)
        case "f": return .scalar(0x0c)
        case "r": return .scalar(0x0d)
        case "x": return .scalar(try hexadecimal(2, start))
        case "u": return .scalar(try hexadecimal(4, start))
        case "U": return .scalar(try hexadecimal(8, start))
        case "0"..."9":
            throw ConstraintPatternError(
                "back-references are not understood, because they cannot be matched in linear time; a character by its"
                    + " number is written \\xhh", at: start)
        case "A"..."Z", "a"..."z":
            throw ConstraintPatternError("the escape \\\(scalar) is not understood", at: start)
        default: return .scalar(scalar.value)
        }
    }

    /// Parses the number of a character.
    private mutating func hexadecimal(_ digits: Int, _ start: Int) throws(ConstraintPatternError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = next.flatMap({ $0.isASCII ? Character($0).hexDigitValue : nil }) else {
                throw ConstraintPatternError("this escape has \(digits) hexadecimal digits", at: start)
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        guard Unicode.Scalar(value) != nil else {
            throw ConstraintPatternError("there is no character of this number", at: start)
        }
        return value
    }

    /// Parses a class: `[…]` or `[^…]`.
    mutating func characterClass() throws(ConstraintPatternError) -> ScalarSet {
        let start = index
        index += 1
        let isNegated = skip("^")
        if next == "]" {
            throw ConstraintPatternError("this class is empty; a literal ']' in it is written \\]", at: start)
        }
        var ranges: [ClosedRange<UInt32>] = []
        while !skip("]") {
            let place = index
            switch try member(start) {
            case .set(let set):
                ranges += set.stretches
                if next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" {
                    throw ConstraintPatternError("a range cannot begin with a class such as \\d", at: place)
                }
            case .scalar(let low):
                guard next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else {
                    ranges.append(low...low)
                    continue
                }
                index += 1
                guard case .scalar(let high) = try member(start) else {
                    throw ConstraintPatternError("a range cannot end with a class such as \\d", at: place)
                }
                guard low <= high else { throw ConstraintPatternError("this range runs backwards", at: place) }
                ranges.append(low...high)
            }
        }
        let set = ScalarSet(ranges)
        return isNegated ? set.inverted : set
    }

    /// Parses a character, or an escape, of the class that begins at an offset.
    private mutating func member(_ start: Int) throws(ConstraintPatternError) -> Escape {
        guard let scalar = next else { throw ConstraintPatternError("this '[' has no ']'", at: start) }
        if scalar == "\\" { return try escape() }
        if scalar == "[" {
            throw ConstraintPatternError(
                "a literal '[' in a class is written \\[; classes in classes and names such as [:alpha:] are not"
                    + " understood", at: index)
        }
        index += 1
        return .scalar(scalar.value)
    }
}
