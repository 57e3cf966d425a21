package import PropertyList

/// A glob on host names: `*`, `?` and `[…]`, without regard to the case of ASCII letters.
package struct HostPattern: Hashable, Sendable {
    /// The kind of a step of the pattern.
    private enum Kind {
        /// This byte, in lower case.
        static let byte: UInt8 = 0
        /// Any one byte.
        static let one: UInt8 = 1
        /// Any run of bytes, an empty one included.
        static let run: UInt8 = 2
        /// One byte of the set of this number.
        static let set: UInt8 = 3
    }

    /// The pattern as it was written.
    package let text: String
    /// Where it stands in its file.
    package let position: Position
    /// The compiled pattern, two bytes a step: its kind, and what belongs to it.
    ///
    /// Bytes, because an array of another type would cost a short command more than it compares.
    private let steps: [UInt8]
    /// The sets in the pattern, at most one for each three bytes of it.
    private let sets: [ByteSet]

    /// Compiles a pattern; `nil` where it is empty, has more than 255 bytes, or a `[` in it never ends.
    package init?(_ text: String, position: Position = .start) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= 255 else { return nil }
        var (steps, sets): ([UInt8], [ByteSet]) = ([], [])
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "*"):
                if steps.isEmpty || steps[steps.count - 2] != Kind.run {
                    steps.append(Kind.run)
                    steps.append(0)
                }
            case UInt8(ascii: "?"):
                steps.append(Kind.one)
                steps.append(0)
            case UInt8(ascii: "["):
                guard let set = ByteSet(pattern: bytes, from: &index) else { return nil }
                steps.append(Kind.set)
                steps.append(UInt8(sets.count))
                sets.append(set)
            case let byte:
                steps.append(Kind.byte)
                steps.append(ByteSet.lowercase(byte))
            }
            index += 1
        }
        self.sets = sets
        self.text = text
        self.position = position
        self.steps = steps
    }

    /// Whether the pattern is a plain name, which matches nothing but itself.
    package var isLiteral: Bool {
        stride(from: 0, to: steps.count, by: 2).allSatisfy { steps[$0] == Kind.byte }
    }

    /// Whether the pattern matches a whole name.
    ///
    /// Complexity: O(pattern × name) at worst: only the last `*` is ever tried again.
    package func matches(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        var (step, index) = (0, 0)
        /// The step after the last `*`, and where its run ends so far.
        var retry: (step: Int, index: Int)?
        while index < bytes.count {
            if step < steps.count, steps[step] == Kind.run {
                step += 2
                retry = (step, index)
            } else if step < steps.count, accepts(step, ByteSet.lowercase(bytes[index])) {
                step += 2
                index += 1
            } else if let last = retry {
                step = last.step
                index = last.index + 1
                retry = (step, index)
            } else {
                return false
            }
        }
        return stride(from: step, to: steps.count, by: 2).allSatisfy { steps[$0] == Kind.run }
    }

    /// Whether the step at an index, which is no run, accepts a byte in lower case.
    private func accepts(_ step: Int, _ byte: UInt8) -> Bool {
        switch steps[step] {
        case Kind.byte: steps[step + 1] == byte
        case Kind.one: true
        default: sets[Int(steps[step + 1])].contains(byte)
        }
    }
}
