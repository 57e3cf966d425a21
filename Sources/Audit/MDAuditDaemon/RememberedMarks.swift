import MDAuditClient
import MDAuditRecord
import MDPlatform
import MDPropertyList

/// The set-once marks of users, a file for each user.
///
/// Only a user with an account has one, so that the number of files is the administrator's to choose. A mark stays: nothing
/// that a user removes in the own home makes the service forget it.
struct RememberedMarks {
    /// The directory of the files.
    static let directory = "/var/lib/mdefaultsd/marks"
    /// The most marks of a user.
    private static let capacity = 1_000
    /// The most bytes of a file: more than the marks of a user have.
    private static let longestFile = 2 << 20

    /// The most users whose marks are held in memory.
    private static let heldCapacity = 16

    /// The root of the machine.
    private let root: Root
    /// The marks of the users who asked last, so that no question reads the file again; the newest last.
    private var held: [(uid: UInt32, marks: Set<SetOnceMark>)] = []

    /// Names the directory; nothing is opened yet.
    init(root: Root) {
        self.root = root
    }

    /// The marks of a user that are remembered.
    ///
    /// - Throws: if they cannot be read; then nothing is known.
    mutating func marks(of uid: UInt32) throws(SystemError) -> Set<SetOnceMark> {
        if let known = held.first(where: { $0.uid == uid }) { return known.marks }
        let marks = try read(uid)
        hold(marks, of: uid)
        return marks
    }

    /// Holds the marks of a user.
    private mutating func hold(_ marks: Set<SetOnceMark>, of uid: UInt32) {
        held.removeAll { $0.uid == uid }
        if held.count >= RememberedMarks.heldCapacity { held.removeFirst() }
        held.append((uid, marks))
    }

    /// Reads the marks of a user.
    private func read(_ uid: UInt32) throws(SystemError) -> Set<SetOnceMark> {
        let bytes: [UInt8]
        do {
            bytes = try root.read(path(of: uid), limit: RememberedMarks.longestFile).bytes
        } catch {
            if error.isMissing { return [] }
            throw error
        }
        return Set(bytes.split(separator: 0x0a).compactMap { try? SetOnceMark(line: Array($0)) })
    }

    /// Remembers marks of a user, durably.
    ///
    /// - Returns: whether all are remembered now; not if there are too many.
    /// - Throws: if they cannot be stored.
    mutating func remember(_ marks: [SetOnceMark], of uid: UInt32) throws(SystemError) -> Bool {
        let known = try self.marks(of: uid)
        let new = Set(marks).subtracting(known)
        if new.isEmpty { return true }
        guard known.count + new.count <= RememberedMarks.capacity else { return false }
        if known.isEmpty {
            try root.createDirectory(RememberedMarks.directory, mode: 0o700)
        }
        let all = known.union(new)
        let lines = all.map(\.line).sorted { $0.lexicographicallyPrecedes($1) }
        try root.replace(path(of: uid), with: lines.flatMap { $0 + [0x0a] }, mode: 0o600)
        hold(all, of: uid)
        return true
    }

    /// The file of a user.
    private func path(of uid: UInt32) -> String { "\(RememberedMarks.directory)/\(uid)" }
}

extension AuditRecord {
    /// The record of an entry that was set once, whose mark is remembered.
    init(remembered mark: SetOnceMark) {
        self.init(kind: .policy, src: .client, note: "\(AuditRecord.setOnceNote), \(mark.occasion.string)")
        (domain, key) = (mark.domain, mark.key)
        policy = PolicyReference(id: mark.policy.string)
    }
}
