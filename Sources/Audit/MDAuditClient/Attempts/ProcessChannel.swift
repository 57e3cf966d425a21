import MDPlatform
import MDPropertyList
import Synchronization

/// The part of an ``AuditReporter`` that belongs to one process.
///
/// A child that fork(2) made has its own, because the waiting attempts and the connection are its parent's.
final class ProcessChannel: Sendable {
    /// The most attempts that wait in memory; further ones are counted.
    static let capacity = 1_024

    /// The generation of the process (``Fork/generation``).
    let generation: UInt32
    /// The root that the records are of.
    private let root: Root
    /// That of a forked child.
    private let child = AtomicLazyReference<ProcessChannel>()
    /// The attempts of the last seconds.
    let windows = Guarded(AttemptWindows())
    /// The attempts that another thread stores.
    private let queue = Guarded<[WaitingAttempt]>([])
    /// The number of attempts that found no room.
    let overflow = ServiceConnection.Tally()
    /// The connection to the audit service.
    let connection: ServiceConnection
    /// Held by the thread that takes attempts out of the queue, until they are stored.
    let storing = Guarded(UInt8(0))
    /// Whether a run of the thread that stores waiting attempts has been requested and has not begun.
    let isAwake = Atomic<Bool>(false)
    /// The same for the thread that stores counts when their time is over.
    let isTimed = Atomic<Bool>(false)
    /// The same for the thread that asks the service to confirm what was sent.
    let isConfirming = Atomic<Bool>(false)
    /// The domains that are to be reported once there is a connection.
    let untold = Guarded<[Key]>([])
    /// The domains that were reported to the service.
    let opened = Guarded<Set<String>>([])

    /// Makes the channel of this process.
    init(root: Root) {
        generation = Fork.generation
        self.root = root
        connection = ServiceConnection.shared(of: root)
        queue.withLock { $0.reserveCapacity(ProcessChannel.capacity) }
    }

    /// The channel of this process.
    var current: ProcessChannel {
        var channel = self
        let generation = Fork.generation
        while channel.generation != generation { channel = channel.ofChild }
        return channel
    }

    /// The channel of a forked child of this one's process, which leaves this one as it is and never frees it.
    private var ofChild: ProcessChannel {
        if let child = child.load() { return child }
        _ = unsafe Unmanaged.passRetained(self)
        return child.storeIfNil(ProcessChannel(root: root))
    }

    /// Puts an attempt into the queue, or counts it.
    func enqueue(_ attempt: WaitingAttempt) {
        let isQueued = queue.tryWithLock { queue in
            guard queue.count < ProcessChannel.capacity else { return false }
            queue.append(attempt)
            return true
        }
        if isQueued != true { overflow.add(attempt.weight) }
    }

    /// Takes everything out of the queue.
    func takeQueue() -> [WaitingAttempt] {
        // The room of the new queue is made outside of the lock.
        var taken: [WaitingAttempt] = []
        taken.reserveCapacity(ProcessChannel.capacity)
        let empty = taken
        return queue.withLock { queue in
            if queue.isEmpty { return [] }
            defer { queue = empty }
            return queue
        }
    }
}
