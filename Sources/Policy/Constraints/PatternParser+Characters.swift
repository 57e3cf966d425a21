extension PatternParser {
    /// What stands behind a backslash.
    enum Escape {
        /// A character.
        case scalar(UInt32)
        /// A class: `\d` and its like.
        case set(ScalarSet)
    }

    /// Reads a backslash and what belongs to it.
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

    /// Reads the number of a character.
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

    /// Reads a class: `[…]` or `[^…]`.
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

    /// Reads a character, or an escape, of the class that begins at an offset.
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
