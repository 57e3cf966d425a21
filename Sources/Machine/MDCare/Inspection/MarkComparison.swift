import MDAuditClient
package import MDAuditRecord
package import MDEngine
package import MDPlatform
import MDPolicyAdministration
package import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

/// Compares the marks of entries that were set once, of all users, with those that root found before.
///
/// An audit record is made for each mark that was removed or changed, and the present marks are stored in a register that
/// only root writes. Does nothing if the process is neither root nor the owner of the folder, or if policy sets nothing
/// once and never did.
package struct MarkComparison: Sendable {
    /// The records of removed or changed marks that are in the log.
    package private(set) var recorded: [AuditRecord] = []
    /// The records of removed or changed marks that could not be stored; the next comparison makes them again.
    package private(set) var unrecorded: [AuditRecord] = []
    /// A sentence for each thing that is unknown.
    package private(set) var limits: [String] = []
    /// The users whose child process ended early or did not answer, and the reason.
    package private(set) var unanswered: [(account: Account, reason: String)] = []

    /// The longest wait for the lock, in seconds.
    private static let lockSeconds = 1.0

    /// Compares the marks of all users of a machine.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - isRecording: whether to record the result, as `policy apply` does.
    ///   - end: the time limit for reading all homes, in monotonic microseconds.
    package init(of machine: PolicyInForce, isRecording: Bool, until end: Int64 = HomeAccess.end()) {
        let root = machine.root
        guard machine.facts == nil, MarkComparison.mayMatter(machine.policies, root: root) else { return }
        if isRecording { record(machine, until: end) } else { compare(machine, until: end) }
    }

    /// Compares the marks with the register, and writes nothing.
    private mutating func compare(_ machine: PolicyInForce, until end: Int64) {
        guard var register = try? SetOnceRegister(root: machine.root) else { return }
        compare(machine.people, of: machine, &register, nil, until: end)
    }

    /// Compares the marks of some users, whose homes child processes read.
    private mutating func compare(
        _ people: [Account], of machine: PolicyInForce, _ register: inout SetOnceRegister, _ reporter: AuditReporter?,
        until end: Int64
    ) {
        let asked = people.compactMap { account -> (session: UserSession, marks: [SetOnceMark])? in
            let session = UserSession(machine: machine, account: account)
            let old = register.marks[SetOnceRegister.Owner(account)]?.map(\.mark) ?? []
            let marks = old + session.resultant.lastingMarks.filter { !old.contains($0) }
            return marks.isEmpty ? nil : (session, marks)
        }
        for (item, states) in zip(asked, HomeAccess.states(of: asked, until: end)) {
            compare(item.marks, states, of: item.session.account, &register, reporter)
        }
    }

    /// Compares the marks with the register under its lock, and records the result.
    private mutating func record(_ machine: PolicyInForce, until end: Int64) {
        let root = machine.root
        guard (try? root.createDirectory("/var/lib/managed-defaults", mode: 0o755)) != nil,
            let lock = try? root.lock(SetOnceRegister.path + ".lock", seconds: MarkComparison.lockSeconds)
        else {
            limits.append("The marks of what was set once were not compared: their register could not be locked.")
            return
        }
        defer { withExtendedLifetime(lock) {} }
        var register = SetOnceRegister()
        var isWritten = false
        do throws(StoredFileError) {
            register = try SetOnceRegister(root: root)
        } catch {
            isWritten = true
            limits.append(
                "What was seen of the marks of what was set once is lost, and begins anew: "
                    + "\(Printable.escape(error.description)).")
        }
        let before = register
        let reporter = AuditReporter(root: root, stateDirectory: nil)
        let people = machine.people
        compare(people, of: machine, &register, reporter, until: end)
        // Users without an account have no marks to lose, but an unreadable account database does not remove users.
        if machine.accounts.problems.isEmpty { register.retain(Set(people.map(SetOnceRegister.Owner.init))) }
        guard isWritten || register != before else { return }
        do throws(SystemError) {
            try register.write(root: root)
        } catch {
            limits.append("What was seen of the marks of what was set once could not be kept: \(error).")
        }
    }

    /// Whether there may be marks to compare, and this process may write the register.
    package static func mayMatter(_ policies: PolicySet, root: Root) -> Bool {
        guard CurrentProcess.euid == root.owner, !(root.isSystem && UserNamespace.isForeign) else {
            return false
        }
        if (try? root.status(SetOnceRegister.path, followingLinks: false)) != nil { return true }
        return policies.files.contains { $0.policy?.entries.contains { $0.level == .setOnce } ?? false }
    }

    /// All records of removed or changed marks.
    package var lost: [AuditRecord] { recorded + unrecorded }

    /// The clause about a record of a removed or changed mark; `nil` for any other record.
    package static func clause(of record: AuditRecord) -> String? {
        guard let (mark, isChanged) = record.lostMark else { return nil }
        let time = record.time.map { ", found at \($0.rfc3339)" } ?? ""
        return "the mark of \(mark.domain) \(mark.key), set once by \(mark.policy), \(mark.occasion), was there and is "
            + "\(isChanged ? "changed" : "gone")\(time): whoever removes it gets the value once more"
    }

    /// Compares the marks of one user.
    private mutating func compare(
        _ asked: [SetOnceMark], _ answer: Result<[MarkState]?, SystemError>, of account: Account,
        _ register: inout SetOnceRegister, _ reporter: AuditReporter?
    ) {
        let owner = SetOnceRegister.Owner(account)
        let known = register.marks[owner] ?? []
        if case .failure(let error) = answer, !error.isPermission { unanswered.append((account, error.text)) }
        guard case .success(let states?) = answer else {
            // A user without earlier marks has none to lose.
            if !known.isEmpty {
                limits.append(
                    "Whether the marks of what was set once for \(Printable.escape(account.name)) are still there is not known."
                )
            }
            return
        }
        var retained: [SetOnceRegister.Seen] = []
        for (index, (mark, state)) in zip(asked, states).enumerated() {
            let seen = index < known.count ? known[index] : nil
            var now: SetOnceRegister.Seen?
            if case .present(let words) = state {
                now = SetOnceRegister.Seen(mark, words: words)
                // An old register has no digests of words.
                if seen?.words.map({ $0 == words }) ?? true {
                    retained += now.map { [$0] } ?? []
                    continue
                }
            }
            guard let seen else { continue }
            let record = AuditRecord(lost: mark, isChanged: state != .gone, of: account)
            let isStored = if case .stored? = reporter?.report(record) { true } else { false }
            if isStored { recorded.append(record) } else { unrecorded.append(record) }
            // If the record could not be stored, the earlier mark is retained, so that the next comparison finds it again.
            if let next = isStored ? now : seen { retained.append(next) }
        }
        register.set(retained, of: owner)
    }
}

