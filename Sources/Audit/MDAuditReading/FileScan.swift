import MDAuditLog
import MDAuditRecord
import MDPlatform

/// One pass over one file of a log, which needs nothing of the files before it, so that several are read at once.
struct FileScan: Sendable {
    /// What to read.
    struct Request: Sendable {
        /// The root that the file is under.
        let root: Root
        /// The file.
        let path: String
        /// The number of its first record.
        let first: Int
        /// The number of records of a subtree, which the records before the file are a multiple of.
        let subtree: Int
        /// The numbers of records of the whole log whose tree is wanted, in order.
        let sizes: [Int]
        /// The lines to parse completely, by their place in the log; any other only if it does not begin as this program
        /// writes it.
        let parsed: ClosedRange<Int>
    }

    /// The number of the first record.
    let first: Int
    /// The number of whole lines.
    private(set) var lines = 0
    /// The number of bytes after the last whole line.
    private(set) var tornBytes = 0
    /// The first line that is not the record of its place, counted from 1 in the log, and what is wrong with it.
    private(set) var firstBad: (line: Int, reason: String)?
    /// The number of records of each kind that declares something missing or mended.
    private(set) var gaps: [RecordKind: Int] = [:]
    /// The number of records that were not stored, as those of kind `drop` count them.
    private(set) var dropped = 0
    /// Those of them that senders say themselves.
    private(set) var claimedDropped = 0
    /// The number of records from spools; only of lines that nothing else gets.
    private(set) var claimed = 0
    /// The tree of the file alone.
    private(set) var tree: SegmentTree
    /// The trees of the file alone at the wanted sizes that it reaches.
    private(set) var trees: [Int: SegmentTree] = [:]
    /// Why the file could not be read; `nil` if it could.
    private(set) var failure: SystemError?

    /// The wanted sizes that were not reached.
    private var sizes: ArraySlice<Int>
    /// The leaves that wait to be added to the tree together.
    private var leaves: [Digest] = []
    /// The most leaves that wait.
    private static let most = 256
    /// The lines to parse completely.
    private let parsed: ClosedRange<Int>

    /// Reads a file; a failure is part of the result.
    ///
    /// - Parameters:
    ///   - request: what to read.
    ///   - reader: what gets each line as well, if anything does.
    init(_ request: Request, _ reader: (any LogLineReader)? = nil) {
        (first, parsed) = (request.first, request.parsed)
        sizes = request.sizes.drop { $0 < request.first }
        tree = SegmentTree(subtreesOf: request.subtree)
        do throws(SystemError) {
            let file = try ReadFile(root: request.root, path: request.path)
            tornBytes =
                if let reader, let tally = FileScan.tally(request, file), reader.take(tally) {
                    try scan(file, tally, reader)
                } else {
                    try file.forEachLine { line in add(line, number: reader?.take(line) ?? 0) }.torn
                }
        } catch {
            failure = error
        }
        settle()
    }

    /// The tally of a file in whose place it may be taken; `nil` if its lines have to be read.
    private static func tally(_ request: Request, _ file: borrowing ReadFile) -> SegmentTally? {
        // Lines that are to be parsed are those that no checkpoint covers.
        guard let tally = SegmentTally(root: request.root, path: request.path, segment: file),
            tally.first == request.first, request.parsed.lowerBound - tally.first >= tally.records
        else { return nil }
        return tally
    }

    /// Adds the lines of a file that was counted before.
    ///
    /// - Returns: the number of bytes after the last whole line.
    private mutating func scan(
        _ file: borrowing ReadFile, _ tally: SegmentTally, _ reader: any LogLineReader
    ) throws(SystemError) -> Int {
        var others = tally.others[...]
        var offset = 0
        return try file.forEachLine { line in
            let place = last + 1
            var number = place - tally.first < tally.records ? place : 0
            if others.first == offset {
                others = others.dropFirst()
                number = reader.take(line)
            }
            offset += line.length + 1
            add(line, number: number)
        }.torn
    }

