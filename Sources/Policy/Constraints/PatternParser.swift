/// Reads a regular expression.
///
/// Strict: what other engines read in different ways (an unescaped brace, an empty class) is a mistake here.
struct PatternParser {
    /// The longest expression, in Unicode scalars.
    static let lengthLimit = 10_000
    /// The most groups inside of each other.
    static let depthLimit = 64
    /// The greatest number of a repetition.
    static let repetitionLimit = 1_000

    /// The expression.
    let scalars: [Unicode.Scalar]
    /// What is read next.
    var index = 0
    /// How many groups are open.
    private var depth = 0
    /// The classes so far.
    var sets: [ScalarSet] = []

    /// Makes a parser.
    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    /// The next character; `nil` at the end.
    var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    /// Passes over a character, if it is the next one.
    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        index += 1
        return true
    }

    /// Reads the whole expression.
    mutating func parse() throws(ConstraintPatternError) -> PatternNode {
        guard scalars.count <= PatternParser.lengthLimit else {
            throw ConstraintPatternError("a pattern has at most \(PatternParser.lengthLimit) characters", at: 0)
        }
        let node = try alternatives()
        if next != nil { throw ConstraintPatternError("this ')' has no '('; a literal one is written \\)", at: index) }
        return node
    }

    /// Reads parts between `|`, up to the end or a `)`.
    private mutating func alternatives() throws(ConstraintPatternError) -> PatternNode {
        var parts = [try sequence()]
        while skip("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .either(parts)
    }

    /// Reads parts one after the other, up to the end, a `|` or a `)`.
    private mutating func sequence() throws(ConstraintPatternError) -> PatternNode {
        var parts: [PatternNode] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let part = try repetition()
            if part.size > 0 { parts.append(part) }
        }
        return parts.isEmpty ? .empty : parts.count == 1 ? parts[0] : .sequence(parts)
    }

    /// Reads a part and how often it stands there.
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

    /// Reads `*`, `+`, `?` or `{…}`, where one is next.
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

    /// Reads the number of a repetition; `nil` where no digit is next.
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

    /// Reads one part: a character, a class, a group.
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

    /// Keeps a class and gives the part that stands for it.
    private mutating func add(_ set: ScalarSet) -> PatternNode {
        sets.append(set)
        return .set(sets.count - 1)
    }

    /// Reads a group: `(…)` or `(?:…)`.
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
