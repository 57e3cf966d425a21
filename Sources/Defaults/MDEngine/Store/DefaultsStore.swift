import MDAuditClient
package import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
package import MDPreferences
import MDPropertyList
import Synchronization

/// The defaults of one user on one machine, as this process has them: policy, the stored domains, what was registered.
///
/// Every ``DefaultsEngine`` is a view of a store, so all objects of a process agree. Readers need no lock; all else
/// happens under one lock. That lock is never held while a function of the application is called. Nor is it held while
/// a file is opened, except for the locale of a language that is new to the process. Files are read and written under a
/// second lock, ahead of the first.
package final class DefaultsStore: Sendable {
    /// What is in memory.
    struct State {
        /// What policy says for the user, in some domains at least, and what is known of it; at first nothing.
        var resultant = ResultantSet(domains: [], knowledge: .unread)
        /// The domains that policy is read for; `nil` for all, once they are too many.
        var requestedDomains: Set<Key>? = []
        /// Whether policy changed since its set-once entries were last written.
        var isSetOnceNew = false
        /// The stored domains in use.
        var contents: [StoredPlace: DomainContent] = [:]
        /// The domains of all users in use.
        var shared: [Key: DomainContent] = [:]
        /// The registered defaults.
        let registration = DomainContent(nil)
        /// The variables that name the user's languages if `AppleLanguages` does not.
        let environment: [String: String]
        /// The views of the store.
        var views: [ObjectIdentifier: DefaultsView] = [:]
        /// Changes that observers were not notified of yet, in order.
        var events: [Event] = []
        /// Stored values outside of their constraints that were found and not recorded yet.
        var attempts: [FoundAttempt] = []
        /// The values outside of their constraints that this process has found before.
        var found: Set<FoundValue> = []
        /// Whether a thread is telling observers.
        var isNotifying = false
        /// The problems since the last ``takeProblems()``.
        var problems: [DefaultsProblem] = []
    }

    /// A change on its way to an observer.
    struct Event {
        /// The observer.
        let observer: ChangeObserver
        /// The change.
        let change: EffectiveChange
    }

    /// The generation of the process (``Fork/generation``).
    private let generation = Fork.generation
    /// Opens the store of this user again, in a child that fork(2) made; `nil` for a store without files.
    private let again: (@Sendable () -> DefaultsStore?)?
    /// The store of such a child, if it cannot be opened again.
    private let child = AtomicLazyReference<DefaultsStore>()
    /// The variables that name the user's languages.
    private let environment: [String: String]
    /// The registered defaults, for a child; replaced under the lock of ``state``.
    let registered = InheritedValue<[Key: Value]>([:])
    /// Whether a child has what its parent had not saved.
    private let isSeeded = Atomic<Bool>(false)

    /// The user; `nil` if the caller has no account, so that nothing can be stored.
    package let account: Account?
    /// The root that files and policy belong to.
    package let root: Root
    /// The user's domains; `nil` if nothing can be stored.
    let storage: (any DomainStorage)?
    /// The domains of all users; `nil` for a store without files.
    let sharedDefaults: SharedDefaults?
    /// The source of policy.
    let policy: any PolicySource
    /// The destination of audit records.
    let sink: (any AuditSink)?
    /// The destination of attempts that are refused without a lock; `nil` if the sink is another one.
    let channel: AttemptChannel?
    /// Whether the machine has manifests, which say what is sensitive.
    let hasManifests = Atomic<Bool>(true)
    /// The directory of the manifests as it was seen last; `nil` before that.
    let manifests = Guarded<ManifestSecrecy.Directories?>(nil)
    /// The set-once marks; `nil` if nothing can be.
    let setOnceBook: (any SetOnceBook)?
    /// What is in memory.
    let state: Guarded<State>
    /// The functions that are called after a new problem.
    let problemReaders = Guarded<[ObjectIdentifier: ProblemReader]>(resettable: [:])
    /// Held while files are read or written, so that memory gets their contents in the order in which they had them.
    ///
    /// A byte, because the thread sanitizer reports an access to an empty value as one to the object around it.
    let files = Guarded(UInt8(0))
    /// The thread that runs the body of an exclusive update with that lock held; 0 if none does.
    let updater = Atomic<UInt>(0)
    /// Held while policy is read, for the same reason.
    ///
    /// A lock of its own, so that slow files of a user do not delay policy.
    let policyReading = Guarded(UInt8(0))
    /// Saves a moment after a change, and again after a failure; begins to watch a moment after the opening.
    let workers = Guarded<(save: DelayedWorker?, retry: DelayedWorker?, watch: DelayedWorker?)>((nil, nil, nil))

    /// Watches the files that others change, and the moments that change policy.
    let watch: PolicyWatch
    /// Whether the audit service announces each change of policy, so that this process watches neither policy nor time.
    let isPolicyAnnounced = Atomic<Bool>(false)

    /// Whether readers look again themselves: the system granted no thread that watches, or policy could not be read.
    let isPolling = Atomic<Bool>(false)
    /// When they last looked, in microseconds of the monotonic clock.
    let lastPoll = Atomic<Int64>(0)

    /// The time between a change and its way to the disk, in milliseconds.
    ///
    /// Long enough to gather what one click changes, short enough that little is lost in a crash.
    package static let saveDelay = 50
    /// The time after which a save that failed is tried again, in milliseconds.
    static let retryDelay = 5_000

    /// The time between the opening and the beginning of the watch, in milliseconds.
    ///
    /// A short command is spared the kernel's watches, whose end costs more than all the rest. What
    /// changes in this time is read when the watch begins.
    static let watchDelay = 100

    /// Opens a store; policy is read for the domains that are asked about, when they are.
    ///
    /// - Parameters:
    ///   - account: the user; `nil` if nothing can be stored.
    ///   - root: the root that files and policy belong to.
    ///   - storage: the user's domains.
    ///   - sharedDefaults: the domains of all users.
    ///   - policy: the source of policy.
    ///   - sink: the destination of audit records.
    ///   - setOnceBook: the set-once marks; `nil` if nothing can be.
    ///   - environment: the variables that name the user's languages.
    ///   - problems: what went wrong on the way here.
    ///   - again: opens the same store in a child that fork(2) made.
    package init(
        account: Account?, root: Root, storage: (any DomainStorage)?, sharedDefaults: SharedDefaults?,
        policy: any PolicySource, sink: (any AuditSink)?, setOnceBook: (any SetOnceBook)? = nil,
        environment: [String: String] = Environment.values(of: ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"]),
        problems: [DefaultsProblem] = [], again: (@Sendable () -> DefaultsStore?)? = nil
    ) {
        self.again = again
        self.environment = environment
        self.account = account
        self.root = root
        self.storage = storage
        self.sharedDefaults = sharedDefaults
        self.policy = policy
        watch = PolicyWatch(root: root)
        self.sink = sink
        channel = sink as? AttemptChannel
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
        // A child leaves the store of its parent as it is.
        guard generation == Fork.generation else { return }
        finish()
        watch.stop()
    }

    /// The store of this process: in a child that fork(2) made another one, because threads that it does not have may have
    /// been changing this one.
    var current: DefaultsStore {
        if generation == Fork.generation { return self }
        if let store = again?() { return store }
        return child.load()?.current
            ?? child.storeIfNil(
                DefaultsStore(
                    account: account, root: root, storage: storage, sharedDefaults: sharedDefaults, policy: policy,
                    sink: sink, setOnceBook: setOnceBook, environment: environment))
    }

    /// Takes over, once, what the parent of this process knew and had not saved, which it saves itself; nothing of it
    /// where one of its threads was changing the store at the fork.
    func inherit(from parent: DefaultsStore) {
        guard parent !== self, !isSeeded.exchange(true, ordering: .relaxed) else { return }
        let registered = parent.registered.value
        let unsaved = parent.state.readIfWhole { state in
            state.contents.mapValues { $0.unsaved.changes }.filter { !$0.value.isEmpty }
        }
        load(Array((unsaved ?? [:]).keys))
        state.withLock { state in
            state.registration.values.merge(registered) { $1 }
            for (place, changes) in unsaved ?? [:] {
                state.contents[place]?.apply(changes, isPending: false)
            }
        }
        self.registered.publish(registered)
    }

    /// Saves what is pending and records what was counted, when the store is no longer used or the process ends.
    ///
    /// What cannot be saved then is lost, which standard error says.
    func finish() {
        if !save(), storage != nil {
            let lost = state.withLock { state in
                (
                    state.contents.values.filter { !$0.pending.isEmpty }.compactMap { $0.place?.domain.string }
                        .sorted(),
                    state.problems.last?.message ?? ""
                )
            }
            let names = lost.0.map(Printable.escape).joined(separator: ", ")
            try? StandardStream.error.write(Array("Changes of \(names) were not saved. \(lost.1)\n".utf8))
        }
        flushAttempts()
    }
}
