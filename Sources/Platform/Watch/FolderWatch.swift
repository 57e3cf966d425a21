/// Tells when names in some folders change.
///
/// The kernel tells of changes (inotify); where it refuses, and on file systems that change behind its back, folders are
/// compared once a second. One thread serves the whole process, started by the first watch and ended by the last one's end;
/// it costs nothing while nothing changes. Nothing is delayed: what was ready at once is handed over at once.
///
/// Told of is what can change content: a file that was written and closed, renamed, made, linked, removed, or whose owner,
/// mode or times changed. What a program writes into a file that it keeps open is told of when it closes it. Links on the
/// way to a folder are followed as `Root` does, and every directory on the way is watched for being replaced.
package final class FolderWatch: Sendable {
    /// What is watched, and whom it is told.
    private let subscription: WatchSubscription
    /// The process's watches.
    private let center: WatchCenter

    /// Begins to watch; a change that begins after this returns is told of.
    ///
    /// - Parameters:
    ///   - root: the root of the folders' paths.
    ///   - folders: paths under the root, which need not exist; one that is a file is told of as a whole.
    ///   - changed: is told of changes on the watching thread, everything in one call that was ready at once, folders in the
    ///     given order. No lock is held meanwhile. It may stop any watch and begin others.
    package init(root: Root, folders: [String], _ changed: @escaping @Sendable ([FolderChange]) -> Void) {
        center = WatchCenter.current()
        subscription = WatchSubscription(root: root, folders: folders, changed)
        center.begin(subscription)
    }

    deinit {
        stop()
    }

    /// Ends the watch; once this returns nobody is told any more, except where it is called while being told.
    ///
    /// Waits for a call that is under way; the caller must hold no lock that the call waits for.
    package func stop() {
        center.end(subscription)
    }

    /// Whether some folder is compared once a second.
    package var isPolling: Bool { center.isPolling(subscription) }

    /// Whether there is somebody who watches: not in a child process that fork(2) made, which has to begin anew, and not
    /// where the system granted no thread.
    package var isOfThisProcess: Bool { center.isWatching(subscription) }
}
