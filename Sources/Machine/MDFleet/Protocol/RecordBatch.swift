package import MDAuditLog
package import MDPlatform
import MDPropertyList

/// Lines of a host's log on their way to the collector, unpacked.
///
/// ```
/// LOG FIRST LAST
/// the lines from FIRST to LAST, or what is left of them where retention deleted records
///
/// the checkpoint at LAST, a signed note
/// ```
/// In place of deleted records there is a line `deleted FIRST LAST ROOT…`: the roots of the complete subtrees
/// of those records, the largest first, in Base64. A line of a log begins with `{`, so that nothing is mistaken. Only the
/// roots of whole segments are kept: if the collector has a part of a segment that was deleted, the batch begins with the
/// first record of that segment.
package struct RecordBatch: Hashable, Sendable {
    /// A part of a batch.
    package enum Part: Hashable, Sendable {
        /// Lines without their line feeds.
        case lines([[UInt8]])
        /// Records that retention deleted, as the part of the tree that they were.
        case deleted(first: Int, last: Int, roots: [Digest])
    }

    /// The id of the log.
    package let log: String
    /// The number of the first record.
    package let first: Int
    /// The number of the last record.
    package let last: Int
    /// Lines and gaps, in the order of their records.
    package let parts: [Part]
    /// The checkpoint at the last record.
    package let checkpoint: Checkpoint

    package init(first: Int, last: Int, parts: [Part], checkpoint: Checkpoint) {
        (log, self.first, self.last) = (checkpoint.logID, first, last)
        (self.parts, self.checkpoint) = (parts, checkpoint)
    }

    /// The most bytes of a line: a record, or the roots of some segments.
    package static let longestLine = 65_535
    /// The most lines of a batch: with less than 128 bytes each they are no records.
    private static let mostLines = SpoolName.Kind.batch.unpackedLimit / 128
    private static let deletedMark = Array("deleted ".utf8)

    /// Parses a batch.
    ///
    /// - Throws: the line, counted from 1, with what is wrong. The signatures and the root of the checkpoint are not checked.
    package init(_ bytes: [UInt8]) throws(FleetFault) {
        /// The line that begins at a place.
        func line(at start: Int) -> ArraySlice<UInt8> {
            bytes[start..<(bytes[start...].firstIndex(of: 0x0a) ?? bytes.endIndex)]
        }
        var number = 1
        func fault(_ message: String) -> FleetFault {
            FleetFault(message, at: Position(line: number, column: 1, offset: 0))
        }
        var text = line(at: 0)
        let words = text.split(separator: 0x20, maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 3, let log = String(validating: words[0], as: UTF8.self),
            let first = RecordBatch.number(words[1]), let last = RecordBatch.number(words[2]), first > 0, last >= first
        else { throw fault("a log, the first and the last number of its records are missing") }
        var (parts, run, next): ([Part], [[UInt8]], Int) = ([], [], first)
        while true {
            guard text.endIndex < bytes.endIndex else { throw fault("the checkpoint is missing") }
            number += 1
            text = line(at: text.endIndex + 1)
            if text.isEmpty { break }
            guard next <= last, number <= RecordBatch.mostLines else { throw fault("there are too many lines") }
            guard text.count <= RecordBatch.longestLine else { throw fault("this line is too long") }
            if text.first == UInt8(ascii: "{") {
                run.append(Array(text))
                next += 1
                continue
            }
            guard let gap = RecordBatch.gap(text), gap.first == next else {
                throw fault("this is neither a record nor the place of deleted ones")
            }
            if !run.isEmpty { parts.append(.lines(run)) }
            run = []
            parts.append(.deleted(first: gap.first, last: gap.last, roots: gap.roots))
            next = gap.last + 1
        }
        if !run.isEmpty { parts.append(.lines(run)) }
        guard next == last + 1 else {
            number = 1
            throw fault("it says to end with record \(last), and ends with \(next - 1)")
        }
        number += 1
        let note = bytes[text.endIndex...].dropFirst()
        guard note.count <= Checkpoint.longestText, let checkpoint = Checkpoint(text: Array(note)),
            checkpoint.size == last, checkpoint.logID.utf8.elementsEqual(log.utf8)
        else { throw fault("this is no checkpoint of the log at record \(last)") }
        self.init(first: first, last: last, parts: parts, checkpoint: checkpoint)
    }

    /// The batch as bytes.
    package var bytes: [UInt8] {
        var bytes = Array("\(log) \(first) \(last)\n".utf8)
        for part in parts {
            switch part {
            case .lines(let lines):
                for line in lines {
                    bytes += line
                    bytes.append(0x0a)
                }
            case .deleted(let first, let last, let roots):
                let texts = roots.map { Base64.encode($0.bytes) }
                bytes += Array("deleted \(first) \(last) \(texts.joined(separator: " "))\n".utf8)
            }
        }
        return bytes + [0x0a] + Array(checkpoint.text.utf8)
    }

    /// Parses the place of deleted records.
    private static func gap(_ line: ArraySlice<UInt8>) -> (first: Int, last: Int, roots: [Digest])? {
        guard line.starts(with: deletedMark) else { return nil }
        let words = line.dropFirst(deletedMark.count).split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count >= 3, let first = number(words[0]), let last = number(words[1]), first > 0, last >= first
        else { return nil }
        let roots = words[2...].compactMap { word in (try? Base64.decode(Array(word))).flatMap { Digest(bytes: $0) } }
        return roots.count == words.count - 2 ? (first, last, roots) : nil
    }

    /// Parses a number: decimal digits without leading zeros, at most 2^53.
    package static func number(_ digits: some Collection<UInt8>) -> Int? {
        guard (1...16).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(String(decoding: digits, as: UTF8.self)),
            number <= 1 << 53
        else { return nil }
        return number
    }
}
