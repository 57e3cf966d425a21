import MDAuditRecord
import MDPlatform

/// Who was not stored, why, and by what it was found.
struct DropName: Hashable, Sendable {
    /// The person.
    let person: UInt32
    /// The reason.
    let reason: DropReason
    /// The source of the records.
    let source: RecordSource
}

/// A number of records that were not stored.
struct DropCount: Hashable, Sendable {
    /// The number.
    var count: Int
    /// When the first was counted.
    let first: Timestamp
    /// When the last was counted.
    var last: Timestamp
}

/// The file of the shares: a line for the boot, one for each person, and one for each count of what was not stored.
///
/// What does not read is left out, with all that follows it: a count that is lost grants a person no more than a day's share.
struct SharesFile {
    /// The path.
    static let path = "\(LogFiles.directory)/shares"
    /// The beginning of the first line; the number at its end grows with every change of the format.
    private static let header = "managed-defaults shares 1 "
    /// The most bytes that are read.
    private static let sizeLimit = 32 << 20

    /// What each person has had.
    private(set) var shares: [UInt32: PersonalShares.Share] = [:]
    /// What was not stored.
    private(set) var drops: [DropName: DropCount] = [:]

    /// Joins what the file has.
    init(shares: [UInt32: PersonalShares.Share], drops: [DropName: DropCount]) {
        (self.shares, self.drops) = (shares, drops)
    }

    /// Reads the file of a root; nothing if there is none.
    init(root: Root) {
        self.init((try? root.read(SharesFile.path, limit: SharesFile.sizeLimit).bytes) ?? [])
    }

    /// Parses a file.
    init(_ bytes: [UInt8]) {
        var lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)[...]
        guard let first = lines.popFirst(), first.starts(with: SharesFile.header.utf8) else { return }
        // The monotonic clock of another boot says nothing about this one.
        let isOfThisBoot =
            String(decoding: first.dropFirst(SharesFile.header.utf8.count), as: UTF8.self)
            == SharesFile.boot
        for line in lines {
            let words = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
            guard words.count == 7, let person = UInt32(words[1]), read(words, of: person, isOfThisBoot) else { return }
        }
    }

    /// Reads a line.
    ///
    /// - Returns: whether it is valid.
    private mutating func read(_ words: [String], of person: UInt32, _ isOfThisBoot: Bool) -> Bool {
        switch words[0] {
        case "share":
            guard let day = Int64(words[2]), let bytes = Int(words[3]), (0...(1 << 50)).contains(bytes),
                let tokens = Int64(words[4]), let time = Int64(words[5]), shares[person] == nil,
                shares.count <= PersonalShares.capacity
            else { return false }
            let firsts = words[6] == "-" ? [] : words[6].split(separator: ",").map { UInt64($0, radix: 16) }
            guard firsts.allSatisfy({ $0 != nil }) else { return false }
            let bucket = isOfThisBoot && time > 0 ? TokenBucket(tokens: tokens, time: time) : nil
            shares[person] = .init(bucket: bucket, day: day, bytes: bytes, firsts: Set(firsts.compactMap { $0 }))
        case "drop":
            guard let reason = DropReason(rawValue: words[2]), let count = Int(words[4]),
                (1...AuditRecord.largestNumber).contains(count), let first = Int64(words[5]),
                let last = Int64(words[6])
            else { return false }
            drops[DropName(person: person, reason: reason, source: RecordSource(rawValue: words[3]))] = DropCount(
                count: count, first: Timestamp(microseconds: first), last: Timestamp(microseconds: last))
        default: return false
        }
        return true
    }

    /// The boot, as one word.
    private static var boot: String { Machine.bootID() ?? "-" }

    /// The file.
    var encoded: [UInt8] {
        var text = SharesFile.header + SharesFile.boot + "\n"
        for (person, share) in shares.sorted(by: { $0.key < $1.key }) {
            let firsts = share.firsts.isEmpty ? "-" : share.firsts.map { String($0, radix: 16) }.joined(separator: ",")
            text +=
                "share \(person) \(share.day) \(share.bytes) \(share.bucket?.tokens ?? 0) \(share.bucket?.time ?? 0) "
                + "\(firsts)\n"
        }
        for (name, drop) in drops {
            text +=
                "drop \(name.person) \(name.reason.rawValue) \(name.source.rawValue) \(drop.count) "
                + "\(drop.first.microseconds) \(drop.last.microseconds)\n"
        }
        return Array(text.dropLast().utf8)
    }
}
