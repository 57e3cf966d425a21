/// Reads the lines of `passwd(5)` and `group(5)`.
struct AccountFile {
    /// The lines that were skipped.
    private(set) var problems: [AccountProblem] = []
    /// The file as people are shown it.
    private let shown: String

    /// The most bytes of either file that are read: a million users of a hundred bytes.
    static let limit = 100 << 20
    /// The most problems that are recorded; one more line says that there are others.
    private static let problemLimit = 100

    /// Starts on a file.
    init(shown: String) {
        self.shown = shown
    }

    /// Parses a user list, in its order; repeated names and ids are all returned.
    mutating func accounts(in bytes: [UInt8]) -> [Account] {
        var accounts: [Account] = []
        var lines = AccountLines(bytes)
        while let line = lines.next() {
            if let account = account(in: bytes, line, number: lines.number) { accounts.append(account) }
        }
        return accounts
    }

    /// The groups in a group list, in its order.
    mutating func groups(in bytes: [UInt8]) -> [AccountGroup] {
        var groups: [AccountGroup] = []
        var lines = AccountLines(bytes)
        while let line = lines.next() {
            if let group = group(in: bytes, line, number: lines.number) { groups.append(group) }
        }
        return groups
    }

    /// Parses a line of a user list; `nil` if it holds no user.
    mutating func account(in bytes: [UInt8], _ line: Range<Int>, number: Int) -> Account? {
        guard let ends = fields(in: bytes, line, count: 7, "a user's line", number) else { return nil }
        /// A field of the line.
        func field(_ index: Int) -> Range<Int> { AccountFile.field(index, line, ends) }
        guard let uid = id(bytes[field(2)], "the uid", number), let gid = id(bytes[field(3)], "the gid", number),
            let name = name(bytes[field(0)], number), let comment = text(bytes[field(4)], "the comment", number),
            let home = text(bytes[field(5)], "the home directory", number)
        else { return nil }
        let fullName = comment.utf8.firstIndex(of: UInt8(ascii: ",")).map { String(comment[..<$0]) } ?? comment
        return Account(name: name, uid: uid, gid: gid, fullName: fullName, home: home)
    }

    /// Parses a line of a group list; `nil` if it holds no group.
    mutating func group(in bytes: [UInt8], _ line: Range<Int>, number: Int) -> AccountGroup? {
        guard let ends = fields(in: bytes, line, count: 4, "a group's line", number) else { return nil }
        /// A field of the line.
        func field(_ index: Int) -> Range<Int> { AccountFile.field(index, line, ends) }
        guard let gid = id(bytes[field(2)], "the gid", number), let name = name(bytes[field(0)], number) else {
            return nil
        }
        var members: [String] = []
        let list = field(3)
        var start = list.lowerBound
        while start < list.upperBound {
            var end = start
            while end < list.upperBound, bytes[end] != UInt8(ascii: ",") { end += 1 }
            if end > start, let member = text(bytes[start..<end], "a member", number) { members.append(member) }
            start = end + 1
        }
        return AccountGroup(name: name, gid: gid, members: members)
    }

    /// The ends of the fields of a line; `nil` for empty lines, comments, lines of NIS, and lines with another number
    /// of fields.
    ///
    /// Indices instead of slices: a short command needs one line, and each generic type costs it more than the line.
    private mutating func fields(
        in bytes: [UInt8], _ line: Range<Int>, count: Int, _ what: String, _ number: Int
    ) -> [Int]? {
        var first = line.lowerBound
        while first < line.upperBound, bytes[first] == 0x20 || bytes[first] == 0x09 { first += 1 }
        if first == line.upperBound { return nil }
        // `#` starts a comment; `+` switches to NIS, which is not supported.
        if bytes[first] == UInt8(ascii: "#") || bytes[first] == UInt8(ascii: "+") { return nil }
        var ends: [Int] = []
        for index in line where bytes[index] == UInt8(ascii: ":") && ends.count <= count { ends.append(index) }
        ends.append(line.upperBound)
        // `-` excludes a user from NIS in a line without an id; with one, the C library reads it as part of a name.
        if bytes[first] == UInt8(ascii: "-"), ends.count != count || AccountFile.field(2, line, ends).isEmpty {
            return nil
        }
        if ends.count == count { return ends }
        let found = ends.count > count ? "more" : "\(ends.count)"
        report(number, "\(what) has \(count) fields, and this one has \(found); the line is skipped")
        return nil
    }

    /// A field of a line whose fields end at some indices, all but the last at a colon.
    private static func field(_ index: Int, _ line: Range<Int>, _ ends: [Int]) -> Range<Int> {
        (index == 0 ? line.lowerBound : ends[index - 1] + 1)..<ends[index]
    }

    /// Reads a decimal id from 0 to 4294967294; 4294967295 means "no id" to the kernel.
    private mutating func id(_ field: ArraySlice<UInt8>, _ what: String, _ line: Int) -> UInt32? {
        let isDecimal = !field.isEmpty && field.count <= 10 && field.allSatisfy { (0x30...0x39).contains($0) }
        if isDecimal {
            let value = field.reduce(UInt64(0)) { $0 * 10 + UInt64($1 - 0x30) }
            if value < UInt64(UInt32.max) { return UInt32(value) }
        }
        report(line, "\(what) is not a number from 0 to 4294967294; the line is skipped")
        return nil
    }

    /// Reads the name, which is not empty and has no control characters.
    private mutating func name(_ field: ArraySlice<UInt8>, _ line: Int) -> String? {
        if field.isEmpty {
            report(line, "the name is empty; the line is skipped")
            return nil
        }
        return text(field, "the name", line)
    }

    /// Reads text: UTF-8 without control characters.
    private mutating func text(_ field: ArraySlice<UInt8>, _ what: String, _ line: Int) -> String? {
        guard !field.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
            report(line, "\(what) contains a control character; it is skipped")
            return nil
        }
        // The bytes are read while they are lent.
        guard let text = unsafe field.withUnsafeBytes({ unsafe String(exactly: $0) }) else {
            report(line, "\(what) is not valid UTF-8; it is skipped")
            return nil
        }
        return text
    }

    /// Records a problem, up to the limit.
    mutating func report(_ line: Int, _ message: String) {
        if problems.count < AccountFile.problemLimit {
            problems.append(AccountProblem(file: shown, line: line, message: message))
        } else if problems.count == AccountFile.problemLimit {
            problems.append(AccountProblem(file: shown, line: line, message: "more lines are wrong from here on"))
        }
    }
}

/// A line of the user or group list that was skipped.
package struct AccountProblem: Hashable, Sendable {
    /// The file as people are shown it.
    package let file: String
    /// The line, counted from 1; 0 for the file as a whole.
    package let line: Int
    /// The reason, as a sentence without its full stop.
    package let message: String
}

extension AccountProblem: CustomStringConvertible {
    /// The problem with its place: `file:line: message`.
    package var description: String {
        let place = line > 0 ? "\(file):\(line)" : file
        return "\(Printable.escape(place)): \(Printable.escape(message))"
    }
}

/// Finds the lines of a file of users or groups.
struct AccountLines {
    /// The bytes of the file.
    private let bytes: [UInt8]
    /// The start of the next line.
    private var start = 0
    /// The number of the last line that was found; 1 is the first.
    private(set) var number = 0

    /// Begins at the first line.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next line, without its end; `nil` at the end of the bytes.
    mutating func next() -> Range<Int>? {
        guard start < bytes.count else { return nil }
        var end = start
        while end < bytes.count, bytes[end] != 0x0a { end += 1 }
        defer { start = end + 1 }
        number += 1
        return start..<end
    }
}
