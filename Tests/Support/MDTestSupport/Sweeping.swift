import Foundation

/// How much of a sweep a run of the tests tries: a sample as a rule, all of it with `SWEEP=full` in the environment, and
/// with a number that many times the sample.
///
/// A sample is the same in every run. Its places are spread evenly over the whole, and their distance is a multiple of
/// neither two nor three, so that damages that take turns by place all have their turn.
package enum Sweeping {
    /// How many times the usual sample is tried; `nil` for everything.
    package static let times: Int? = {
        guard let text = ProcessInfo.processInfo.environment["SWEEP"], !text.isEmpty else { return 1 }
        if text == "full" { return nil }
        guard let number = Int(text), (1...1_000_000).contains(number) else {
            fatalError("SWEEP is full, or how many times the usual sample is tried; it is \(text).")
        }
        return number
    }()

    /// The places of a sweep over so many.
    ///
    /// - Parameters:
    ///   - range: all places.
    ///   - usual: about how many make the usual sample.
    ///   - boundaries: places that are tried always, beside the first and the last four.
    /// - Returns: the places in order, each once.
    package static func places(in range: Range<Int>, about usual: Int, boundaries: [Int] = []) -> [Int] {
        guard let times, range.count > usual * times else { return Array(range) }
        var distance = range.count / (usual * times)
        while distance.isMultiple(of: 2) || distance.isMultiple(of: 3) { distance += 1 }
        let ends = Array(range.prefix(4)) + range.suffix(4)
        let spread = stride(from: range.lowerBound, to: range.upperBound, by: distance)
        return Set(ends + spread + boundaries.filter { range.contains($0) }).sorted()
    }

    /// The places of a sweep over the bytes of a file, those at the ends of some of its lines among them.
    package static func places(in bytes: [UInt8], about usual: Int) -> [Int] {
        let lines = bytes.indices.filter { bytes[$0] == 0x0a }
        let ends = places(in: lines.indices, about: usual / 8).map { lines[$0] }
        return places(in: bytes.indices, about: usual, boundaries: ends.flatMap { [$0, $0 + 1] })
    }

    /// Whether a place is one that a slow part of a sweep tries too: one of so many in the usual sample.
    package static func isTaken(_ number: Int, oneOf usual: Int) -> Bool {
        number.isMultiple(of: times.map { max(usual / $0, 1) } ?? 1)
    }

    /// The seeds of a random test: all of them, or a multiple of the usual number.
    package static func seeds<Seed: FixedWidthInteger>(_ all: Range<Seed>, usual: Int) -> Range<Seed> {
        guard let times, all.count > usual * times else { return all }
        return all.lowerBound..<(all.lowerBound + Seed(usual * times))
    }
}
