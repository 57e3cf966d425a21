/// Finds the name that was probably meant.
package enum Suggestion {
    /// The known name nearest to a misspelt one, or the only one that begins with it, without regard to case; `nil` if
    /// none is near.
    package static func nearest(to name: String, among known: [String]) -> String? {
        let bytes = Array(name.lowercased().utf8)
        // Longer names have no useful suggestion, and the cost grows with the product of the lengths.
        guard bytes.count <= 64 else { return nil }
        let limit = max(1, bytes.count / 3)
        let ranked = known.compactMap { other -> (name: String, distance: Int)? in
            // The distance is never less than the difference of the lengths, so that no long name need be compared.
            let others = Array(other.lowercased().utf8)
            guard abs(others.count - bytes.count) <= limit else { return nil }
            return (other, distance(bytes, others))
        }
        // Of equally near names the first in the list, so that the message never varies.
        if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= limit { return best.name }
        // The name may be cut short.
        let longer = bytes.count < 3 ? [] : known.filter { $0.lowercased().utf8.starts(with: bytes) }
        return longer.count == 1 ? longer.first : nil
    }

    /// The known names that are about as near to a misspelt one as the nearest, the nearest first, at most so many.
    package static func near(_ name: String, among known: [String], most: Int) -> [String] {
        guard let nearest = nearest(to: name, among: known) else { return [] }
        let bytes = Array(name.lowercased().utf8)
        let least = distance(bytes, Array(nearest.lowercased().utf8))
        let ranked = known.enumerated().compactMap { place, other -> (distance: Int, place: Int, name: String)? in
            let others = Array(other.lowercased().utf8)
            guard abs(others.count - bytes.count) <= least else { return nil }
            let distance = distance(bytes, others)
            return distance <= least ? (distance, place, other) : nil
        }
        return ranked.sorted { ($0.distance, $0.place) < ($1.distance, $1.place) }.prefix(most).map(\.name)
    }

    /// The only known name that is nearest to a misspelt one; `nil` if none is near, or several are.
    package static func only(for name: String, among known: [String]) -> String? {
        let near = near(name, among: known, most: 2)
        return near.count == 1 ? near.first : nil
    }

    /// The only known name that an unknown one certainly misspells; `nil` for a name that may be meant.
    ///
    /// Names of one list often differ by a word, a plural or a number, and a new one is often like an old one. So only a
    /// letter within one word counts as an error of typing: two neighbours swapped, one doubled, missing or wrong.
    package static func misspelling(of name: String, among known: [String]) -> String? {
        guard name.utf8.count <= 64 else { return nil }
        let words = self.words(of: name)
        let near = known.filter { other in
            if name.lowercased().utf8.elementsEqual(other.lowercased().utf8) { return true }
            let others = self.words(of: other)
            guard words.count == others.count else { return false }
            let pairs = zip(words, others).filter { $0 != $1 }
            guard pairs.count == 1, let (word, meant) = pairs.first, min(word.count, meant.count) >= 4 else {
                return false
            }
            let isShorter = meant.starts(with: word) || word.starts(with: meant)
            let hasDigit = (word + meant).contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return !isShorter && !hasDigit && word.first == meant.first && distance(word, meant) == 1
        }
        return near.count == 1 ? near.first : nil
    }

    /// The known domain that an unknown one probably misspells; `nil` for a name that may be meant.
    ///
    /// Domains of one vendor have most parts in common, so only one part may differ: by a few letters, or because another
    /// word comes first (`com` for `org`). A name of one part is compared with the last parts of the others.
    ///
    /// - Parameters:
    ///   - name: the unknown domain.
    ///   - known: the known domains; one that ends with a full stop begins the names of many.
    ///   - tolerance: the part of a word that may differ: 3 for a third of its letters.
    /// - Returns: the domain.
    package static func domain(near name: String, among known: [String], tolerance: Int) -> String? {
        guard name.utf8.count <= 128 else { return nil }
        let own = parts(ofDomain: name)
        var best: (name: String, distance: Int)?
        for other in known {
            let bytes = other.utf8.span
            guard bytes.count <= 128 else { continue }
            let isPrefix = bytes.count > 0 && bytes[bytes.count - 1] == UInt8(ascii: ".")
            // Nearly all names are left here, before anything is allocated for them.
            let count = countOfParts(bytes)
            guard own.count == 1 ? !isPrefix : isPrefix ? own.count > count : own.count == count else { continue }
            guard let distance = distance(ofDomain: own, to: bytes, isPrefix, tolerance),
                distance < best?.distance ?? .max
            else { continue }
            let rest = isPrefix ? name.split(separator: ".").dropFirst(count).joined(separator: ".") : ""
            best = (other + rest, distance)
        }
        return best?.name
    }

    /// How far a domain is from a known one of as many parts; `nil` if it is not near.
    private static func distance(
        ofDomain own: [[UInt8]], to known: Span<UInt8>, _ isPrefix: Bool, _ tolerance: Int
    ) -> Int? {
        var (index, start, differing) = (0, 0, -1)
        var right: [UInt8] = []
        while let range = nextPart(of: known, from: start) {
            start = range.upperBound
            if own.count == 1 {
                // The last part counts.
                if nextPart(of: known, from: start) == nil { return equals(own[0], known, range) ? 1 : nil }
            } else if !equals(own[index], known, range) {
                if differing >= 0 { return nil }
                differing = index
                for place in range { right.append(ByteSet.lowercase(known[place])) }
            }
            index += 1
        }
        if own.count == 1 { return nil }
        if differing < 0 { return 0 }
        if differing == 0 { return own.count > 2 && !isPrefix ? 1 : nil }
        let word = own[differing]
        let isNumbered = (word + right).contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        // The first words of many names are short, and like those of others.
        let limit = isPrefix ? right.count / 5 : max(word.count, right.count) / tolerance
        guard !isNumbered, abs(word.count - right.count) <= limit else { return nil }
        let distance = distance(word, right)
        return distance <= limit ? distance : nil
    }

    /// The range of the next part of a domain, without full stops; `nil` if there is none.
    private static func nextPart(of domain: Span<UInt8>, from start: Int) -> Range<Int>? {
        var first = start
        while first < domain.count, domain[first] == UInt8(ascii: ".") { first += 1 }
        var end = first
        while end < domain.count, domain[end] != UInt8(ascii: ".") { end += 1 }
        return first < end ? first..<end : nil
    }

    private static func countOfParts(_ domain: Span<UInt8>) -> Int {
        var (count, start) = (0, 0)
        while let range = nextPart(of: domain, from: start) { (count, start) = (count + 1, range.upperBound) }
        return count
    }

    /// Whether a word in small letters is a part of a domain.
    private static func equals(_ word: [UInt8], _ domain: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard word.count == range.count else { return false }
        for index in word.indices where word[index] != ByteSet.lowercase(domain[range.lowerBound + index]) {
            return false
        }
        return true
    }

    /// The parts of a domain, in small letters.
    private static func parts(ofDomain name: String) -> [[UInt8]] {
        name.utf8.map(ByteSet.lowercase).split(separator: UInt8(ascii: ".")).map(Array.init)
    }

    /// The words of a name such as `AutoUpdate-interval`, in small letters: each begins with a capital behind a small
    /// letter, or behind a sign.
    private static func words(of name: String) -> [[UInt8]] {
        var words: [[UInt8]] = [[]]
        var isSmall = false
        for byte in name.utf8 {
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            let isLetter = isCapital || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            if isCapital && isSmall || !isLetter && !isDigit { words.append([]) }
            if isLetter || isDigit { words[words.count - 1].append(ByteSet.lowercase(byte)) }
            isSmall = isLetter && !isCapital
        }
        return words.filter { !$0.isEmpty }
    }

    /// The number of insertions, deletions, replacements and swaps of neighbours between two names (optimal string
    /// alignment).
    ///
    /// Complexity: O(left × right).
    package static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var before: [Int] = []
        var last = Array(0...right.count)
        for (row, byte) in left.enumerated() {
            var next = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(last[column + 1] + 1, next[column] + 1, last[column] + (byte == other ? 0 : 1))
                if row > 0, column > 0, byte == right[column - 1], left[row - 1] == other {
                    cost = min(cost, before[column - 1] + 1)
                }
                next.append(cost)
            }
            (before, last) = (last, next)
        }
        return last[right.count]
    }
}
