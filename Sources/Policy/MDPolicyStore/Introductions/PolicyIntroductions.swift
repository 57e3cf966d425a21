package import MDPlatform
import MDPolicyModel
package import MDPropertyList

/// The introductions of the administrator's files: a small file beside the record, which everybody may read.
package struct PolicyIntroductions: Hashable, Sendable {
    /// What is known of one file.
    package struct Entry: Hashable, Sendable {
        /// The content that it is about.
        package var digest: Digest
        package var introduction: PolicyIntroduction

        package init(digest: Digest, introduction: PolicyIntroduction) {
            (self.digest, self.introduction) = (digest, introduction)
        }
    }

    private static let header = "managed-defaults policy introductions 1"
    /// The path beneath the root.
    package static let path = "\(StorePath.home)/policy.introductions"
    /// The largest file that is read, in bytes: 4,000 files.
    private static let sizeLimit = 4 << 20
    /// The most characters of a reason, so that one does not fill the file.
    package static let reasonLimit = 512

    /// The newest generation in it; 0 for none.
    package var generation = 0
    /// The files by their names.
    package var files: [Key: Entry] = [:]

    /// Makes an empty one.
    package init() {}

    /// The newest generation in the file of a root, without reading what it has of files; `nil` if its checksum does not
    /// match.
    package static func generation(in root: Root) -> Int? {
        let lines = bytes(of: root).map { ChecksummedLines.first(2, of: $0) } ?? []
        guard lines.count == 2, Key(lines[0]) == Key(header) else { return nil }
        let words = lines[1].split(separator: " ")
        return words.count == 2 && Key(String(words[0])) == Key("generation") ? Int(words[1]) : nil
    }

    /// The bytes of the file of a root.
    private static func bytes(of root: Root) -> [UInt8]? {
        try? root.readTrusted(path, limit: sizeLimit).bytes
    }

    /// Reads the file of a root; empty if there is none that can be used.
    package init(_ root: Root) {
        guard let bytes = PolicyIntroductions.bytes(of: root) else { return }
        var read = PolicyIntroductions()
        do throws(StoredFileError) {
            try ChecksummedLines.read(bytes, headers: [PolicyIntroductions.header]) { read.add($0.fields) }
            self = read
        } catch {
            // The next recording makes it again.
        }
    }

    /// Reads one line; returns whether it is valid.
    private mutating func add(_ fields: [String]) -> Bool {
        switch (fields.first, fields.count) {
        case ("generation", 2):
            guard let number = Int(fields[1]), number > 0 else { return false }
            generation = number
        case ("file", 8):
            guard let name = ChecksummedLines.unescape(fields[1]), let digest = Digest(hex: fields[2]),
                let number = Int(fields[3]), let time = Int64(fields[4]), let by = PolicyIntroductions.text(fields[6]),
                let reason = PolicyIntroductions.text(fields[7])
            else { return false }
            let introduction = PolicyIntroduction(
                generation: number, time: Timestamp(microseconds: time), by: by, reason: reason,
                isByHand: fields[5] == "hand")
            files[Key(name)] = Entry(digest: digest, introduction: introduction)
        default: return false
        }
        return true
    }

    /// The file as text.
    package var encoded: [UInt8] {
        var lines = ChecksummedLines(header: PolicyIntroductions.header)
        lines.add("generation", "\(generation)")
        for (name, entry) in files.sorted(by: { $0.key < $1.key }) {
            let found = entry.introduction
            lines.add(
                "file", ChecksummedLines.escape(name.string), entry.digest.hex, "\(found.generation ?? 0)",
                "\(found.time?.microseconds ?? 0)", found.isByHand ? "hand" : "install",
                PolicyIntroductions.field(found.by), PolicyIntroductions.field(found.reason))
        }
        return lines.sealed
    }

    /// A text as a field; a dash for an empty one.
    private static func field(_ text: String) -> String { text.isEmpty ? "-" : ChecksummedLines.escape(text) }

    /// The text of a field.
    private static func text(_ field: String) -> String? { field == "-" ? "" : ChecksummedLines.unescape(field) }
}
