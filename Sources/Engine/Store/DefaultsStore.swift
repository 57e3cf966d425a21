package import Platform
import Policy
package import Preferences
import PropertyList
import Synchronization

/// The defaults of one user on one machine, as this process has them: policy, the stored domains, what was registered.
///
/// Every ``DefaultsEngine`` is a view of a store, so all objects of a process agree. Readers take no lock; all else
/// happens under one lock, which is never held while a function of somebody else is called or, but for the locale of a
/// language that is new to the process, a file is opened. Files are read and written under a second lock, ahead of the
/// first.
package final class DefaultsStore: Sendable {
    /// What is in memory.
    struct State {
        /// What policy says for the user, in some domains at least; at first in none.
        var resultant = ResultantSet(domains: [])
        /// The domains that somebody asked about; `nil` once they are so many that all are read.
        var wanted: Set<Key>? = []
        /// Whether policy changed since somebody looked for what it sets once.
        var isSetOnceNew = false
        /// Why what is forced is unknown, and every key counts as forced without a value; `nil` if it is known.
        var uncertainty: String?
        /// The folders of what policy files lead to that are links.
        var links: [String] = []
        /// Whether it was known once what is forced.
        var isPolicyKnown = false
        /// The stored domains that somebody searched or asked for.
        var contents: [StoredPlace: DomainContent] = [:]
        /// The domains of all users that somebody searches.
        var shared: [Key: DomainContent] = [:]
        /// The registered defaults.
        let registration = DomainContent(nil)
        /// The variables that name the user's languages where `AppleLanguages` does not.
        let environment: [String: String]
        /// The objects that look at the store.
        var views: [ObjectIdentifier: DefaultsView] = [:]
        /// The process whose changes are pending; another one in a child that fork(2) made.
        var process = CurrentProcess.pid
        /// Changes that observers were not told of yet, in order.
        var events: [Event] = []
        /// Stored values outside of their constraints that were found and not recorded yet.
        var attempts: [FoundAttempt] = []
        /// The values outside of their constraints that this process has found before.
        var found: Set<FoundValue> = []
        /// Whether a thread is telling observers.
        var isTelling = false
        /// What went wrong and nobody asked about yet.
        var problems: [String] = []
    }

    /// A change on its way to an observer.
    struct Event {
        /// Who is told.
        let observer: ChangeObserver
        /// Of what.
        let change: EffectiveChange
    }

    /// The user; `nil` where the caller has no account, so that nothing can be stored.
    package let account: Account?
    /// The root that files and policy belong to.
    package let root: Root
    /// The user's domains; `nil` where nothing can be stored.
    let storage: (any DomainStorage)?
    /// The domains of all users; `nil` for a store without files.
    let sharedDefaults: SharedDefaults?
    /// Where policy comes from.
    let policy: any PolicySource
    /// Where audit records go.
    let sink: (any AttemptSink)?
    /// What was set once before; `nil` where nothing can be.
    let setOnceBook: (any SetOnceBook)?
    /// What is in memory.
    let state: Guarded<State>
    /// Held while files are read or written, so that memory takes over what they hold in the order in which they held it.
    ///
    /// A byte, because the thread sanitizer takes an access to nothing for one to the object around it.
    let files = Guarded(UInt8(0))
    /// The thread that runs the body of an exclusive update with that lock held; 0 where none does.
    let updater = Atomic<UInt>(0)
    /// Held while policy is read, for the same reason.
    ///
    /// A lock of its own: whoever holds the lock of a user's files up holds no policy up.
    let policyReading = Guarded(UInt8(0))
    /// Saves a moment after a change, and again after a failure; begins to watch a moment after the opening.
    let workers = Guarded<(save: DelayedWorker?, retry: DelayedWorker?, watch: DelayedWorker?)>((nil, nil, nil))

    /// Tells of changes that others make.
    let watch = Guarded<FolderWatch?>(nil)
    /// The folders that are watched.
    let watchedPaths = Guarded<[String]>([])
    /// Rings when time changes policy; `nil` before it first can.
    let alarm = Guarded<WallAlarm?>(nil)
    /// Tells where the machine gets another time zone; `nil` while policy does not depend on time.
    let zoneWatch = Guarded<FolderWatch?>(nil)

    /// When readers last looked for changes, in microseconds of the clock that nobody sets, because the system granted no
    /// thread that watches, or policy could not be read; 0 if they need not.
    let lastLook = Atomic<Int64>(0)

    /// The time between a change and its way to the disk, in milliseconds.
    ///
    /// Long enough to gather what one click changes, short enough that nobody notices a lost moment.
    package static let saveDelay = 50
    /// The time after which a save that failed is tried again, in milliseconds.
    static let retryDelay = 5_000

    /// The time between the opening and the beginning of the watch, in milliseconds.
    ///
    /// A command that asks and ends is spared the kernel's watches, whose end takes it longer than all the rest. What
    /// changes in this time is read when the watch begins.
    static let watchDelay = 100

    /// Opens a store; policy is read for the domains that are asked about, when they are.
    ///
    /// - Parameters:
    ///   - account: the user; `nil` where there is none to store anything for.
    ///   - root: the root that files and policy belong to.
    ///   - storage: the user's domains.
    ///   - sharedDefaults: the domains of all users.
    ///   - policy: where policy comes from.
    ///   - sink: where audit records go.
    ///   - setOnceBook: what was set once before; `nil` where nothing can be.
    ///   - environment: the variables that name the user's languages.
    ///   - problems: what went wrong on the way here.
    package init(
        account: Account?, root: Root, storage: (any DomainStorage)?, sharedDefaults: SharedDefaults?,
        policy: any PolicySource, sink: (any AttemptSink)?, setOnceBook: (any SetOnceBook)? = nil,
        environment: [String: String] = Environment.values(of: ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"]),
        problems: [String] = []
    ) {
        self.account = account
        self.root = root
        self.storage = storage
        self.sharedDefaults = sharedDefaults
        self.policy = policy
        self.sink = sink
        self.setOnceBook = setOnceBook
        state = Guarded(State(environment: environment, problems: problems))
        workers.withLock { workers in
            workers.save = DelayedWorker(delayMilliseconds: DefaultsStore.saveDelay) { [weak self] in
                _ = self?.save()
            }
            workers.retry = DelayedWorker(delayMilliseconds: DefaultsStore.retryDelay) { [weak self] in
                _ = self?.save()
            }
        }
        guard watchesSomething else { return }
        let worker = DelayedWorker(delayMilliseconds: DefaultsStore.watchDelay) { [weak self] in self?.beginWatching() }
        workers.withLock { $0.watch = worker }
        if !worker.ask() { beginWatching() }
    }

    deinit {
        finish()
        watch.withLock { $0 }?.stop()
        alarm.withLock { $0 }?.stop()
        zoneWatch.withLock { $0 }?.stop()
    }

    /// Saves what is pending and records what was counted, when nobody uses the store any more or the process ends.
    ///
    /// What cannot be saved then is lost, which is said on standard error: nobody else is left to be told.
    func finish() {
        if !save(), storage != nil {
            let lost = state.withLock { state in
                (
                    state.contents.values.filter { !$0.pending.isEmpty }.compactMap { $0.place?.domain.string }
                        .sorted(),
                    state.problems.last ?? ""
                )
            }
            let names = lost.0.map(Printable.escape).joined(separator: ", ")
            try? StandardStream.error.write(Array("Changes of \(names) were not saved. \(lost.1)\n".utf8))
        }
        flushAttempts()
    }

    /// Remembers what went wrong, once in a row.
    func note(_ problem: String) {
        state.withLock { $0.note(problem) }
    }

    /// Hands over what went wrong since the last call.
    package func takeProblems() -> [String] {
        state.withLock { state in
            defer { state.problems = [] }
            return state.problems
        }
    }
}

extension DefaultsStore.State {
    /// The most problems that are kept for somebody who asks.
    private static let problemLimit = 100

    /// Remembers what went wrong, once.
    mutating func note(_ problem: String) {
        guard !problems.contains(problem) else { return }
        if problems.count < DefaultsStore.State.problemLimit { problems.append(problem) }
    }
}
