import MDAuditClient
package import MDAuditLog
package import MDAuditRecord
package import MDEngine
package import MDPlatform
import MDPolicyAdministration
package import MDPolicyCore
package import MDPolicyModel
import MDPolicyStore
import MDPreferences
package import MDPropertyList
import MDTools

/// Looks for values that users have stored and that forced values hide or constraints do not allow, and records each in
/// the audit log once.
///
/// This finds what a program stored that never asks the library. Each home is read by a child process with the ids of its
/// user. A value is recorded when it is found for the first time, and again if it was gone in between; which ones are in the
/// log is known from ``ScanRegister``. If the process is killed between the log and the register, the next scan records
/// those values once more.
package struct StoredValueScan: Sendable {
    /// A value that does not count as it is stored.
    package struct Finding: Sendable {
        /// Why it does not count.
        package enum Cause: Sendable {
            /// The forced entry hides it.
            case forced(ResolvedEntry)
            /// The constraint does not allow it; `kept` is what becomes of it, `nil` if nothing does.
            case constrained(ResolvedConstraint, kept: Value?)
        }

        /// The user.
        package let account: Account
        /// Why it does not count.
        package let cause: Cause
        /// The key; that of a sealed domain is not the entry's.
        package let key: Key
        /// The stored value with its file.
        package let value: HiddenValue
        /// Whether no value may be shown.
        package let isSensitive: Bool
        /// Whether it was recorded now, and not by an earlier scan.
        package fileprivate(set) var isNew: Bool

        /// The place of the forced entry or the constraint.
        package var origin: Origin {
            switch cause {
            case .forced(let entry): entry.origin
            case .constrained(let constraint, _): constraint.entry.origin
            }
        }

        /// What becomes of the value.
        package var outcome: AttemptOutcome {
            if case .constrained(_, .some) = cause { .clamped } else { .hidden }
        }
    }

    /// The values, by user, domain and key.
    package private(set) var findings: [Finding] = []
    /// The number of users whose homes were read.
    package private(set) var users = 0
    /// A sentence for each home, or part of one, that could not be read.
    package private(set) var problems: [String] = []
    /// Why findings could not be recorded, as a sentence; `nil` if they could, or if there was nothing to record.
    package private(set) var failure: String?

    /// The word of the records for where they come from.
    private let source: RecordSource
    /// How much is stored of each person.
    private let limits: PersonalShares.Limits
    /// The longest wait for another process that scans, in seconds.
    private static let lockSeconds = 5.0
    /// The most values of a user that are recorded; no policy hides as many by accident.
    static let userLimit = 1_024
    /// The most records of one write.
    private static let batch = 256

    /// Scans the homes of the users of a machine.
    ///
    /// The caller must be root or the owner of the folder, and policy must be known. Complexity: O(users × entries + size of
    /// the preference files).
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - only: the one user to look at; `nil` for all users in a report.
    ///   - source: the word of the records: `scan`, or `observed` if the scan follows a change that was seen.
    ///   - limits: how much is stored of each person.
    /// - Returns: what was found.
    package static func scan(
        homesOf machine: PolicyInForce, only: Account? = nil, source: RecordSource = .scan,
        limits: PersonalShares.Limits = .init()
    ) -> StoredValueScan {
        var scan = StoredValueScan(source: source, limits: limits)
        scan.scan(homesOf: machine, only: only)
        return scan
    }

    private init(source: RecordSource, limits: PersonalShares.Limits) { (self.source, self.limits) = (source, limits) }

    private mutating func scan(homesOf machine: PolicyInForce, only: Account?) {
        let people = only.map { [$0] } ?? machine.people
        let root = machine.root
        let sessions = people.map { account in
            UserSession(machine: machine, account: account, resultant: machine.describedResultant(for: account))
        }
        // Other scans wait for no home that this one reads. Without a register that can be read, nothing was known.
        let earlier = (try? ScanRegister(root: root)) ?? ScanRegister()
        let answers = HomeAccess.asOwners(sessions, until: HomeAccess.end()) { session in
            HomeReader(preferences: session.preferences, resultant: session.resultant).read().encoded()
        }
        guard (try? root.createDirectory(StorePath.home, mode: 0o755)) != nil,
            let lock = try? root.lock(ScanRegister.lock, seconds: StoredValueScan.lockSeconds),
            let key = HostKey.readOrMake(of: root)
        else {
            failure =
                "Users' stored values were not looked at: the register of earlier scans could not be locked, or the"
                + " machine's key could not be read."
            return
        }
        defer { withExtendedLifetime(lock) {} }
        var register = ScanRegister()
        do throws(StoredFileError) {
            register = try ScanRegister(root: root)
        } catch {
            problems.append(
                "Which stored values are in the log is not known, and they are recorded again: "
                    + "\(Printable.escape(error.description)).")
        }
        let before = register
        let (named, persons) = (NamedKeys(of: machine.policies), Persons(root: root, accounts: machine.accounts))
        for (session, answer) in zip(sessions, answers) where failure == nil {
            look(at: session, answer, &register, after: earlier, key, named, persons)
        }
        // Findings of users without an account are dropped, but not if the account database cannot be read.
        if only == nil, machine.accounts.problems.isEmpty {
            register.forgetAll(but: Set((people + machine.registered).map(\.uid)))
        }
        guard register != before else { return }
        do throws(SystemError) {
            try register.write(root: root)
        } catch {
            failure = failure ?? "Which stored values are in the log could not be noted: \(error)."
        }
    }

    /// Records what was found in one home.
    private mutating func look(
        at session: UserSession, _ answer: Result<[UInt8], SystemError>, _ register: inout ScanRegister,
        after earlier: ScanRegister, _ key: HostKey, _ named: NamedKeys, _ persons: Persons
    ) {
        let account = session.account
        let home: HomeInspection
        switch answer {
        case .success(let bytes):
            guard let found = HomeInspection(decoding: bytes) else {
                return problems.append(StoredValueScan.unread(account, "the answer of its reader does not parse"))
            }
            home = found
        case .failure(let error):
            return problems.append(StoredValueScan.unread(account, error.text))
        }
        users += 1
        for problem in home.problems {
            problems.append(
                StoredValueScan.unread(
                    account, problem.file.isEmpty ? problem.message : "\(problem.file): \(problem.message)"))
        }
        let hidden = StoredValueScan.withoutEffect(home, session)
        let before = Set(earlier.of(account.uid))
        // What another scan recorded while this one read, or found gone, is in the log.
        let old = before.union(register.of(account.uid))
        var present: Set<String> = []
        var (records, digests): ([ChargedRecord], [String]) = ([], [])
        for var finding in hidden.prefix(StoredValueScan.userLimit) {
            let digest = StoredValueScan.digest(of: finding, key)
            finding.isNew = !old.contains(digest)
            if present.insert(digest).inserted, finding.isNew {
                digests.append(digest)
                records.append(charged(record(of: finding, root: session.machine.root), finding, named, persons))
            }
            findings.append(finding)
        }
        let rest = hidden.count - StoredValueScan.userLimit
        if rest > 0 {
            // The number is part of what is known, so that it is recorded when it changes.
            let digest = key.digest(
                of: .array([.string("more"), .integer(Integer(Int(account.uid))), .integer(Integer(rest))]))
            if present.insert(digest).inserted, !old.contains(digest) {
                digests.append(digest)
                records.append(ChargedRecord(record(of: rest, account), person: account.uid, mark: nil))
            }
            problems.append(
                "\(rest) more values that \(Printable.escape(account.name)) has stored are hidden; they are only counted."
            )
        }
        guard let stored = store(records, root: session.machine.root) else { return }
        let counted = stored.count { !$0 }
        if counted > 0 {
            problems.append(
                "\(counted) values that \(Printable.escape(account.name)) has stored were only counted: the log takes no more"
                    + " of this user now. A later scan records those that are still there.")
        }
        // After a file that could not be read, what was found in it before may still be there.
        let kept = register.of(account.uid).filter {
            !home.problems.isEmpty || present.contains($0) || !before.contains($0)
        }
        register.keep(kept + zip(digests, stored).filter(\.1).map(\.0), of: account.uid)
    }

    /// A record, with who is charged for it: the owner of the file, who need not be that of the home.
    private func charged(
        _ record: AuditRecord, _ finding: Finding, _ named: NamedKeys, _ persons: Persons
    ) -> ChargedRecord {
        var (record, person) = (record, finding.account.uid)
        if let owner = finding.value.foreigner {
            record.note = [record.note, "the file belongs to uid \(owner)"].compactMap(\.self).joined(separator: "; ")
            person = persons.person(of: owner) ?? PersonalShares.anyone
        }
        return ChargedRecord(record, person: person, mark: named.mark(of: finding.key, in: finding.value.domain))
    }

    /// Stores records in the log.
    ///
    /// - Returns: of each whether it is stored and not only counted; `nil` if the log could not be written.
    private mutating func store(_ records: [ChargedRecord], root: Root) -> [Bool]? {
        var (rest, stored): (ArraySlice<ChargedRecord>, [Bool]) = (records[...], [])
        while !rest.isEmpty {
            let part = Array(rest.prefix(StoredValueScan.batch))
            rest = rest.dropFirst(part.count)
            do throws(AuditError) {
                let appended = try AuditLog(root: root).append(
                    charged: part, isLast: source == .scan && rest.isEmpty, limits: limits)
                if let alarm = appended.result.alarm { problems.append(alarm) }
                if let failure = appended.result.failure { throw .system(failure) }
                stored += appended.stored
            } catch {
                failure = "What users have stored beneath forced values could not be recorded: \(error)."
                return nil
            }
        }
        return stored
    }

    /// The values in a home that a known forced entry hides or a constraint does not allow, by domain, key and file.
    private static func withoutEffect(_ home: HomeInspection, _ session: UserSession) -> [Finding] {
        let resultant = session.resultant
        let outside = home.outside.compactMap { item -> Finding? in
            let rule = resultant.rule(of: item.key, in: SearchOrder(ofOther: item.domain).forcingDomains)
            guard let constraint = rule.constraint else { return nil }
            return Finding(
                account: session.account,
                cause: .constrained(constraint, kept: constraint.clamp(item.value)), key: item.key,
                value: HiddenValue(
                    domain: item.domain, value: item.value, file: item.file, isThisHost: item.isThisHost,
                    isEqual: false),
                isSensitive: constraint.metadata.isSensitive
                    || resultant.isSensitive(item.key, in: [DomainName.global, item.domain]),
                isNew: true)
        }
        let hidden = home.stored.compactMap { item -> Finding? in
            guard !item.value.isEqual,
                let entry = resultant.forced[item.forcedDomain]?[item.key]
                    ?? resultant.forcedEntry(domain: item.forcedDomain, key: item.key), entry.shortfall == nil
            else { return nil }
            return Finding(
                account: session.account, cause: .forced(entry), key: item.key, value: item.value,
                isSensitive: entry.metadata.isSensitive
                    || resultant.isSensitive(item.key, in: [entry.domain, DomainName.global, item.value.domain]),
                isNew: true)
        }
        return (hidden + outside).sorted {
            ($0.value.domain, $0.key, $0.value.file) < ($1.value.domain, $1.key, $1.value.file)
        }
    }

    /// What a finding is known by: user, domain, key, file and value.
    private static func digest(of finding: Finding, _ key: HostKey) -> String {
        key.digest(
            of: .array([
                .integer(Integer(Int(finding.account.uid))), .string(finding.value.domain.string),
                .string(finding.key.string), .string(finding.value.file), finding.value.value,
            ]))
    }

    /// The record of a finding; the file is in the note.
    private func record(of finding: Finding, root: Root) -> AuditRecord {
        let (domain, tried) = (finding.value.domain, finding.value.value)
        var write =
            switch finding.cause {
            case .forced(let entry):
                RecordedWrite(entry, domain: domain, tried: tried, via: .file, outcome: finding.outcome)
            case .constrained(let constraint, let kept):
                RecordedWrite(
                    constraint, kept: kept, domain: domain, tried: tried, via: .file, outcome: finding.outcome)
            }
        write.isSensitive = write.isSensitive || finding.isSensitive
        var record = write.record(of: finding.account, root: root, identity: nil)
        record.src = source
        record.key = finding.key
        record.note = ["stored in \(finding.value.file)", record.note].compactMap(\.self).joined(separator: "; ")
        return record
    }

    /// The record of a number of findings that are not recorded one by one.
    private func record(of count: Int, _ account: Account) -> AuditRecord {
        var record = AuditRecord(
            kind: .drop, src: source, note: "So many more stored values are hidden by forced ones and not recorded.")
        record.stamp(with: account)
        record.count = count
        return record
    }

    /// The sentence for a home that could not be read.
    private static func unread(_ account: Account, _ reason: String) -> String {
        "What \(Printable.escape(account.name)) has stored is not known: \(Printable.escape(reason))."
    }
}
