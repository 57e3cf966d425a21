/// Reads the lines of `passwd(5)` and `group(5)`.
struct AccountFile {
    /// The lines that were skipped.
    private(set) var problems: [AccountProblem] = []
    /// The file as people are shown it.
    private let shown: String

    /// The most bytes of either file that are read: a million users of a hundred bytes.
    static let limit = 100 << 20
    /// The most problems that are kept; one more line says that there are others.
    private static let problemLimit = 100

    /// Starts on a file.
    init(shown: String) {
        self.shown = shown
    }

    /// The users in a user list, in its order, each name and each id as often as it stands there.
    mutating func accounts(in bytes: [UInt8]) -> [Account] {
        var accounts: [Account] = []
        for (number, fields) in lines(of: bytes, count: 7, "a user's line") {
            guard let uid = id(fields[2], "the uid", number), let gid = id(fields[3], "the gid", number),
                let name = name(fields[0], number), let comment = text(fields[4], "the comment", number),
                let home = text(fields[5], "the home directory", number)
            else { continue }
            let fullName = String(comment.prefix { $0 != "," })
            accounts.append(Account(name: name, uid: uid, gid: gid, fullName: fullName, home: home))
        }
        return accounts
    }

    /// The groups in a group list, in its order.
    mutating func groups(in bytes: [UInt8]) -> [AccountGroup] {
        var groups: [AccountGroup] = []
        for (number, fields) in lines(of: bytes, count: 4, "a group's line") {
            guard let gid = id(fields[2], "the gid", number), let name = name(fields[0], number) else { continue }
            var members: [String] = []
            for member in fields[3].split(separator: UInt8(ascii: ",")) {
                if let member = text(member, "a member", number) { members.append(member) }
            }
            groups.append(AccountGroup(name: name, gid: gid, members: members))
        }
        return groups
    }

    /// Splits into lines and fields, without empty lines, comments and lines of NIS.
    private mutating func lines(of bytes: [UInt8], count: Int, _ what: String) -> [(Int, [ArraySlice<UInt8>])] {
        var result: [(Int, [ArraySlice<UInt8>])] = []
        let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let first = line.first(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
            // `#` is a comment; `+` and `-` switch to NIS, which nothing here asks.
            if [0x23, 0x2b, 0x2d].contains(first) { continue }
            let fields = line.split(separator: 0x3a, maxSplits: count, omittingEmptySubsequences: false)
            if fields.count == count {
                result.append((index + 1, fields))
            } else {
                let found = fields.count > count ? "more" : "\(fields.count)"
                report(index + 1, "\(what) has \(count) fields, and this one has \(found); the line is skipped")
            }
        }
        return result
    }

    /// Reads a decimal id from 0 to 4294967294; 4294967295 means "no id" to the kernel.
    private mutating func id(_ field: ArraySlice<UInt8>, _ what: String, _ line: Int) -> UInt32? {
        let isDecimal = !field.isEmpty && field.count <= 10 && field.allSatisfy { (0x30...0x39).contains($0) }
        if isDecimal, let value = UInt32(String(decoding: field, as: UTF8.self)), value != .max { return value }
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
        guard let text = String(validating: field, as: UTF8.self) else {
            report(line, "\(what) is not valid UTF-8; it is skipped")
            return nil
        }
        return text
    }

    /// Keeps a problem, up to the limit.
    mutating func report(_ line: Int, _ message: String) {
        if problems.count < AccountFile.problemLimit {
            problems.append(AccountProblem(file: shown, line: line, message: message))
        } else if problems.count == AccountFile.problemLimit {
            problems.append(AccountProblem(file: shown, line: line, message: "more lines are wrong from here on"))
        }
    }
}
