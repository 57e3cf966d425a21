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
        if let usual = RecordBeginning(usual: line.bytes, seq: place), !parsed.contains(place) {
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

    /// The bytes before the number.
    private static let head = AuditRecord.lineHead
    /// The bytes after the number.
    private static let time = RecordMember.time.bytes + [UInt8(ascii: "\"")]
    /// The bytes before the kind.
    private static let kind = RecordMember.kind.bytes + [UInt8(ascii: "\"")]
    /// The kinds that declare something missing or mended, with the quotation mark after them.
    private static let declaring = [RecordKind.gap, .drop, .recover].map { Array("\($0.rawValue)\"".utf8) }
    /// The bytes after the kind of a record from a spool.
    private static let spool =
        Array("\"".utf8) + RecordMember.src.bytes + Array("\"\(RecordSource.spool.rawValue)\"".utf8)

    /// Looks at a line; `nil` unless it begins as a record with this number does, and is of a kind that declares nothing
    /// missing.
    init?(usual line: ArraySlice<UInt8>, seq: Int) {
        let bytes = line.span
        let head = RecordBeginning.head
        guard bytes.count > 0, bytes[bytes.count - 1] == UInt8(ascii: "}"), RecordBeginning.has(bytes, head, at: 0)
        else { return nil }
        var (index, number) = (head.count, 0)
        while index < bytes.count, (0x30...0x39).contains(bytes[index]), index < head.count + 18 {
            number = number * 10 + Int(bytes[index] - 0x30)
            index += 1
        }
        guard number == seq, bytes[head.count] != UInt8(ascii: "0"),
            RecordBeginning.has(bytes, RecordBeginning.time, at: index)
        else { return nil }
        // A quotation mark inside a string is escaped, so these bytes can only be the member's name.
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: ","), RecordBeginning.has(bytes, RecordBeginning.kind, at: index) {
                index += RecordBeginning.kind.count
                if RecordBeginning.declaring.contains(where: { RecordBeginning.has(bytes, $0, at: index) }) {
                    return nil
                }
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") { index += 1 }
                isSpooled = RecordBeginning.has(bytes, RecordBeginning.spool, at: index)
                return
            }
            index += 1
        }
        return nil
    }

    /// Whether bytes are at an offset.
    private static func has(_ bytes: Span<UInt8>, _ wanted: [UInt8], at offset: Int) -> Bool {
        guard bytes.count - offset >= wanted.count else { return false }
        for index in wanted.indices where bytes[offset + index] != wanted[index] { return false }
        return true
    }
}
