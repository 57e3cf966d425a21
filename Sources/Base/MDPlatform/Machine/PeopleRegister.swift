import Glibc

/// The people of directory services by uid, as this machine has seen them: name and home, and for how long.
///
/// Root's commands write it. A program looks up its own user, and the audit service a sender, in place, so that neither
/// asks a name service. It only gives names to ids; no target is compared with it. A damaged file gives no name.
///
/// After the first line, which has the size of the file, each person has a line: uid, the times from which on and until
/// which the uid is this person's, name, home, and digits of the digest of the line before them.
package struct PeopleRegister: Sendable {
    /// A person.
    package struct Row: Hashable, Sendable {
        package let uid: UInt32
        package let name: String
        package let home: String
        /// The time from which on the uid is this person's.
        package let from: Timestamp
        /// The time until which it was; `nil` while it is.
        package let until: Timestamp?

        package init(uid: UInt32, name: String, home: String, from: Timestamp, until: Timestamp? = nil) {
            (self.uid, self.name, self.home, self.from, self.until) = (uid, name, home, from, until)
        }

        /// Whether the uid was this person's at a time.
        package func holds(at time: Timestamp) -> Bool { from <= time && until.map { time < $0 } ?? true }
    }

    /// The file.
    package static let path = "\(folder)/\(name)"
    private static let folder = "/var/lib/managed-defaults"
    private static let name = "people"
    /// The most people; those who were not seen for longest leave it.
    package static let capacity = 50_000
    /// The most earlier people of one uid.
    package static let earlierLimit = 8
    /// The most bytes of a name, and of a home.
    private static let (nameLimit, homeLimit) = (256, 1_024)
    /// The most bytes of a line, with room for the numbers.
    private static let lineLimit = nameLimit + homeLimit + 128
    /// The most bytes of the file.
    private static let sizeLimit = 128 << 20
    /// The beginning of the first line; the number at its end grows with every change of the format.
    private static let title = "managed-defaults people 1 "
    /// The digits of the size, and those of the digest of a line.
    private static let (sizeDigits, checkDigits) = (10, 16)
    /// The bytes of the first line.
    private static let headerSize = title.utf8.count + sizeDigits + 1
    /// The most bytes that are read at once.
    private static let pieceSize = 4 * lineLimit

    private let file: OpenFile

    /// Opens the register of a root.
    ///
    /// - Throws: why it cannot be used; `isMissing` if there is none.
    package init(root: Root) throws(TrustError) {
        file = try root.trustedDirectory(PeopleRegister.folder).open(PeopleRegister.name)
        let header = try read(0..<PeopleRegister.headerSize)
        let size = file.status.size
        guard size <= PeopleRegister.sizeLimit, header.elementsEqual(PeopleRegister.header(size: size)) else {
            throw PeopleRegister.damage("its first line does not fit it")
        }
    }

    /// The person who has a uid now; `nil` if it is unknown who that is.
    package static func person(of uid: UInt32, in root: Root) -> Row? {
        (try? PeopleRegister(root: root).rows(of: uid))?.last { $0.until == nil }
    }

    /// Everybody who has or had a uid, the earliest first.
    ///
    /// Complexity: O(log n) pieces of the file are read.
    package func rows(of uid: UInt32) throws(TrustError) -> [Row] {
        var (low, high) = (PeopleRegister.headerSize, file.status.size)
        while high - low > PeopleRegister.pieceSize {
            let middle = low + (high - low) / 2
            let (start, bytes) = try lines(from: middle - PeopleRegister.lineLimit, isStart: false)
            let (row, end) = try row(in: bytes[...])
            if row.uid < uid { low = start + end } else { high = start }
        }
        var found: [Row] = []
        while low < file.status.size {
            var rest = try lines(from: low, isStart: true).bytes[...]
            low += rest.count
            while !rest.isEmpty {
                let (row, end) = try row(in: rest)
                if row.uid > uid { return found }
                if row.uid == uid { found.append(row) }
                rest = rest[end...]
            }
        }
        return found
    }

    /// Everybody, by uid and then by time.
    ///
    /// - Throws: the first thing that is wrong with the file.
    package func all() throws(TrustError) -> [Row] {
        var (rows, place): ([Row], Int) = ([], PeopleRegister.headerSize)
        while place < file.status.size {
            var rest = try lines(from: place, isStart: true).bytes[...]
            place += rest.count
            while !rest.isEmpty {
                let (row, end) = try row(in: rest)
                if let last = rows.last, (last.uid, last.from) > (row.uid, row.from) {
                    throw PeopleRegister.damage("its lines are not in order")
                }
                rows.append(row)
                rest = rest[end...]
            }
        }
        return rows
    }

    /// Reads whole lines from a place on, which may lie inside of a line unless it is the start of one.
    private func lines(from place: Int, isStart: Bool) throws(TrustError) -> (start: Int, bytes: [UInt8]) {
        var bytes = try read(place..<min(place + PeopleRegister.pieceSize, file.status.size))
        var start = place
        if !isStart {
            guard let end = bytes.firstIndex(of: 0x0a) else { throw PeopleRegister.unreadable }
            bytes.removeFirst(end + 1)
            start += end + 1
        }
        guard let last = bytes.lastIndex(of: 0x0a) else { throw PeopleRegister.unreadable }
        bytes.removeLast(bytes.count - last - 1)
        return (start, bytes)
    }

    /// Reads the bytes of a range.
    private func read(_ range: Range<Int>) throws(TrustError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        let file = file
        // The buffer lives while it is filled, and is written within its bounds.
        let result = unsafe bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemError) in try unsafe file.read(into: buffer, at: range.lowerBound) }
        }
        let count = try TrustError.lifting { () throws(SystemError) in try result.get() }
        guard count == range.count else { throw PeopleRegister.damage("it ends too early") }
        return bytes
    }

    /// Reads the first line; returns the person, and where the next line begins.
    private func row(in bytes: ArraySlice<UInt8>) throws(TrustError) -> (row: Row, end: Int) {
        guard let feed = bytes.firstIndex(of: 0x0a) else { throw PeopleRegister.unreadable }
        let line = bytes[..<feed]
        let content = line.dropLast(PeopleRegister.checkDigits)
        guard line.count <= PeopleRegister.lineLimit,
            line[content.endIndex...].elementsEqual(PeopleRegister.check(content))
        else { throw PeopleRegister.unreadable }
        let fields = content.split(separator: 0x09, omittingEmptySubsequences: false).map {
            String(validating: $0, as: UTF8.self) ?? ""
        }
        guard fields.count == 6, let uid = UInt32(fields[0]), let from = Int64(fields[1]), !fields[3].isEmpty else {
            throw PeopleRegister.unreadable
        }
        let until = Int64(fields[2])
        guard until != nil || fields[2] == "-" else { throw PeopleRegister.unreadable }
        let row = Row(
            uid: uid, name: fields[3], home: fields[4], from: Timestamp(microseconds: from),
            until: until.map { Timestamp(microseconds: $0) })
        return (row, feed + 1)
    }

    private static let unreadable = damage("a line of it does not read")

    private static func damage(_ reason: String) -> TrustError {
        .system(SystemError(operation: "read", path: path, code: EBADMSG, reason: reason))
    }

    /// The digits of the digest of a line.
    private static func check(_ content: ArraySlice<UInt8>) -> Substring.UTF8View {
        var hash = SHA256()
        hash.update(content)
        return hash.finish().hex.prefix(checkDigits).utf8
    }

    private static func header(size: Int) -> [UInt8] {
        let digits = Array("\(size)".utf8)
        return Array(title.utf8) + [UInt8](repeating: 0x30, count: max(sizeDigits - digits.count, 0)) + digits + [0x0a]
    }

    /// Whether a person can be in the register: a name and a home have no control characters and no great length.
    package static func canHold(name: String, home: String) -> Bool {
        func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }
        return !name.isEmpty && !home.isEmpty && name.utf8.count <= nameLimit && home.utf8.count <= homeLimit
            && isPlain(name)
            && isPlain(home)
    }

    /// The file's bytes with some people, who can be in it.
    package static func encode(_ rows: [Row]) -> [UInt8] {
        var content: [UInt8] = []
        for row in rows.sorted(by: { ($0.uid, $0.from) < ($1.uid, $1.from) }) {
            let until = row.until.map { "\($0.microseconds)" } ?? "-"
            let line = Array("\(row.uid)\t\(row.from.microseconds)\t\(until)\t\(row.name)\t\(row.home)\t".utf8)
            content += line
            content += check(line[...])
            content.append(0x0a)
        }
        return header(size: headerSize + content.count) + content
    }
}
