package import MDPlatform
package import MDPolicyModel
package import MDPropertyList
import MDTools

/// The record of the entries that were written into programs' files, and of the earlier content.
///
/// Only recording verbs write it, under the lock of the policy record. It is written before the files are, so that a file
/// has one of two known contents also after a kill.
package struct WrittenFiles: Hashable, Sendable {
    /// One file.
    package struct Entry: Hashable, Sendable {
        /// The word for the program.
        package var program: String
        /// The digest of the content that was written last.
        package var digest: Digest
        /// The digest of the content before that; `nil` if nothing was written before.
        package var previous: Digest?
        /// The digest of the foreign content of the file, which is kept; `nil` if there was no file.
        package var original: Digest?
    }

    /// The files, by path under the root.
    package var files: [Key: Entry] = [:]
    /// The folders that were made for them, by path under the root.
    package var folders: Set<Key> = []

    /// The folder of the record and of the kept contents.
    static let home = "\(StorePath.home)/programs"
    /// The record itself.
    static let path = "\(home)/written"
    /// The first line of the record.
    private static let header = "managed-defaults written 1"
    /// The most bytes of the record: about 10,000 files.
    private static let sizeLimit = 4 << 20

    package init() {}

    /// Reads the record; an empty one if there is none.
    ///
    /// - Throws: if it cannot be read or is damaged, as a clause.
    package init(root: Root) throws(StoredFileError) {
        let bytes: [UInt8]
        do {
            bytes = try root.read(WrittenFiles.path, limit: WrittenFiles.sizeLimit).bytes
        } catch {
            guard error.isMissing else { throw StoredFileError("\(error)") }
            return
        }
        var (files, folders): ([Key: Entry], Set<Key>) = ([:], [])
        try ChecksummedLines.read(bytes, headers: [WrittenFiles.header]) { line in
            let fields = line.fields
            guard fields.count >= 2, let path = ChecksummedLines.unescape(fields[1]) else { return false }
            if fields[0] == "folder", fields.count == 2 { return folders.insert(Key(path)).inserted }
            guard fields[0] == "file", fields.count == 6, let program = ChecksummedLines.unescape(fields[2]),
                let digest = Digest(hex: fields[3]), let previous = Entry.digest(fields[4]),
                let original = Entry.digest(fields[5])
            else { return false }
            files[Key(path)] = Entry(program: program, digest: digest, previous: previous, original: original)
            return true
        }
        (self.files, self.folders) = (files, folders)
    }

    /// The ids of the users for whom single files were written, or rules in a file of all.
    package func userIDs(in root: Root) -> Set<UInt32> {
        let rules = WrittenFiles.content(files[Key(PolkitRules.path)]?.digest, root: root) ?? []
        return Set(files.keys.compactMap(WrittenFiles.userID)).union(PolkitRules.users(in: rules).keys)
    }

    /// The id of the user whose file a path is: the number at its end, after a slash or an underscore.
    static func userID(of path: Key) -> UInt32? {
        let digits = path.string.utf8.reversed().prefix { (0x30...0x39).contains($0) }.reversed()
        let before = path.string.utf8.dropLast(digits.count).last
        guard before == UInt8(ascii: "/") || before == UInt8(ascii: "_") else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self))
    }

    /// What was written last into a program's files; without a file whose kept content is damaged.
    package func contents(of program: String, in root: Root) -> [(path: String, bytes: [UInt8])] {
        files.filter { Key($0.value.program) == Key(program) }.sorted { $0.key < $1.key }.compactMap { path, entry in
            WrittenFiles.content(entry.digest, root: root).map { (path.string, $0) }
        }
    }

    /// The bytes of the record.
    private var encoded: [UInt8] {
        var lines = ChecksummedLines(header: WrittenFiles.header)
        for folder in folders.sorted() { lines.add("folder", ChecksummedLines.escape(folder.string)) }
        for (path, entry) in files.sorted(by: { $0.key < $1.key }) {
            lines.add(
                "file", ChecksummedLines.escape(path.string), ChecksummedLines.escape(entry.program), entry.digest.hex,
                entry.previous?.hex ?? "-", entry.original?.hex ?? "-")
        }
        return lines.sealed
    }

    /// Writes the record, and removes kept contents that it does not refer to.
    func save(root: Root) throws(SystemError) {
        try root.replace(WrittenFiles.path, with: encoded, mode: 0o644)
        let kept = Set(files.values.flatMap { [$0.digest, $0.previous, $0.original].compactMap { $0?.hex } })
        for name in try root.names(in: WrittenFiles.home) where name.utf8.count == 64 && !kept.contains(name) {
            try root.remove("\(WrittenFiles.home)/\(name)")
        }
    }

    /// Keeps a content under its digest.
    static func keep(_ bytes: [UInt8], root: Root) throws(SystemError) {
        try root.createDirectory(home, mode: 0o755)
        let path = "\(home)/\(SHA256.hash(bytes).hex)"
        if !root.mayExist(path) { try root.replace(path, with: bytes, mode: 0o644) }
    }

    /// A kept content; `nil` if it is missing or damaged.
    static func content(_ digest: Digest?, root: Root) -> [UInt8]? {
        guard let digest,
            let bytes = try? root.read("\(home)/\(digest.hex)", limit: PlainJSON.sizeLimit).bytes,
            SHA256.hash(bytes) == digest
        else { return nil }
        return bytes
    }
}

extension WrittenFiles.Entry {
    /// Reads a digest or a dash.
    ///
    /// - Returns: `nil` for anything else.
    fileprivate static func digest(_ field: String) -> Digest?? {
        if field == "-" { return .some(nil) }
        return Digest(hex: field).map { .some($0) }
    }
}
