package import MDAuditClient
package import MDPlatform
import MDPropertyList

/// The storage of a user's set-once marks: the audit service and the user's own file.
///
/// The service holds the lasting marks. The file holds those of sessions and, where there is no service, the lasting ones
/// too. A mark in either counts, and what only the file has the service adopts.
package protocol SetOnceBook: Sendable {
    /// The marks of the file, oldest first.
    func marks() throws(SystemError) -> [SetOnceMark]

    /// Changes the marks of the file while no other process does.
    ///
    /// - Parameter body: gets the marks and returns those that are to be stored; `nil` changes nothing.
    /// - Throws: if the marks could not be read or stored; what `body` did stays done.
    func update(_ body: ([SetOnceMark]) -> [SetOnceMark]?) throws(SystemError)

    /// Speaks with the audit service about lasting marks.
    ///
    /// - Returns: those that it remembered before.
    func service(_ marks: [SetOnceMark], _ request: MarkRequest) -> MarkMemory
}

extension SetOnceBook {
    /// There is no service.
    package func service(_ marks: [SetOnceMark], _ request: MarkRequest) -> MarkMemory { .noService }
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

/// The marks of a user in a file of the user's own, one JSON object a line, beside the audit service.
///
/// The user can change the file: a deleted line makes its entry a changeable default once more.
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
    /// The user.
    private let user: UInt32

    /// Names the file; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - root: the root that the folders are under.
    ///   - home: the user's home; empty if it is unknown.
    ///   - spare: the folder to use if there is no home, `.local/state/managed-defaults` in `$HOME`.
    ///   - user: the user.
    package init(root: Root, home: String, spare: String, user: UInt32) {
        (self.root, self.home, self.spare, self.user) = (root, home, spare, user)
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

    /// The marks; lines that are not marks are skipped, and without a file there are none.
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

    /// The marks of a file's bytes; lines that are not marks are skipped.
    static func marks(in bytes: [UInt8]) -> [SetOnceMark] {
        bytes.split(separator: 0x0a).compactMap { SetOnceMark(stored: Array($0)) }
    }

    /// Changes the marks under a lock, durably.
    package func update(_ body: ([SetOnceMark]) -> [SetOnceMark]?) throws(SystemError) {
        let directory = directory
        try root.createDirectory(directory, mode: 0o700)
        let lock = try root.lock(directory + "/set-once.lock", mode: 0o600, seconds: SetOnceFile.seconds)
        defer { withExtendedLifetime(lock) {} }
        guard let marks = body(try marks()) else { return }
        let bytes = marks.suffix(SetOnceFile.capacity).flatMap { $0.line + [UInt8(ascii: "\n")] }
        try root.replace(path, with: bytes, mode: 0o600)
    }

    /// Speaks with the audit service: for the caller, and for others where the caller acts for the machine.
    package func service(_ marks: [SetOnceMark], _ request: MarkRequest) -> MarkMemory {
        let caller = CurrentProcess.euid
        guard user == caller || caller == root.owner else { return .noService }
        return ServiceQuestion.marks(marks, request, of: user == caller ? nil : user, root)
    }
}
