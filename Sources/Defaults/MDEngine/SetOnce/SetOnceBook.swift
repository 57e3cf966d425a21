import MDAuditClient
package import MDPlatform
import MDPropertyList

/// The storage of a user's set-once marks.
package protocol SetOnceBook: Sendable {
    /// The marks, oldest first.
    func marks() throws(SystemError) -> [SetOnceMark]

    /// Changes the marks while no other process does.
    ///
    /// - Parameter body: gets the marks and returns those that are to be stored; `nil` changes nothing.
    /// - Throws: if the marks could not be read or stored; what `body` did stays done.
    func update(_ body: ([SetOnceMark]) -> [SetOnceMark]?) throws(SystemError)

    /// The marks, without words, that the audit service remembers; none without a service.
    func remembered(_ marks: [SetOnceMark]) -> Set<SetOnceMark>

    /// Has the audit service remember and record marks.
    ///
    /// - Returns: whether it has, for all of them.
    func remember(_ marks: [SetOnceMark]) -> Bool
}

extension SetOnceBook {
    /// None, without a service.
    package func remembered(_ marks: [SetOnceMark]) -> Set<SetOnceMark> { [] }
    /// Without a service, nothing is.
    package func remember(_ marks: [SetOnceMark]) -> Bool { false }
}

/// The marks of a user without files, for the tests of applications.
package final class MemorySetOnceBook: SetOnceBook {
    /// The marks.
    private let state = Guarded<[SetOnceMark]>([])

    /// Makes an empty book.
    package init() {}

    /// The marks.
    package func marks() throws(SystemError) -> [SetOnceMark] { state.withLock { $0 } }

    /// Changes the marks.
    package func update(_ body: ([SetOnceMark]) -> [SetOnceMark]?) throws(SystemError) {
        let new = body(state.withLock { $0 })
        if let new { state.withLock { $0 = new } }
    }
}

/// The marks of a user in a file of their own, one JSON object a line.
///
/// The user can change it. Every application of a set-once entry is in the audit log as well, so that a mark without a
/// record, and a record that comes twice, show.
package struct SetOnceFile: SetOnceBook {
    /// The most bytes that are read.
    private static let limit = 128 << 20
    /// The most marks that are kept; the oldest give way.
    private static let capacity = 262_144
    /// How long another process is waited for, in seconds.
    private static let seconds = 5.0

    /// The root that the folder is under.
    private let root: Root
    /// The home that the folder is in: that of the account database, which no environment moves.
    ///
    /// A user who could move it would have every value set again and again, unnoticed.
    private let home: String
    /// The folder for a user whose home is not to be seen here, as in a sandbox.
    private let spare: String

    /// Names the file; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - root: the root that the folders are under.
    ///   - home: the user's home; empty if it is unknown.
    ///   - spare: the folder to use if there is no home, `.local/state/managed-defaults` in `$HOME`.
    package init(root: Root, home: String, spare: String) {
        (self.root, self.home, self.spare) = (root, home, spare)
    }

    /// The folder.
    private var directory: String {
        let hasHome = !home.isEmpty && (try? root.status(home, followingLinks: true))?.kind == .directory
        return hasHome ? home + SetOnceFile.folder : spare
    }

    /// The folder in a home.
    private static let folder = "/.local/state/managed-defaults"

    /// The file.
    package var path: String { directory + "/set-once.jsonl" }

    /// The marks; lines that are no marks are skipped, and without a file there are none.
    package func marks() throws(SystemError) -> [SetOnceMark] {
        let bytes: [UInt8]
        do {
            bytes = try root.read(path, limit: SetOnceFile.limit).bytes
        } catch {
            if error.isMissing { return [] }
            throw error
        }
        return SetOnceFile.marks(in: bytes)
    }

    /// The marks of a file's bytes; lines that are no marks are skipped.
    static func marks(in bytes: [UInt8]) -> [SetOnceMark] {
        bytes.split(separator: 0x0a).compactMap { mark(Array($0)) }
    }

    /// Changes the marks under a lock, durably.
    package func update(_ body: ([SetOnceMark]) -> [SetOnceMark]?) throws(SystemError) {
        let directory = directory
        try root.createDirectory(directory, mode: 0o700)
        let lock = try root.lock(directory + "/set-once.lock", mode: 0o600, seconds: SetOnceFile.seconds)
        defer { withExtendedLifetime(lock) {} }
        guard let marks = body(try marks()) else { return }
        let bytes = marks.suffix(SetOnceFile.capacity).flatMap { SetOnceFile.line(of: $0) }
        try root.replace(path, with: bytes, mode: 0o600)
    }

    /// The marks of the caller that the audit service remembers.
    package func remembered(_ marks: [SetOnceMark]) -> Set<SetOnceMark> {
        let lasting = marks.compactMap(\.lasting)
        guard !lasting.isEmpty, let known = ServiceQuestion.marks(lasting, remembers: false, of: root)
        else { return [] }
        return Set(marks.map(\.plain).filter { $0.lasting.map(known.contains) ?? false })
    }

    /// Has the audit service remember and record marks of the caller.
    package func remember(_ marks: [SetOnceMark]) -> Bool {
        let lasting = marks.compactMap(\.lasting)
        guard lasting.count == marks.count, !lasting.isEmpty else { return false }
        return ServiceQuestion.marks(lasting, remembers: true, of: root) != nil
    }

    /// A mark as a line of the file.
    static func line(of mark: SetOnceMark) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.field("policy", mark.policy.string)
        json.field("occasion", mark.occasion.string)
        json.field("domain", mark.domain.string)
        json.field("key", mark.key.string)
        json.field("word", mark.word?.string)
        json.endObject()
        return json.utf8 + [0x0a]
    }

    /// Reads a line; `nil` for one that is no mark.
    private static func mark(_ line: [UInt8]) -> SetOnceMark? {
        guard let source = try? SourceText(decoding: line), let document = try? JSONReader.readPlain(source),
            case .dictionary(let members) = document.root.value,
            case .string(let policy)? = members["policy"], case .string(let occasion)? = members["occasion"],
            case .string(let domain)? = members["domain"], case .string(let key)? = members["key"]
        else { return nil }
        var word: Key?
        if case .string(let text)? = members["word"] { word = Key(text) }
        return SetOnceMark(domain: Key(domain), key: Key(key), policy: Key(policy), occasion: Key(occasion), word: word)
    }
}
