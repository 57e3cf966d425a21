import MDAuditClient
package import MDEngine
package import MDPlatform
import MDPropertyList
import MDTools

/// The people in a report: all users of the account files, and all others that have left a trace on the machine.
package struct ReportPeople: Sendable {
    /// Where a user was found; the raw value is printed in reports.
    package enum Source: String, Sendable, CaseIterable {
        /// The account files.
        case accounts
        /// The owner of a home.
        case homes
        /// The login records.
        case logins
        /// What the audit log and the audit service have recorded.
        case records
        /// The list of `--users`.
        case list
    }

    /// The users, those of the account files first.
    package private(set) var accounts: [Account]
    /// How many users were found first in each place.
    package private(set) var counts: [Source: Int] = [:]
    /// What is unknown, as sentences; empty if everybody with a trace is covered.
    package private(set) var limits: [String] = []
    /// Traces of ids and names that no source of users knows, in words, sorted.
    package private(set) var gone: [String] = []
    /// The directory services that may know more users; empty if there are none.
    package private(set) var directories: [String] = []

    private var ids: Set<UInt32>
    private var names: Set<Key>

    /// How long all questions to name services may take, in microseconds.
    private static let patience: Int64 = 20_000_000

    /// Finds everybody.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - recorded: the ids that records are about.
    ///   - list: the names of `--users`.
    package init(of machine: PolicyInForce, recorded: Set<UInt32> = [], list: [String] = []) {
        accounts = machine.people
        ids = Set(machine.accounts.accounts.map(\.uid))
        names = Set(machine.accounts.accounts.map { Key($0.name) })
        counts[.accounts] = accounts.count
        // What another host has is not here.
        guard machine.facts == nil else { return }
        let end = Clock.monotonicMicroseconds() + ReportPeople.patience
        for name in list { add(name, .list, machine, end) }
        let homes = HomeOwners.find(beside: machine.people, root: machine.root)
        limits += homes.limits
        for (uid, home) in homes.owners {
            add(uid, "the home \(machine.root.display(home))", .homes, machine, end)
        }
        let logins = LoginRecords(root: machine.root)
        limits += logins.problems.map { Printable.escape($0) }
        for name in logins.names.sorted(by: { Key($0) < Key($1) }) { add(name, .logins, machine, end) }
        for uid in logins.ids.sorted() { add(uid, "a login", .logins, machine, end) }
        // Ids that a user hands out in namespaces are that user's.
        let persons = Persons(root: machine.root, accounts: machine.accounts)
        let traces = Set(recorded.union(opened(machine)).map { persons.person(of: $0) ?? $0 })
        for uid in traces.sorted() { add(uid, "a record", .records, machine, end) }
        let services = NameServiceSwitch(root: machine.root)
        if services.isKnown {
            directories = services.networkSources
        } else {
            limits.append(
                "Whether a directory service knows more users is not known: /etc/nsswitch.conf cannot be read.")
        }
        gone.sort { Key($0) < Key($1) }
    }

    /// Whether an id is one that people log in with.
    private static func isPerson(_ uid: UInt32) -> Bool { uid >= 1000 && uid != 65534 && uid != .max }

    /// Adds the user of an id, unless it is known.
    private mutating func add(
        _ uid: UInt32, _ trace: String, _ source: Source, _ machine: PolicyInForce, _ end: Int64
    ) {
        guard ReportPeople.isPerson(uid), ids.insert(uid).inserted else { return }
        let known = machine.person(of: uid)
        let who = known.map { "\($0.name) (uid \(uid))" } ?? "uid \(uid)"
        look("\(who), of \(trace)", source, end, known) { () throws(SystemError) in
            try machine.accounts.lookUpAccount(uid: uid)
        }
    }

    /// Adds the user of a name, unless it is known.
    private mutating func add(_ name: String, _ source: Source, _ machine: PolicyInForce, _ end: Int64) {
        guard names.insert(Key(name)).inserted else { return }
        // These are not accounts; login records have them in the place of one.
        if source == .logins, ["reboot", "shutdown", "runlevel", "LOGIN", "root"].contains(name) { return }
        let known = machine.person(named: name)
        look("\(name), of \(source == .list ? "the list of --users" : "a login")", source, end, known) {
            () throws(SystemError) in try machine.accounts.lookUpAccount(named: name)
        }
    }

    /// Asks a name service for a user; without its answer the one of the register of people counts.
    private mutating func look(
        _ words: String, _ source: Source, _ end: Int64, _ known: Account? = nil,
        _ ask: () throws(SystemError) -> Account?
    ) {
        guard Clock.monotonicMicroseconds() < end else {
            if let known { return add(known, source) }
            limits.append("Who is \(Printable.escape(words)), is not known: the name services took too long.")
            return
        }
        do throws(SystemError) {
            guard let account = try ask() else {
                if source == .list {
                    limits.append("\(Printable.escape(words)), is no user of this machine.")
                } else {
                    gone.append(words)
                }
                return
            }
            add(account, source)
        } catch {
            if let known { return add(known, source) }
            limits.append("Who is \(Printable.escape(words)), is not known: \(Printable.escape("\(error)")).")
        }
    }

    /// Adds a user who was found.
    private mutating func add(_ account: Account, _ source: Source) {
        ids.insert(account.uid)
        names.insert(Key(account.name))
        guard !accounts.contains(where: { $0.uid == account.uid }) else { return }
        accounts.append(account)
        counts[source, default: 0] += 1
    }

    /// The users whose programs opened a domain since the boot.
    private func opened(_ machine: PolicyInForce) -> Set<UInt32> {
        Set((try? OpenedDomain.all(root: machine.root))?.map(\.uid) ?? [])
    }

    /// How many users were found where, in words.
    package var words: String {
        let words: [Source: String] = [
            .accounts: "of the account files", .homes: "of homes", .logins: "of login records", .records: "of records",
            .list: "of --users",
        ]
        return Source.allCases.compactMap { source in
            guard let count = counts[source], count > 0, let word = words[source] else { return nil }
            return "\(count) \(word)"
        }.joined(separator: ", ")
    }
}
