/// A folder that a subscription asked for, as it stands now.
struct WatchedFolder {
    /// Who asked.
    let subscription: WatchSubscription
    /// Which of the folders it is.
    let index: Int
    /// The kernel's watch of the folder; `nil` where it is missing or not watched.
    private(set) var watch: Int32?
    /// Whether it is compared once a second.
    private(set) var isPolled = false
    /// What it looked like when it was last compared.
    private var look: FolderLook?

    /// Takes on a folder that `refresh` will watch.
    init(_ subscription: WatchSubscription, index: Int) {
        self.subscription = subscription
        self.index = index
    }

    /// The folder, as it was given.
    var path: String { subscription.folders[index] }

    /// Walks to the folder anew, watches it, and compares it where it cannot be watched.
    ///
    /// - Returns: whether anything in it may have changed since the last time.
    mutating func refresh(_ user: Int, _ kernel: KernelWatches?) -> Bool {
        let before = (watch: watch, isPolled: isPolled)
        let outcome =
            kernel.map { FolderWalk.watch(path, root: subscription.root, user: user, kernel: $0) }
            ?? FolderWalk.Outcome(needsPolling: true)
        watch = outcome.folder
        isPolled = outcome.needsPolling
        var mayDiffer = before.watch != watch || before.isPolled != isPolled
        guard isPolled else {
            look = nil
            return mayDiffer
        }
        // Without the means to look, what was seen before is compared as soon as they are there.
        if let now = try? FolderLook(path, root: subscription.root) {
            mayDiffer = mayDiffer || look?.mayDiffer(from: now) ?? true
            look = now
        }
        return mayDiffer
    }
}
