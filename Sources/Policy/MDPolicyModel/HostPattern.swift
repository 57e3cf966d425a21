package import MDPropertyList

/// A glob for host names: `*`, `?` and `[…]`, without regard to the case of ASCII letters.
package struct HostPattern: Hashable, Sendable {
    /// The kind of a step of the pattern.
    private enum Kind {
        /// This byte, in lower case.
        static let byte: UInt8 = 0
        /// Any one byte.
        static let one: UInt8 = 1
        /// Any sequence of bytes, an empty one included.
        static let run: UInt8 = 2
        /// One byte of the set with this number.
        static let set: UInt8 = 3
    }

    /// The pattern as written.
    package let text: String
    /// The place of the pattern in its file.
    package let position: Position
    /// The compiled pattern, two bytes a step: its kind and its argument.
    ///
    /// Bytes, because specializing an array of another type would cost a short command more time than the comparison.
    private let steps: [UInt8]
    /// The sets of the pattern, at most one for each three bytes of it.
    private let sets: [ByteSet]

    /// Compiles a pattern; `nil` if it is empty, has more than 255 bytes, or a `[` in it never ends.
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

    /// Whether the pattern is a plain name, which matches only itself.
    package var isLiteral: Bool {
        stride(from: 0, to: steps.count, by: 2).allSatisfy { steps[$0] == Kind.byte }
    }

    /// Whether the pattern matches a whole name.
    ///
    /// Complexity: O(pattern × name) at worst: only the last `*` is retried.
    package func matches(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        var (step, index) = (0, 0)
        /// The step after the last `*`, and the end of its sequence so far.
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

    /// Whether any host matches both patterns, each by its short or its full name.
    ///
    /// Complexity: O(pattern × other).
    package func mayShareHost(with other: HostPattern) -> Bool {
        if isApart(from: other) { return false }
        return meets(other, isShort: false, isOtherShort: false) || meets(other, isShort: true, isOtherShort: false)
            || meets(other, isShort: false, isOtherShort: true)
    }

    /// The cost of ``mayShareHost(with:)``, in pairs of steps.
    package func work(with other: HostPattern) -> Int {
        isApart(from: other) ? 1 : steps.count * other.steps.count
    }

    /// Whether the literal prefixes of both patterns differ, so that no name matches both.
    private func isApart(from other: HostPattern) -> Bool {
        for step in stride(from: 0, to: min(steps.count, other.steps.count), by: 2) {
            guard steps[step] == Kind.byte, other.steps[step] == Kind.byte else { return false }
            if steps[step + 1] != other.steps[step + 1] { return true }
        }
        return false
    }

    /// Whether any full name matches both patterns; one may match by the short name that it begins with.
    private func meets(_ other: HostPattern, isShort: Bool, isOtherShort: Bool) -> Bool {
        // A short name has no dot; the full name continues after it with one.
        let domain: [(bits: Bits, isRun: Bool)] = [(Bits.of(UInt8(ascii: ".")), false), (Bits.all, true)]
        let (ownEnd, otherEnd) = (isShort ? steps.count / 2 : 0, isOtherShort ? other.steps.count / 2 : 0)
        let (left, right) = (accepted + (isShort ? domain : []), other.accepted + (isOtherShort ? domain : []))
        let width = right.count + 1
        var isTried = [Bool](repeating: false, count: (left.count + 1) * width)
        var open = [(row: 0, column: 0)]
        while let (row, column) = open.popLast() {
            if row == left.count, column == right.count { return true }
            if isTried[row * width + column] { continue }
            isTried[row * width + column] = true
            let (isRun, isOtherRun) = (row < left.count && left[row].isRun, column < right.count && right[column].isRun)
            // A `*` may end here, or consume what the other pattern accepts.
            if isRun { open.append((row + 1, column)) }
            if isOtherRun { open.append((row, column + 1)) }
            guard row < left.count, column < right.count, !(isRun && isOtherRun) else { continue }
            let hasDot = row >= ownEnd && column >= otherEnd
            let both = left[row].bits & right[column].bits & (hasDot ? Bits.all : ~Bits.of(UInt8(ascii: ".")))
            if both != Bits.zero { open.append((isRun ? row : row + 1, isOtherRun ? column : column + 1)) }
        }
        return false
    }

    /// A set of bytes, one bit for each.
    private typealias Bits = SIMD4<UInt64>

    /// The bytes that each step accepts, and whether it is a `*`.
    private var accepted: [(bits: Bits, isRun: Bool)] {
        stride(from: 0, to: steps.count, by: 2).map { step in
            switch steps[step] {
            case Kind.byte: (Bits.of(steps[step + 1]), false)
            case Kind.set:
                (
                    (UInt8.min ... .max).reduce(into: Bits.zero) { bits, byte in
                        if sets[Int(steps[step + 1])].contains(byte) { bits |= Bits.of(byte) }
                    }, false
                )
            case let kind: (Bits.all, kind == Kind.run)
            }
        }
    }

    /// Whether the step at an index, which is no `*`, accepts a byte in lower case.
    private func accepts(_ step: Int, _ byte: UInt8) -> Bool {
        switch steps[step] {
        case Kind.byte: steps[step + 1] == byte
        case Kind.one: true
        default: sets[Int(steps[step + 1])].contains(byte)
        }
    }
}

extension SIMD4<UInt64> {
    /// All bytes.
    fileprivate static let all = SIMD4<UInt64>(repeating: .max)

    /// One byte.
    fileprivate static func of(_ byte: UInt8) -> SIMD4<UInt64> {
        var bits = SIMD4<UInt64>.zero
        bits[Int(byte >> 6)] = 1 << UInt64(byte & 63)
        return bits
    }
}
