import Glibc

/// What somebody wants to know of a directory.
struct WatchInterest {
    /// Whether all its names count.
    var wantsContent = false
    /// The names that count because they lead on to the folder.
    var names: Set<[UInt8]> = []
    /// The events that are needed (inotify(7)).
    private(set) var mask: UInt32

    /// What happens to the directory itself: it is renamed, removed, or its owner or mode change.
    private static let own = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB)
    /// What happens to its names.
    private static let entryEvents = UInt32(IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ATTRIB)

    /// Wants to know when the directory itself is replaced.
    static var itself: WatchInterest { WatchInterest(mask: own) }

    /// Wants to know of everything in the directory that can change content.
    static var content: WatchInterest {
        WatchInterest(wantsContent: true, mask: own | entryEvents | UInt32(IN_CLOSE_WRITE))
    }

    /// Wants to know what becomes of a name that is missing, a link, or a directory that cannot be watched.
    static func entry(_ name: String) -> WatchInterest {
        WatchInterest(names: [Array(name.utf8)], mask: own | entryEvents)
    }

    /// Wants to know what becomes of a name that is a file, and when it was written.
    static func file(_ name: String) -> WatchInterest {
        WatchInterest(names: [Array(name.utf8)], mask: own | entryEvents | UInt32(IN_CLOSE_WRITE))
    }

    /// Wants to know when a directory is removed that is watched itself.
    ///
    /// Of a directory that a process works in, the kernel tells only its parent's watchers that it was removed.
    static func removal(of name: String) -> WatchInterest {
        WatchInterest(names: [Array(name.utf8)], mask: own | UInt32(IN_DELETE))
    }

    /// Wants to know what another interest does as well.
    mutating func merge(_ other: WatchInterest) {
        wantsContent = wantsContent || other.wantsContent
        names.formUnion(other.names)
        mask |= other.mask
    }
}
