/// A part of a regular expression.
indirect enum PatternNode {
    /// Nothing, which matches between any two characters.
    case empty
    /// This character.
    case scalar(UInt32)
    /// Any character but a line feed.
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
    /// A part several times; without a greatest number, as often as there is.
    case repeated(PatternNode, least: Int, most: Int?)

    /// How many steps the part compiles to; `Int.max` where that is beyond counting.
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

    /// A sum that stays at the greatest number.
    private static func add(_ left: Int, _ right: Int) -> Int {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }

    /// A product that stays at the greatest number.
    private static func multiply(_ left: Int, _ right: Int) -> Int {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? .max : product
    }
}
