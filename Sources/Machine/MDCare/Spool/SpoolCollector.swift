import MDAuditClient
package import MDAuditLog
import MDAuditRecord
package import MDEngine
package import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDTools

/// What was taken of users' spools into the audit log.
package struct CollectedSpools: Sendable {
    /// The number of records in the log that were made of spools.
    package fileprivate(set) var records = 0
    /// The number of users whose spools they are from.
    package fileprivate(set) var users = 0
    /// A sentence for each spool, or part of one, that could not be taken or removed.
    package fileprivate(set) var problems: [String] = []
    /// Why the log could not be written, as a sentence; `nil` if it could, or if there was nothing to write.
    package fileprivate(set) var failure: String?
}

/// Takes what waits in users' spools into the audit log.
///
/// Each spool is read, and afterwards emptied, by a child process with the ids of its user. What it holds is the user's
/// claim: the log gets it with the source `spool`, as of the user in whose home it waited.
package struct SpoolCollector {
    /// What was taken so far.
    private var result = CollectedSpools()
    /// How much is stored of each person.
    private let limits: PersonalShares.Limits

    private init(limits: PersonalShares.Limits) { self.limits = limits }

    /// The longest wait for another process that takes spools, in seconds.
    private static let lockSeconds = 1.0
    /// The note of a count of attempts that did not fit.
    private static let overflowNote = "The spool was full; so many attempts were counted and not kept."
    /// The note of a count of lines that are not records.
    private static let refusedNote = "So many lines of the spool were no records of a user's program."

    /// Takes what waits for the users of a machine.
    ///
    /// Does nothing for a process that is neither root nor the owner of the folder. Complexity: O(people + size of the
    /// spools).
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - now: the time of the records.
    ///   - limits: how much is stored of each person.
    /// - Returns: what was taken.
    package static func collect(
        on machine: PolicyInForce, at now: Timestamp = Clock.now(), limits: PersonalShares.Limits = .init()
    ) -> CollectedSpools {
        var collector = SpoolCollector(limits: limits)
        collector.collect(on: machine, at: now)
        return collector.result
    }

    private mutating func collect(on machine: PolicyInForce, at now: Timestamp) {
        guard machine.facts == nil, PolicyStore(root: machine.root).mayWrite else { return }
        let waiting = waiting(on: machine)
        guard !waiting.isEmpty else { return }
        let root = machine.root
        // The folder of the register would make a machine managed that is not, and be in the way of one that comes back.
        let isOwn = !root.mayExist(StorePath.home) && PolicyStore(root: root).isBereft
        defer { if isOwn, result.problems.isEmpty, result.failure == nil { SpoolCollector.forget(root) } }
        guard (try? root.createDirectory(StorePath.home, mode: 0o755)) != nil,
            let lock = try? root.lock(SpoolRegister.lock, seconds: SpoolCollector.lockSeconds)
        else {
            result.problems.append(
                "The spools of users were not taken into the log: their register could not be locked.")
            return
        }
        defer { withExtendedLifetime(lock) {} }
        var register = SpoolRegister()
        do throws(StoredFileError) {
            register = try SpoolRegister(root: root)
        } catch {
            result.problems.append(
                "What was taken of spools before is not known, and may come again: "
                    + "\(Printable.escape(error.description)).")
        }
        let known = register
        let stored: StoredSpools
        do throws(AuditError) {
            stored = try StoredSpools(of: known, in: AuditLog(root: root))
        } catch {
            result.failure = SpoolCollector.unwritten(error)
            return
        }
        let allowed: [UInt32: Int]
        do throws(AuditError) {
            allowed = try AuditLog(root: root).allowance(of: waiting.map(\.account.uid), limits: limits)
        } catch {
            result.failure = SpoolCollector.unwritten(error)
            return
        }
        let sessions = waiting.filter { session in
            if allowed[session.account.uid] ?? 0 > 0 { return true }
            result.problems.append(SpoolCollector.unread(session, "the log takes no more of this user now"))
            return false
        }
        let answers = HomeAccess.asOwners(sessions, until: HomeAccess.end()) { session in
            SpoolReader(session).read(
                after: known.taken[SpoolRegister.Owner(session)] ?? SpoolRegister.Taken(),
                most: allowed[session.account.uid] ?? 0
            ).encoded
        }
        let named = NamedKeys(of: machine.policies)
        var finished: [(session: UserSession, content: SpoolContent)] = []
        let hidden = machine.sensitiveKeys
        let key = hidden.isEmpty ? nil : HostKey.readOrMake(of: root)
        for (session, answer) in zip(sessions, answers) where result.failure == nil {
            guard var content = content(of: session, answer) else { continue }
            for (index, record) in content.records.enumerated() {
                // Whether a key is sensitive is not for the spool to say.
                guard let domain = record.domain, hidden.concern(record.key, of: domain) else { continue }
                content.records[index].hideValues(under: key)
            }
            if store(content, of: session, &register, beside: stored, named, at: now) {
                finished.append((session, content))
            }
        }
        remove(finished)
    }

    /// Removes the register of a machine without policy, where nothing was left in the spools.
    private static func forget(_ root: Root) {
        for path in [SpoolRegister.path, SpoolRegister.lock] { try? root.remove(path) }
        try? root.removeDirectory(StorePath.home)
    }

    /// Finds the users with something in their spools, each spool once.
    private mutating func waiting(on machine: PolicyInForce) -> [UserSession] {
        var known: Set<SpoolRegister.Owner> = []
        // Taking a spool does not depend on policy.
        let sessions = machine.people.map { UserSession(machine: machine, account: $0, resultant: ResultantSet()) }
            .filter { known.insert(SpoolRegister.Owner($0)).inserted }
        let answers = HomeAccess.asOwners(sessions, until: HomeAccess.end()) { SpoolReader($0).isNeeded ? [1] : [] }
        return zip(sessions, answers).compactMap { session, answer in
            switch answer {
            case .success(let bytes): return bytes.isEmpty ? nil : session
            case .failure(let error):
                result.problems.append(
                    SpoolCollector.unread(session, "nobody could look there as its owner: \(error.text)"))
                return nil
            }
        }
    }

    /// The sentence for a spool that was not read.
    private static func unread(_ session: UserSession, _ reason: String) -> String {
        "What waits in the spool of \(Printable.escape(session.account.name)) was not taken into the log: "
            + "\(Printable.escape(reason))."
    }

    /// The content of a spool that a child process read; adds what was wrong with it.
    private mutating func content(of session: UserSession, _ answer: Result<[UInt8], SystemError>) -> SpoolContent? {
        let content: SpoolContent
        switch answer {
        case .success(let bytes):
            guard let found = SpoolContent(bytes) else {
                result.problems.append(SpoolCollector.unread(session, "the answer of its reader does not parse"))
                return nil
            }
            content = found
        case .failure(let error):
            result.problems.append(SpoolCollector.unread(session, "nobody could read it as its owner: \(error.text)"))
            return nil
        }
        if let problem = content.problem { result.problems.append(SpoolCollector.unread(session, problem)) }
        if content.refused > 0 {
            let name = Printable.escape(session.account.name)
            result.problems.append(
                content.refused == 1
                    ? "1 line of the spool of \(name) was no record, and is only counted in the log."
                    : "\(content.refused) lines of the spool of \(name) were no records, and are only counted in the"
                        + " log.")
        }
        return content
    }

    /// Stores the content of a spool in the log, and in the register that it was taken.
    ///
    /// - Returns: whether it may be removed from the spool.
    private mutating func store(
        _ content: SpoolContent, of session: UserSession, _ register: inout SpoolRegister,
        beside stored: StoredSpools, _ named: NamedKeys, at now: Timestamp
    ) -> Bool {
        let (account, root) = (session.account, session.machine.root)
        let owner = SpoolRegister.Owner(session)
        var taken = register.taken[owner] ?? SpoolRegister.Taken()
        var batch = content.records.map { $0.taken(ofSpoolOf: account, host: session.machine.host.short, at: now) }
        if let overflow = content.overflow {
            let rest = taken.rest(of: overflow)
            var record = SpoolCollector.drop(rest, of: account, SpoolCollector.overflowNote)
            record.first = Timestamp(microseconds: overflow.first)
            record.last = Timestamp(microseconds: overflow.last)
            record.boundClaimedTimes(to: now)
            if rest > 0 { batch.append(record) }
            taken.overflow = overflow
        }
        if content.refused > 0 {
            batch.append(SpoolCollector.drop(content.refused, of: account, SpoolCollector.refusedNote))
        }
        // After a spool that could not be read, what was taken of it before is still known.
        if content.length > 0 { (taken.length, taken.digest) = (content.length, content.digest) }
        if taken.pending != nil { batch = stored.rest(of: batch) }
        taken.pending = nil
        guard !batch.isEmpty else {
            if register.taken[owner]?.pending != nil {
                register.taken[owner] = taken
                write(register, after: session)
            }
            return content.length > 0 || content.overflow != nil
        }
        // If this process is killed before it can write what was taken, the next one looks into the log.
        register.taken[owner, default: SpoolRegister.Taken()].pending = now
        write(register, after: session)
        do throws(AuditError) {
            let charged = batch.map { record in
                // What the spool counted is small, and is lost if it is not stored.
                ChargedRecord(
                    record, person: record.kind == .drop ? nil : account.uid,
                    mark: record.domain.flatMap { named.mark(of: record.key, in: $0) })
            }
            let appended = try AuditLog(root: root).append(charged: charged, isLast: true, limits: limits).result
            if let alarm = appended.alarm { result.problems.append(alarm) }
            if let failure = appended.failure { throw .system(failure) }
        } catch {
            result.failure = SpoolCollector.unwritten(error)
            return false
        }
        result.records += batch.count
        result.users += 1
        register.taken[owner] = taken
        write(register, after: session)
        return true
    }

    /// Writes the register; adds a problem if that fails, after which something may come twice.
    private mutating func write(_ register: SpoolRegister, after session: UserSession) {
        do throws(SystemError) {
            try register.write(root: session.machine.root)
        } catch {
            result.problems.append(
                "What was taken of the spool of \(Printable.escape(session.account.name)) could not be noted: \(error)."
            )
        }
    }

    /// The sentence for a log that cannot be read or written.
    private static func unwritten(_ error: AuditError) -> String {
        "What waits in the spools of users could not be taken into the log: \(error)."
    }

    /// A record of a number of attempts or lines that are not in the log.
    private static func drop(_ count: Int, of account: Account, _ note: String) -> AuditRecord {
        var record = AuditRecord(kind: .drop, src: .spool, note: note)
        (record.uid, record.user, record.count) = (account.uid, account.name, count)
        return record
    }

    /// Removes from spools what is in the log.
    private mutating func remove(_ finished: [(session: UserSession, content: SpoolContent)]) {
        let contents = Dictionary(
            finished.map { (SpoolRegister.Owner($0.session), $0.content) }, uniquingKeysWith: { one, _ in one })
        let answers = HomeAccess.asOwners(finished.map(\.session), until: HomeAccess.end()) { session in
            guard let content = contents[SpoolRegister.Owner(session)] else { return [] }
            do throws(SystemError) {
                try SpoolReader(session).remove(content)
                return []
            } catch {
                return Array(error.text.utf8.prefix(SpoolContent.longestProblem))
            }
        }
        for (item, answer) in zip(finished, answers) {
            let reason: String
            switch answer {
            case .success(let bytes):
                if bytes.isEmpty { continue }
                reason = String(decoding: bytes, as: UTF8.self)
            case .failure(let error): reason = error.text
            }
            result.problems.append(
                "What was taken of the spool of \(Printable.escape(item.session.account.name)) could not be removed"
                    + " there, and is not taken again: \(Printable.escape(reason)).")
        }
    }
}

extension SpoolRegister.Owner {
    /// The spool of a user.
    init(_ session: UserSession) {
        self.init(uid: session.account.uid, directory: session.stateDirectory)
    }
}

extension SpoolReader {
    /// Reads the spool of a user, whose own it must be on a real machine.
    init(_ session: UserSession) {
        let root = session.machine.root
        self.init(
            spool: Spool(root: root, directory: session.stateDirectory),
            owner: root.isSystem ? session.account.uid : nil)
    }
}