/// The state of a mark in a user's state folder.
enum MarkState: Hashable, Sendable {
    /// The mark is present; its words have this digest.
    case present(Digest)
    /// The mark was removed.
    case gone
    /// A mark with another occasion, which policy did not cause, is in its place.
    case changed
}

extension MarkState {
    /// The size of an encoded state: its case, and a digest or zeros.
    static let byteCount = 1 + Digest.byteCount

    /// The encoded state.
    var bytes: [UInt8] {
        switch self {
        case .present(let words): [1] + words.bytes
        case .gone: [2] + [UInt8](repeating: 0, count: Digest.byteCount)
        case .changed: [3] + [UInt8](repeating: 0, count: Digest.byteCount)
        }
    }

    /// Decodes a state at an offset; `nil` for anything else than ``bytes``.
    init?(_ bytes: [UInt8], at offset: Int) {
        guard let words = Digest(bytes, at: offset + 1) else { return nil }
        switch bytes[offset] {
        case 1: self = .present(words)
        case 2: self = .gone
        case 3: self = .changed
        default: return nil
        }
    }
}

extension HomeAccess {
    /// Finds the states of marks in users' state folders.
    ///
    /// A child process answers with a byte and a digest for each mark, so that nothing that the user wrote reaches this
    /// process.
    ///
    /// - Parameters:
    ///   - asked: the users, each with the marks to find.
    ///   - end: the time limit, in monotonic microseconds.
    /// - Returns: the state of each mark of each user; `nil` for a user whose home does not exist, is empty, as a mount point
    ///   may be, or whose marks cannot be read; an error if the child process did not answer.
    static func states(
        of asked: [(session: UserSession, marks: [SetOnceMark])], until end: Int64
    ) -> [Result<[MarkState]?, SystemError>] {
        let marks = Dictionary(asked.map { ($0.session.account.name, $0.marks) }, uniquingKeysWith: { one, _ in one })
        let answers = asOwners(asked.map(\.session), until: end) { session in
            guard let names = try? session.machine.root.names(in: session.account.home), !names.isEmpty,
                let found = try? session.setOnceFile.marks()
            else { return [] }
            return compare(marks[session.account.name] ?? [], with: found).flatMap(\.bytes)
        }
        return zip(asked, answers).map { asked, answer in
            answer.map { bytes in
                guard bytes.count == asked.marks.count * MarkState.byteCount else { return nil }
                let states = asked.marks.indices.compactMap { MarkState(bytes, at: $0 * MarkState.byteCount) }
                return states.count == asked.marks.count ? states : nil
            }
        }
    }

    /// Compares marks with those in a file.
    ///
    /// - Parameters:
    ///   - marks: the marks to find, without words.
    ///   - found: the marks in the file.
    /// - Returns: the state of each mark.
    static func compare(_ marks: [SetOnceMark], with found: [SetOnceMark]) -> [MarkState] {
        // A setting has one mark. The digest is over the words of all equal marks, so that a copy beside a new one is found.
        let present = Dictionary(grouping: found, by: \.plain)
        // A mark without a reason has replaced another one.
        let places = Set(Set(present.keys).subtracting(marks).map { [$0.domain, $0.key, $0.policy] })
        return marks.map { mark in
            if let same = present[mark] { return .present(digest(of: same)) }
            return places.contains([mark.domain, mark.key, mark.policy]) ? .changed : .gone
        }
    }

    /// The digest of the words of some marks; a missing word counts as an empty one.
    static func digest(of marks: [SetOnceMark]) -> Digest {
        SHA256.hash(Array(marks.map { $0.word?.string.utf8.map { $0 } ?? [] }.joined(separator: [0x0a])))
    }
}
