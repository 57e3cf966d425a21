extension PatternProgram {
    /// The steps at which the machine stands, each once.
    private struct Front {
        /// The steps that take a character, and the last one.
        var members: [Int] = []
        /// For each step, the turn in which it was last reached.
        private var turns: [Int]
        /// The number of this turn.
        private var turn = 0

        /// Makes an empty front of a program.
        init(size: Int) {
            turns = Array(repeating: 0, count: size)
        }

        /// Begins a new turn with nothing reached.
        mutating func clear() {
            members.removeAll(keepingCapacity: true)
            turn += 1
        }

        /// Reaches a step; whether for the first time in this turn.
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
            for step in front.members where takes(steps[step], scalar) {
                reach(step + 1, in: &next, &waiting, isStart: false, isEnd: index == text.endIndex)
            }
            swap(&front, &next)
        }
        return front.members.contains(steps.count - 1)
    }

    /// Whether there is any text that the program matches.
    ///
    /// Complexity: O(steps).
    var matchesSomething: Bool {
        // Four copies of the program: nothing taken yet, something taken (1), and both past the end (2), where nothing is.
        var seen = Array(repeating: false, count: 4 * steps.count)
        var waiting = [0]
        while let state = waiting.popLast() {
            guard !seen[state] else { continue }
            seen[state] = true
            let (copy, step) = state.quotientAndRemainder(dividingBy: steps.count)
            /// Goes on at a step of a copy.
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

    /// Follows the ways from a step to those that take a character.
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

    /// Whether a step takes a character.
    func takes(_ step: Step, _ scalar: UInt32) -> Bool {
        switch step {
        case .scalar(let wanted): wanted == scalar
        case .any: scalar != 0x0a
        case .set(let number): sets[number].contains(scalar)
        case .start, .end, .split, .jump, .match: false
        }
    }
}
