package import MDPlatform
import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
import MDPolicyStore
package import MDPropertyList
import MDTools

/// What root has seen of the marks in users' state folders, in a file that users cannot write.
///
/// If a mark is gone, the user removed it. Only marks that policy gave reason for are retained: what
/// users write into their files makes it no larger.
package struct SetOnceRegister: Hashable, Sendable {
    /// The owner of marks; a uid that was given to another user is another owner.
    package struct Owner: Hashable, Sendable {
        /// The user's number.
        package let uid: UInt32
        /// The user's name.
        package let name: Key

        /// Names a user.
        package init(_ account: Account) {
            (uid, name) = (account.uid, Key(account.name))
        }

        /// Names a user of a file.
        fileprivate init(uid: UInt32, name: Key) {
            (self.uid, self.name) = (uid, name)
        }
    }

    /// A mark that root has seen.
    package struct Seen: Hashable, Sendable {
        /// The mark, without its word.
        package let mark: SetOnceMark
        /// The digest of its words; `nil` in a register that was written before there were any.
        package let words: Digest?

        /// Makes a mark that was seen.
        package init(_ mark: SetOnceMark, words: Digest?) {
            (self.mark, self.words) = (mark.plain, words)
        }
    }

    /// The file.
    package static let path = "/var/lib/managed-defaults/set-once.register"
    /// The first line; the number at its end grows with every change of the format.
    private static let header = "managed-defaults set-once register 2"
    /// The first line of a register that has no digests.
    private static let oldHeader = "managed-defaults set-once register 1"
    /// The most bytes that are read and written.
    package static let sizeLimit = 64 << 20
    /// The most marks of a user; the oldest give way.
    private static let capacity = 4_096

    /// The marks of each user, oldest first.
    package private(set) var marks: [Owner: [Seen]] = [:]

    /// Makes an empty register.
    package init() {}

    /// Keeps these marks of a user and no others.
    package mutating func set(_ new: [Seen], of owner: Owner) {
        marks[owner] = new.isEmpty ? nil : new.suffix(SetOnceRegister.capacity)
    }

    /// Retains the marks of these users only.
    package mutating func retain(_ owners: Set<Owner>) {
        marks = marks.filter { owners.contains($0.key) }
    }

    /// Reads the register of a machine; an empty one if there is none.
    ///
    /// - Throws: why it cannot be read, is not trusted or is damaged, as a clause.
    package init(root: Root) throws(StoredFileError) {
        guard let bytes = try root.register(at: SetOnceRegister.path, limit: SetOnceRegister.sizeLimit) else {
            self.init()
            return
        }
        try self.init(decoding: bytes)
    }

    /// Writes the register, for root only; removes it if it is empty.
    ///
    /// - Throws: EFBIG if it would be larger than what is read; then the one before stays.
    package func write(root: Root, limit: Int = sizeLimit) throws(SystemError) {
        if marks.isEmpty {
            do {
                try root.remove(SetOnceRegister.path)
            } catch {
                if !error.isMissing { throw error }
            }
            return
        }
        let bytes = encoded()
        guard bytes.count <= limit else {
            throw .tooLarge("replace", path: root.display(SetOnceRegister.path), limit: limit)
        }
        try root.replace(SetOnceRegister.path, with: bytes, mode: 0o600)
    }

    /// The register as a file.
    package func encoded() -> [UInt8] {
        var lines = ChecksummedLines(header: SetOnceRegister.header)
        for (owner, marks) in marks.sorted(by: { ($0.key.uid, $0.key.name) < ($1.key.uid, $1.key.name) }) {
            lines.add("user", String(owner.uid), SetOnceRegister.escape(owner.name))
            for seen in marks {
                let mark = seen.mark
                let names = [mark.domain, mark.key, mark.policy, mark.occasion].map(SetOnceRegister.escape)
                lines.add(["mark"] + names + (seen.words.map { [$0.hex] } ?? []))
            }
        }
        return lines.sealed
    }

    /// Reads a file.
    ///
    /// - Throws: what is wrong with it, as a clause.
    package init(decoding bytes: [UInt8]) throws(StoredFileError) {
        var marks: [Owner: [Seen]] = [:]
        var owner: Owner?
        try ChecksummedLines.read(bytes, headers: [SetOnceRegister.header, SetOnceRegister.oldHeader]) { line in
            let fields = line.fields
            switch (fields.first, fields.count) {
            case ("user", 3):
                guard let uid = UInt32(fields[1]), let name = SetOnceRegister.unescape(fields[2]) else { return false }
                let new = Owner(uid: uid, name: name)
                owner = new
                return marks.updateValue([], forKey: new) == nil
            case ("mark", 5), ("mark", 6):
                let parts = fields[1...4].compactMap(SetOnceRegister.unescape)
                let words = fields.count == 6 ? Digest(hex: fields[5]) : nil
                guard let owner, parts.count == 4, fields.count == 5 || words != nil else { return false }
                let mark = SetOnceMark(domain: parts[0], key: parts[1], policy: parts[2], occasion: parts[3])
                marks[owner, default: []].append(Seen(mark, words: words))
                return true
            default: return false
            }
        }
        self.marks = marks
    }

    /// A name as a field of a line, behind a point, because a key may be empty and a field may not.
    private static func escape(_ name: Key) -> String { "." + ChecksummedLines.escape(name.string) }

    /// Reads what ``escape(_:)`` wrote; `nil` for anything else.
    private static func unescape(_ field: String) -> Key? {
        guard field.hasPrefix(".") else { return nil }
        let rest = String(field.dropFirst())
        return rest.isEmpty ? "" : ChecksummedLines.unescape(rest).map { Key($0) }
    }
}
