/// Finds single users and groups in `etc/passwd` and `etc/group` without parsing every line.
///
/// Only candidate lines are parsed, by the same strict parser as elsewhere. The results are those of
/// ``AccountDatabase``, which also reports why nothing was found.
///
/// A class, so that an optional property of this type has the size of one word.
package final class AccountSearch: Sendable {
    /// The bytes of the user list.
    private let users: [UInt8]
    /// The bytes of the group list; `nil` if there is none.
    private let groups: [UInt8]?

    /// Reads both files.
    ///
    /// - Throws: an error if there is no user list, or either cannot be read: without the group list a user would be in
    ///   no group.
    package init(root: Root) throws(SystemError) {
        users = try root.read("/etc/passwd", limit: AccountFile.limit).bytes
        do {
            groups = try root.read("/etc/group", limit: AccountFile.limit).bytes
        } catch {
            guard error.isMissing else { throw error }
            groups = nil
        }
    }

    /// The user of a name.
    package func account(named name: String) -> Account? {
        AccountSearch.firstLine(of: users, named: Array(name.utf8), read: AccountSearch.account)?.value
    }

    /// The first user of an id.
    package func account(uid: UInt32) -> Account? {
        var lines = AccountLines(users)
        while let line = lines.next() {
            guard AccountSearch.id(in: users, line) == uid, let account = AccountSearch.account(in: users, line) else {
                continue
            }
            // A line that repeats the name of an earlier one does not count.
            if account.uid == uid, self.account(named: account.name)?.uid == uid { return account }
        }
        return nil
    }

    /// The id of the group of a name.
    package func groupID(named name: String) -> UInt32? {
        groups.flatMap {
            AccountSearch.firstLine(of: $0, named: Array(name.utf8), read: AccountSearch.group)?.value.gid
        }
    }

    /// The ids of a user's groups: the primary one, then those that list the user, in the order of the file.
    package func groups(of account: Account) -> [UInt32] {
        var ids = [account.gid]
        guard let groups else { return ids }
        let name = Array(account.name.utf8)
        var lines = AccountLines(groups)
        while let line = lines.next() {
            guard AccountSearch.mentions(name, in: groups, line), let group = AccountSearch.group(in: groups, line),
                !ids.contains(group.gid), group.members.contains(where: { $0.utf8.elementsEqual(name) }),
                isFirst(group, at: line.lowerBound)
            else { continue }
            ids.append(group.gid)
        }
        return ids
    }

    /// The names of the first groups of some ids; `nil` for an id without one.
    ///
    /// Complexity: one pass over the file, whatever the number of ids.
    package func groupNames(_ ids: [UInt32]) -> [String?] {
        var names = [String?](repeating: nil, count: ids.count)
        guard let groups else { return names }
        var lines = AccountLines(groups)
        var missing = ids.count
        while missing > 0, let line = lines.next() {
            guard let id = AccountSearch.id(in: groups, line), ids.contains(id),
                let group = AccountSearch.group(in: groups, line), isFirst(group, at: line.lowerBound)
            else { continue }
            for index in ids.indices where ids[index] == group.gid && names[index] == nil {
                names[index] = group.name
                missing -= 1
            }
        }
        return names
    }

    /// Whether no line before one is a group of the same name.
    private func isFirst(_ group: AccountGroup, at start: Int) -> Bool {
        guard let groups else { return false }
        return AccountSearch.firstLine(of: groups, named: Array(group.name.utf8), read: AccountSearch.group)?.start
            == start
    }
}

extension AccountSearch {
    /// The first line of a name that the parser accepts, and its start.
    private static func firstLine<Item>(
        of bytes: [UInt8], named name: [UInt8], read: ([UInt8], Range<Int>) -> Item?
    ) -> (start: Int, value: Item)? {
        var lines = AccountLines(bytes)
        while let line = lines.next() {
            guard line.count > name.count, bytes[line.lowerBound + name.count] == UInt8(ascii: ":") else { continue }
            var index = 0
            while index < name.count, bytes[line.lowerBound + index] == name[index] { index += 1 }
            if index == name.count, let value = read(bytes, line) { return (line.lowerBound, value) }
        }
        return nil
    }

    /// The number in the third field of a line; `nil` if it is missing or too large.
    private static func id(in bytes: [UInt8], _ line: Range<Int>) -> UInt32? {
        var (index, colons) = (line.lowerBound, 0)
        while index < line.upperBound, colons < 2 {
            if bytes[index] == UInt8(ascii: ":") { colons += 1 }
            index += 1
        }
        var value: UInt64 = 0
        let first = index
        while index < line.upperBound, bytes[index] != UInt8(ascii: ":") {
            guard (0x30...0x39).contains(bytes[index]), value <= 0xffff_ffff else { return nil }
            value = value * 10 + UInt64(bytes[index] - 0x30)
            index += 1
        }
        return colons == 2 && index > first ? UInt32(exactly: value) : nil
    }

    /// Whether a line contains the bytes of a name anywhere.
    private static func mentions(_ name: [UInt8], in bytes: [UInt8], _ line: Range<Int>) -> Bool {
        guard let first = name.first, line.count >= name.count else { return false }
        for start in line.lowerBound...(line.upperBound - name.count) where bytes[start] == first {
            var index = 1
            while index < name.count, bytes[start + index] == name[index] { index += 1 }
            if index == name.count { return true }
        }
        return false
    }

    /// The user in a line, as the strict parser reads it.
    private static func account(in bytes: [UInt8], _ line: Range<Int>) -> Account? {
        var file = AccountFile(shown: "")
        return file.account(in: bytes, line, number: 1)
    }

    /// The group in a line, as the strict parser reads it.
    private static func group(in bytes: [UInt8], _ line: Range<Int>) -> AccountGroup? {
        var file = AccountFile(shown: "")
        return file.group(in: bytes, line, number: 1)
    }
}
