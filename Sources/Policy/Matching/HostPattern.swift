package import PropertyList

/// A glob on host names: `*`, `?` and `[…]`, without regard to the case of ASCII letters.
package struct HostPattern: Hashable, Sendable {
    /// A step of the pattern.
    private enum Step: Hashable, Sendable {
        /// This byte, in lower case.
        case byte(UInt8)
        /// Any one byte.
        case one
        /// Any run of bytes, an empty one included.
        case run
        /// One byte of a set.
        case set(ByteSet)
    }

    /// The pattern as it was written.
    package let text: String
    /// Where it stands in its file.
    package let position: Position
    /// The compiled pattern.
    private let steps: [Step]

    /// Compiles a pattern; `nil` where it is empty, has more than 255 bytes, or a `[` in it never ends.
    package init?(_ text: String, position: Position = .start) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= 255 else { return nil }
        var steps: [Step] = []
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "*"):
                if steps.last != .run { steps.append(.run) }
            case UInt8(ascii: "?"): steps.append(.one)
            case UInt8(ascii: "["):
                guard let set = ByteSet(pattern: bytes, from: &index) else { return nil }
                steps.append(.set(set))
            case let byte: steps.append(.byte(ByteSet.lowercase(byte)))
            }
            index += 1
        }
        self.text = text
        self.position = position
        self.steps = steps
    }

    /// Whether the pattern is a plain name, which matches nothing but itself.
    package var isLiteral: Bool {
        steps.allSatisfy { step in if case .byte = step { true } else { false } }
    }

    /// Whether the pattern matches a whole name.
    ///
    /// Complexity: O(pattern × name) at worst: only the last `*` is ever tried again.
    package func matches(_ name: String) -> Bool {
        let bytes = name.utf8.map(ByteSet.lowercase)
        var (step, index) = (0, 0)
        /// The step after the last `*`, and where its run ends so far.
        var retry: (step: Int, index: Int)?
        while index < bytes.count {
            if step < steps.count, steps[step] == .run {
                step += 1
                retry = (step, index)
            } else if step < steps.count, HostPattern.accepts(steps[step], bytes[index]) {
                step += 1
                index += 1
            } else if let last = retry {
                step = last.step
                index = last.index + 1
                retry = (step, index)
            } else {
                return false
            }
        }
        return steps[step...].allSatisfy { $0 == .run }
    }

    /// Whether a step other than a run accepts a byte.
    private static func accepts(_ step: Step, _ byte: UInt8) -> Bool {
        switch step {
        case .byte(let wanted): wanted == byte
        case .one: true
        case .set(let set): set.contains(byte)
        case .run: false
        }
    }
}
