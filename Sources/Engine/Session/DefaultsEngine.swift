package import Platform
package import Policy
import Preferences
package import PropertyList

/// What an application's defaults are made of: policy, the user's files, what the process added, and the snapshot that
/// readers see.
///
/// Readers use ``cell`` and take no lock. Everything else happens under one lock, and the disk is written by a worker, by
/// ``synchronize()`` and when the process ends.
package final class DefaultsEngine: Sendable {
    /// What is in memory.
    struct State {
        /// The user's settings and policy; `nil` where the caller has no account, so that nothing can be stored.
        var session: UserSession?
        /// The layers behind the snapshot, as they were read from policy and files.
        var list: SearchList
        /// Why it cannot be told what is forced; `nil` where it can.
        var uncertainty: String?
        /// Changes of the application's domain that are not on disk; `nil` removes.
        var pending: [Key: Value?] = [:]
        /// The registered defaults.
        var registration: [Key: Value] = [:]
        /// What went wrong and nobody asked about yet.
        var problems: [String] = []
    }

    /// The domain that is written, and searched first.
    package let domain: Key
    /// Which application this is, and how that was found out.
    package let identity: ApplicationIdentity
    /// The suites that are searched behind the written domain.
    let suites: [Key]
    /// The values of NSArgumentDomain.
    let arguments: [Key: Value]
    /// The folder that stands for `/`; `nil` for this machine.
    let folder: String?
    /// The user who was named; `nil` for the caller.
    let user: String?
    /// What is in memory.
    let state: Guarded<State>
    /// What readers see.
    package let cell: SnapshotCell
    /// Saves a moment after a change.
    private let worker: Guarded<DelayedWorker?> = Guarded(nil)

    /// The time between a change and its way to the disk, in milliseconds.
    ///
    /// Long enough to gather what one click changes, short enough that nobody notices a lost moment.
    private static let saveDelay = 50

    /// Opens the defaults of a user.
    init(
        session: UserSession?, problems: [String], identity: ApplicationIdentity, domain: Key, suites: [Key],
        arguments: [Key: Value], folder: String?, user: String?
    ) {
        self.identity = identity
        self.domain = domain
        self.suites = suites
        self.arguments = arguments
        self.folder = folder
        self.user = user
        var initial = State(session: session, list: SearchList(layers: []), problems: problems)
        initial.read(domain: domain, suites: suites, arguments: arguments)
        let guarded = Guarded(initial)
        state = guarded
        cell = SnapshotCell(LookupTable(initial.effectiveList(domain: domain))) {
            guarded.withLock { LookupTable($0.effectiveList(domain: domain)) }
        }
        worker.withLock { worker in
            worker = DelayedWorker(delayMilliseconds: DefaultsEngine.saveDelay) { [weak self] in _ = self?.save() }
        }
        ProcessExit.register { [weak self] in self?.finish() }
    }

    /// Opens the defaults of an application on the machine that a folder stands for.
    ///
    /// - Parameters:
    ///   - folder: the folder.
    ///   - user: the user's name; `nil` for the caller.
    ///   - application: the application's domain.
    ///   - arguments: the command line whose pairs count.
    /// - Throws: where the folder or the user does not exist.
    package convenience init(
        folder: String, user: String?, application: Key, arguments: [String]
    ) throws(SessionError) {
        let machine = try PolicyMachine(folder: folder, mayRenew: true)
        let account = try machine.account(named: user)
        self.init(
            session: UserSession(machine: machine, account: account), problems: [],
            identity: ApplicationIdentity(domain: application, source: .code), domain: application, suites: [],
            arguments: ArgumentDomain.values(of: arguments), folder: folder, user: user)
    }

    /// Asks for a save a moment later, or saves now where there is no thread to be had.
    func scheduleSave() {
        let isScheduled = worker.withLock { $0?.ask() ?? false }
        if !isScheduled { _ = save() }
    }

    deinit {
        finish()
    }

    /// Saves what is pending and records what was counted, when nobody uses the engine any more.
    private func finish() {
        _ = save()
        flushAttempts()
    }
}

extension DefaultsEngine {
    /// The forced or absent entry of one domain.
    package func forcedEntry(domain: Key, key: Key) -> ResolvedEntry? {
        state.withLock { $0.session?.resultant.forcedEntry(domain: domain, key: key) }
    }

    /// The forced or absent entry that decides lookups of a key.
    package func decidingEntry(for key: Key) -> ResolvedEntry? {
        state.withLock { $0.list.answer(for: key).forced }
    }

    /// Every key with what a lookup returns.
    package var union: [Key: Value] {
        state.withLock { $0.effectiveList(domain: domain).union }
    }

    /// The root that policy files belong to, for messages.
    package var root: Root {
        state.withLock { $0.session?.machine.root } ?? .system
    }

    /// Adds registered defaults.
    package func register(_ values: [Key: Value]) {
        state.withLock { $0.registration.merge(values) { _, new in new } }
        cell.invalidate()
    }

    /// Hands over what went wrong since the last call.
    package func takeProblems() -> [String] {
        state.withLock { state in
            defer { state.problems = [] }
            return state.problems
        }
    }
}
