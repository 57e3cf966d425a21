/// A regular expression as steps that a machine follows along all ways at once (Thompson 1968, Pike 1985).
struct PatternProgram: Sendable {
    /// One step.
    enum Step: Sendable {
        /// Takes this character.
        case scalar(UInt32)
        /// Takes any character but a line feed.
        case any
        /// Takes a character of the set with this number.
        case set(Int)
        /// Goes on only at the start of the string.
        case start
        /// Goes on only at the end of the string.
        case end
        /// Goes on at both of two steps.
        case split(Int, Int)
        /// Goes on at another step.
        case jump(Int)
        /// Has matched.
        case match
    }

    /// The most steps of a program.
    static let sizeLimit = 10_000

    /// The steps, the last one of which is ``Step/match``.
    private(set) var steps: [Step] = []
    /// The classes that steps refer to.
    let sets: [ScalarSet]

    /// Compiles an expression.
    ///
    /// - Throws: where the program would become too long.
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

    /// Appends the steps of parts of which one is taken.
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