    /// The number of the last whole line, in the log.
    var last: Int { first + lines - 1 }

    /// Adds a line to the tree and checks it, unless it is known to be a record with a number.
    private mutating func add(_ line: LogLine, number: Int) {
        lines += 1
        leaves.append(line.leaf)
        if leaves.count == FileScan.most { settle() }
        if let next = sizes.first, next == last {
            settle()
            trees[next] = tree
            sizes = sizes.drop { $0 == next }
        }
        if firstBad == nil, number == 0 || number != last { check(line) }
    }

    /// Adds the leaves that wait to the tree.
    private mutating func settle() {
        tree.append(leaves: leaves)
        leaves.removeAll(keepingCapacity: true)
    }

    /// Checks that a line is the record of its place, and counts what it declares missing.
    private mutating func check(_ line: LogLine) {
        let place = last
        if line.isTooLong {
            firstBad = (place, "it has \(line.length) bytes, more than a record can have")
            return
        }
        if let usual = RecordBeginning(usual: line.text, line.place, seq: place), !parsed.contains(place) {
            if usual.isSpooled { claimed += 1 }
            return
        }
        do throws(AuditError) {
            let record = try AuditRecord(line: line.bytes)
            guard record.seq == place else {
                let number = record.seq == 0 ? "no number" : "number \(record.seq)"
                firstBad = (place, "it has \(number)")
                return
            }
            if record.src == .spool { claimed += 1 }
            guard [.gap, .drop, .recover].contains(record.kind) else { return }
            gaps[record.kind, default: 0] += 1
            guard record.kind == .drop else { return }
            dropped = dropped.addingReportingOverflow(record.count ?? 1).partialValue
            if record.src?.isOfSender ?? false {
                claimedDropped = claimedDropped.addingReportingOverflow(record.count ?? 1).partialValue
            }
        } catch {
            firstBad = (place, error.description)
        }
    }
}

/// The beginning of a line as this program writes it, looked at without parsing the line.
struct RecordBeginning {
    /// Whether it is from a spool.
    let isSpooled: Bool

    /// The kinds that declare something missing or mended.
    private static let declaring = [RecordKind.gap, .drop, .recover].map { Array($0.rawValue.utf8) }
    /// The source of records from a spool.
    private static let spool = Array(RecordSource.spool.rawValue.utf8)
    /// The names of the members, as they are looked for.
    private static let (time, boot, mono) = (RecordMember.time.bytes, RecordMember.boot.bytes, RecordMember.mono.bytes)
    private static let (kind, src) = (RecordMember.kind.bytes, RecordMember.src.bytes)

    /// Examines a line; `nil` unless it begins as a record with this number does, and is of a kind that declares
    /// nothing missing.
    ///
    /// - Parameters:
    ///   - bytes: lines of the log.
    ///   - line: the place of the line, without its line feed.
    ///   - seq: the number.
    init?(usual bytes: [UInt8], _ line: Range<Int>, seq: Int) {
        var scanner = PlainScanner(bytes, from: line.lowerBound, to: line.upperBound)
        guard let last = bytes[line].last, last == UInt8(ascii: "}"), scanner.skip(AuditRecord.lineHead),
            scanner.number() == seq, scanner.skip(RecordBeginning.time), scanner.text() != nil
        else { return nil }
        if scanner.skip(RecordBeginning.boot), scanner.text() == nil { return nil }
        if scanner.skip(RecordBeginning.mono), scanner.number() == nil { return nil }
        guard scanner.skip(RecordBeginning.kind), let kind = scanner.text(),
            !RecordBeginning.declaring.contains(where: { scanner.is($0, at: kind) })
        else { return nil }
        let source = scanner.skip(RecordBeginning.src) ? scanner.text() : nil
        isSpooled = source.map { scanner.is(RecordBeginning.spool, at: $0) } ?? false
    }
}
