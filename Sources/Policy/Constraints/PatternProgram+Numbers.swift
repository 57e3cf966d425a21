extension PatternProgram {
    /// How far a text is that counts as a number: digits with an optional sign and decimals.
    private enum Part: Int, CaseIterable {
        /// Nothing was taken yet.
        case start
        /// A sign.
        case sign
        /// Digits.
        case digits
        /// A point behind digits.
        case point
        /// Decimals.
        case decimals

        /// Whether what was taken is a number as a whole.
        var isNumber: Bool { self == .digits || self == .decimals }

        /// Where a character leads that a number may have; `nil` where it has none there.
        func next(_ scalar: UInt32) -> Part? {
            switch (scalar, self) {
            case (0x30...0x39, .start), (0x30...0x39, .sign), (0x30...0x39, .digits): .digits
            case (0x30...0x39, .point), (0x30...0x39, .decimals): .decimals
            case (0x2b, .start), (0x2d, .start): .sign
            case (0x2e, .digits): .point
            default: nil
            }
        }
    }

    /// The characters that a number may have.
    private static let numberScalars = [0x2b, 0x2d, 0x2e] + Array(UInt32(0x30)...0x39)

    /// Whether there is any text that the program matches and that counts as a number for bounds.
    ///
    /// Complexity: O(steps).
    var matchesNumber: Bool {
        // Copies of the program: one for each part, and as many past the end, where nothing is taken any more.
        let parts = Part.allCases.count
        var seen = Array(repeating: false, count: 2 * parts * steps.count)
        var waiting = [(step: 0, part: Part.start, isEnd: false)]
        while let (step, part, isEnd) = waiting.popLast() {
            let state = (step * parts + part.rawValue) * 2 + (isEnd ? 1 : 0)
            guard !seen[state] else { continue }
            seen[state] = true
            switch steps[step] {
            case .match: if part.isNumber { return true }
            case .jump(let target): waiting.append((target, part, isEnd))
            case .split(let first, let second):
                waiting.append((first, part, isEnd))
                waiting.append((second, part, isEnd))
            case .end: waiting.append((step + 1, part, true))
            case .start: if part == .start { waiting.append((step + 1, part, isEnd)) }
            case .scalar, .any, .set:
                if isEnd { continue }
                for scalar in PatternProgram.numberScalars where takes(steps[step], scalar) {
                    if let next = part.next(scalar) { waiting.append((step + 1, next, false)) }
                }
            }
        }
        return false
    }
}
