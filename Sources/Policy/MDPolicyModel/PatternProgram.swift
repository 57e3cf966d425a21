/// A regular expression compiled to steps, which are followed along all ways at once (Thompson 1968, Pike 1985).
struct PatternProgram: Sendable {
    /// One step.
    enum Step: Sendable {
        /// Consumes this character.
        case scalar(UInt32)
        /// Consumes any character except a line feed.
        case any
        /// Consumes a character of the set with this number.
        case set(Int)
        /// Continues only at the start of the string.
        case start
        /// Continues only at the end of the string.
        case end
        /// Continues at both of two steps.
        case split(Int, Int)
        /// Continues at another step.
        case jump(Int)
        /// The match is complete.
        case match
    }

    /// The most steps of a program.
    static let sizeLimit = 10_000

    /// The steps; the last one is ``Step/match``.
    private(set) var steps: [Step] = []
    /// The classes that steps refer to.
    let sets: [ScalarSet]

    /// Compiles an expression.
    ///
    /// - Throws: an error if the program would exceed ``sizeLimit``.
    init(_ node: PatternNode, sets: [ScalarSet]) throws(ConstraintPatternError) {
        self.sets = sets
        let size = node.size
        guard size < PatternProgram.sizeLimit else {
            throw ConstraintPatternError(
                "the pattern unfolds to more than \(PatternProgram.sizeLimit) steps; repeat less", at: 0)
        }
        steps.reserveCapacity(size + 1)
        add(node)
        steps.append(.match)
    }

    /// Appends the steps of a part.
    private mutating func add(_ node: PatternNode) {
        switch node {
        case .empty: return
        case .scalar(let value): steps.append(.scalar(value))
        case .any: steps.append(.any)
        case .set(let number): steps.append(.set(number))
        case .start: steps.append(.start)
        case .end: steps.append(.end)
        case .sequence(let parts): for part in parts { add(part) }
        case .either(let parts): addAlternatives(parts)
        case .repeated(let part, let least, let most):
            for _ in 0..<least { add(part) }
            guard let most else {
                let loop = steps.count
                steps.append(.match)
                add(part)
                steps.append(.jump(loop))
                steps[loop] = .split(loop + 1, steps.count)
                return
            }
            var exits: [Int] = []
            for _ in least..<most {
                exits.append(steps.count)
                steps.append(.match)
                add(part)
            }
            for exit in exits { steps[exit] = .split(exit + 1, steps.count) }
        }
    }

    /// Appends the steps of alternatives.
    private mutating func addAlternatives(_ parts: [PatternNode]) {
        var jumps: [Int] = []
        for part in parts.dropLast() {
            let split = steps.count
            steps.append(.match)
            add(part)
            jumps.append(steps.count)
            steps.append(.match)
            steps[split] = .split(split + 1, steps.count)
        }
        if let last = parts.last { add(last) }
        for jump in jumps { steps[jump] = .jump(steps.count) }
    }
}

extension PatternProgram {
    /// The active steps, each once.
    private struct Front {
        /// The active steps that consume a character, and the last one.
        var members: [Int] = []
        /// For each step, the turn in which it was last reached.
        private var turns: [Int]
        /// The number of this turn.
        private var turn = 0

        init(size: Int) {
            turns = Array(repeating: 0, count: size)
        }

        /// Begins a new turn without active steps.
        mutating func clear() {
            members.removeAll(keepingCapacity: true)
            turn += 1
        }

        /// Marks a step as reached; returns whether this is the first time in this turn.
        mutating func reach(_ step: Int) -> Bool {
            guard turns[step] != turn else { return false }
            turns[step] = turn
            return true
        }
    }

    /// Whether the program matches all of a text.
    ///
    /// Complexity: O(steps × text).
    func matches(_ text: String.UnicodeScalarView) -> Bool {
        var (front, next) = (Front(size: steps.count), Front(size: steps.count))
        var waiting: [Int] = []
        front.clear()
        reach(0, in: &front, &waiting, isStart: true, isEnd: text.isEmpty)
        var index = text.startIndex
        while index < text.endIndex {
            if front.members.isEmpty { return false }
            let scalar = text[index].value
            text.formIndex(after: &index)
            next.clear()
            for step in front.members where consumes(steps[step], scalar) {
                reach(step + 1, in: &next, &waiting, isStart: false, isEnd: index == text.endIndex)
            }
            swap(&front, &next)
        }
        return front.members.contains(steps.count - 1)
    }

    /// Whether any text matches the program.
    ///
    /// Complexity: O(steps).
    var matchesSomething: Bool {
        // Four copies of the program: nothing consumed yet, something consumed (1), and both past the end (2), at which
        // nothing more is consumed.
        var seen = Array(repeating: false, count: 4 * steps.count)
        var waiting = [0]
        while let state = waiting.popLast() {
            guard !seen[state] else { continue }
            seen[state] = true
            let (copy, step) = state.quotientAndRemainder(dividingBy: steps.count)
            /// Continues at a step of a copy.
            func goOn(_ step: Int, _ copy: Int) { waiting.append(copy * steps.count + step) }
            switch steps[step] {
            case .match: return true
            case .jump(let target): goOn(target, copy)
            case .split(let first, let second):
                goOn(first, copy)
                goOn(second, copy)
            case .end: goOn(step + 1, copy | 2)
            case .start: if copy & 1 == 0 { goOn(step + 1, copy) }
            case .scalar, .any: if copy < 2 { goOn(step + 1, 1) }
            case .set(let number): if copy < 2, !sets[number].isEmpty { goOn(step + 1, 1) }
            }
        }
        return false
    }

    /// Follows the ways from a step to those that consume a character.
    private func reach(
        _ step: Int, in front: inout Front, _ waiting: inout [Int], isStart: Bool, isEnd: Bool
    ) {
        waiting.append(step)
        while let step = waiting.popLast() {
            guard front.reach(step) else { continue }
            switch steps[step] {
            case .jump(let target): waiting.append(target)
            case .split(let first, let second):
                waiting.append(second)
                waiting.append(first)
            case .start: if isStart { waiting.append(step + 1) }
            case .end: if isEnd { waiting.append(step + 1) }
            case .scalar, .any, .set, .match: front.members.append(step)
            }
        }
    }

    /// Whether a step consumes a character.
    func consumes(_ step: Step, _ scalar: UInt32) -> Bool {
        switch step {
        case .scalar(let wanted): wanted == scalar
        case .any: scalar != 0x0a
        case .set(let number): sets[number].contains(scalar)
        case .start, .end, .split, .jump, .match: false
        }
    }
}

extension PatternProgram {
    /// The state of reading a text as a number: digits with an optional sign and decimals.
    private enum Part: Int, CaseIterable {
        /// Nothing was read yet.
        case start
        /// A sign.
        case sign
        /// Digits.
        case digits
        /// A point after digits.
        case point
        /// Decimals.
        case decimals

        /// Whether the text so far is a complete number.
        var isNumber: Bool { self == .digits || self == .decimals }

        /// The state after one more character; `nil` if no number continues with it.
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

    /// The characters of numbers.
    private static let numberScalars = [0x2b, 0x2d, 0x2e] + Array(UInt32(0x30)...0x39)

    /// Whether any text matches the program and counts as a number for bounds.
    ///
    /// Complexity: O(steps).
    var matchesNumber: Bool {
        // Copies of the program: one for each part, and as many past the end, at which nothing more is consumed.
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
                for scalar in PatternProgram.numberScalars where consumes(steps[step], scalar) {
                    if let next = part.next(scalar) { waiting.append((step + 1, next, false)) }
                }
            }
        }
        return false
    }
}
