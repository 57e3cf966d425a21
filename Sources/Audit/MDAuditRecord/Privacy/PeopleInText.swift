package import MDPlatform

/// The people of a machine, found by their names and homes in texts for people.
package struct PeopleInText: Sendable {
    /// Somebody that a text names.
    enum Found: Hashable {
        /// A user of the machine, or a number that a text calls a uid.
        case uid(UInt32)
        /// The owner of a folder in `/home`, unknown to the machine as a user.
        case name(String)
    }

    /// The uid of each person, by name.
    private var names: [String: UInt32] = [:]
    /// The uid of each person, by home.
    private var homes: [String: UInt32] = [:]
    /// The uid of every user, by name.
    private var users: [String: UInt32] = [:]
    /// The most parts of a word that are looked up together; the name of a user hardly has more.
    private static let mostParts = 6

    /// Makes the list of a machine's people.
    package init(_ accounts: [Account]) {
        for account in accounts {
            users[account.name] = users[account.name] ?? account.uid
            guard PeopleInText.isPerson(account.uid) else { continue }
            names[account.name] = names[account.name] ?? account.uid
            // A home that others share, such as /, identifies no person.
            if account.home.utf8.count > 1 { homes[account.home] = homes[account.home] ?? account.uid }
        }
    }

    /// Whether a uid is that of a person, and not of root, a service or `nobody`.
    package static func isPerson(_ uid: UInt32) -> Bool { uid >= 1_000 && uid != 65_534 }

    /// The uid of a user.
    func uid(named name: String) -> UInt32? { users[name] }

    /// Replaces the homes, names and numbers of people in a text; what the function answers with `nil` stays.
    ///
    /// Complexity: O(n).
    func replacing(in text: String, _ replacement: (Found) -> String?) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var (index, previous) = (0, ArraySlice<UInt8>())
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "/"), index == 0 || !PeopleInText.isWord(bytes[index - 1]),
                let home = home(in: bytes[index...]), let person = replacement(home.found)
            {
                result += "~\(person)".utf8
                index = home.end
            } else if PeopleInText.isWord(byte) {
                let end = bytes[index...].firstIndex { !PeopleInText.isWord($0) } ?? bytes.endIndex
                let word = bytes[index..<end]
                let digits = word.prefix { (0x30...0x39).contains($0) }
                if previous.elementsEqual("uid".utf8),
                    word.dropFirst(digits.count).allSatisfy(PeopleInText.isSeparator),
                    let uid = UInt32(String(decoding: digits, as: UTF8.self)), let person = replacement(.uid(uid))
                {
                    result += person.utf8
                    result += word.dropFirst(digits.count)
                } else {
                    replaceNames(in: word, replacement, &result)
                }
                (previous, index) = (word, end)
            } else {
                result.append(byte)
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The home that a path begins with, and where it ends; the longest one.
    private func home(in path: ArraySlice<UInt8>) -> (found: Found, end: Int)? {
        var ends: [Int] = []
        var end = path.startIndex
        while end < path.endIndex, path[end] == UInt8(ascii: "/") || PeopleInText.isWord(path[end]) {
            if path[end] == UInt8(ascii: "/"), end > path.startIndex { ends.append(end) }
            end += 1
        }
        ends.append(end)
        for end in ends.reversed() {
            // The full stop of a sentence may stand behind a path.
            var last = end
            while true {
                let text = String(decoding: path[path.startIndex..<last], as: UTF8.self)
                if let uid = homes[text] { return (.uid(uid), last) }
                guard last > path.startIndex + 1, path[last - 1] == UInt8(ascii: ".") else { break }
                last -= 1
            }
        }
        guard path.starts(with: "/home/".utf8), ends.count > 1 else { return nil }
        let start = path.startIndex + "/home/".utf8.count
        guard ends[1] > start else { return nil }
        return (.name(String(decoding: path[start..<ends[1]], as: UTF8.self)), ends[1])
    }

    /// Replaces names in a word, which may be part of it: between dots and dashes.
    private func replaceNames(
        in word: ArraySlice<UInt8>, _ replacement: (Found) -> String?, _ result: inout [UInt8]
    ) {
        var start = word.startIndex
        while start < word.endIndex {
            var ends: [Int] = []
            var end = start
            while ends.count < PeopleInText.mostParts, end < word.endIndex {
                end = word[end...].firstIndex(where: PeopleInText.isSeparator) ?? word.endIndex
                ends.append(end)
                end += 1
            }
            let found = ends.reversed().first { names[String(decoding: word[start..<$0], as: UTF8.self)] != nil }
            if let found, let uid = names[String(decoding: word[start..<found], as: UTF8.self)],
                let person = replacement(.uid(uid))
            {
                result += person.utf8
                start = found
            } else {
                let next = ends.first ?? word.endIndex
                result += word[start..<next]
                start = next
            }
            if start < word.endIndex {
                result.append(word[start])
                start += 1
            }
        }
    }

    /// Whether a byte is part of a word.
    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "@"), UInt8(ascii: "+"), 0x80...0xff:
            true
        default: isSeparator(byte)
        }
    }

    /// Whether a byte may separate a name from other parts of a word.
    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "@")
    }
}
