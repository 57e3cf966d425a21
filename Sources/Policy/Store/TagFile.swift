import Platform
import PropertyList

/// The words of `/etc/managed-defaults/tags`, which say what a machine is: a room, a trolley, a course.
struct TagFile {
    /// The most bytes that are read; nobody needs a thousand words.
    private static let limit = 65_536
    /// The words; `nil` if they cannot be read and none were recorded.
    let words: Set<Key>?
    /// What is wrong with the file.
    let problems: [Diagnostic]

    /// Reads the file; if that fails, the words that were recorded stay.
    ///
    /// A missing file has no words, so long as the directory is there that it would lie in.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - recorded: the words that were recorded.
    ///   - isRecordAlone: whether only these count.
    init(root: Root, recorded: Set<Key>?, isRecordAlone: Bool) {
        if isRecordAlone {
            (words, problems) = (recorded, [])
            return
        }
        do {
            words = try TagFile.words(in: root.readTrusted(StorePath.tags, limit: TagFile.limit).bytes)
            problems = []
        } catch let error as TrustError where error.isMissing {
            let hasDirectory = (try? root.status(PolicyPlace.etc.home, followingLinks: true))?.kind == .directory
            words = hasDirectory ? [] : recorded ?? []
            problems = []
        } catch {
            words = recorded
            let kept =
                recorded == nil
                ? "what policy for tags forces is unknown" : "the tags that were recorded last stay in force"
            problems = [
                Diagnostic(
                    file: root.display(StorePath.tags), code: .unreadable,
                    message: "the tags of this machine cannot be used: \(error); \(kept)")
            ]
        }
    }

    /// The words of a text: what stands between blanks and line ends, without what follows a `#` on its line.
    ///
    /// - Throws: `TableError` for bytes that are no text.
    static func words(in bytes: [UInt8]) throws(TableError) -> Set<Key> {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw TableError("the file is not valid UTF-8")
        }
        var words: Set<Key> = []
        for line in text.utf8.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            let content = line.prefix { $0 != UInt8(ascii: "#") }
            for word in content.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }) {
                words.insert(Key(String(Substring(word))))
            }
        }
        return words
    }
}
