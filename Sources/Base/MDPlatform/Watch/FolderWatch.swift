/// Calls a function when names in some folders change.
///
/// Changes are reported by the kernel (inotify); if it refuses, and on file systems that other machines or programs
/// change, folders are compared once a second. One thread serves the whole process, from the first watch to the end of
/// the last one; it costs nothing while nothing changes. Nothing is delayed: all changes that are ready are reported in
/// one call at once.
///
/// Reported is what can change content: a file that was written and closed, renamed, made, linked or removed, or whose
/// owner, mode or times changed. What a program writes into a file that it holds open is reported when it closes the
/// file. Links on the way to a folder are followed as ``Root`` does, and every directory on the way is watched for
/// being replaced.
package final class FolderWatch: Sendable {
    /// The folders and the function.
    private let subscription: WatchSubscription
    /// The process's watches.
    private let center: WatchCenter

    private init(_ subscription: WatchSubscription, of center: WatchCenter) {
        (self.subscription, self.center) = (subscription, center)
    }

    /// Starts to watch; every change that begins after this returns is reported.
    ///
    /// - Parameters:
    ///   - root: the root of the folders' paths.
    ///   - folders: paths under the root, which need not exist; a file is reported as a whole.
    ///   - changed: called on the watching thread with all changes that are ready, folders in the given order. No lock
    ///     is held meanwhile. It may stop any watch and start others.
    /// - Returns: the watch, which ends with this object.
    package static func begin(
        root: Root, folders: [String], _ changed: @escaping @Sendable ([FolderChange]) -> Void
    ) -> FolderWatch {
        let subscription = WatchSubscription(root: root, folders: folders, changed)
        let center = WatchCenter.current()
        center.begin(subscription)
        return FolderWatch(subscription, of: center)
    }

    deinit {
        stop()
    }

    /// Ends the watch; after this returns the function is not called any more, except if it calls this itself.
    ///
    /// Waits for a call that is under way; the caller must hold no lock that the function waits for.
    package func stop() {
        center.end(subscription)
    }

    /// Whether some folder is compared once a second.
    package var isPolling: Bool { center.isPolling(subscription) }

    /// Whether the watch is served: not in a child process that fork(2) made, which must start its own, and not if the
    /// system granted no thread.
    package var isOfThisProcess: Bool { center.isWatching(subscription) }
}

/// A change in a watched folder.
package struct FolderChange: Hashable, Sendable {
    /// The folder, as it was given.
    package let folder: String
    /// The names that may have changed, each once, in byte order; `nil` if any name may have: the folder appeared,
    /// vanished or was replaced, events were lost, or the folder was compared rather than watched.
    package let names: [String]?
}

/// The folders and the function of one ``FolderWatch``.
final class WatchSubscription: Sendable {
    /// The root of the folders' paths.
    let root: Root
    /// The folders, as they were given.
    let folders: [String]
    /// Called with the changes.
    let changed: @Sendable ([FolderChange]) -> Void

    /// Creates a subscription to folders.
    init(root: Root, folders: [String], _ changed: @escaping @Sendable ([FolderChange]) -> Void) {
        self.root = root
        self.folders = folders
        self.changed = changed
    }

    /// Its identity.
    var id: ObjectIdentifier { ObjectIdentifier(self) }
}
