import Glibc
import MDCPlatform

/// The kernel's watches of the process: one for each directory, however many are interested in it.
///
/// Used under the center's lock only; the watching thread alone reads and closes.
package final class InotifyWatches {
    /// A watched directory.
    private struct Node {
        /// The mask of events (inotify(7)).
        var mask: UInt32
        /// The interests, by the number of the folder.
        var users: [Int: WatchInterest] = [:]
    }

    /// The inotify instance; -1 once it is given up.
    private(set) var raw: Int32
    /// The directories, by the kernel's number of the watch, which is not used again.
    private var nodes: [Int32: Node] = [:]

    /// Makes an inotify instance; `nil` if no descriptor or no quota is left.
    init?() {
        raw = cplatform_inotify()
        if raw < 0 { return nil }
    }

    deinit {
        if raw >= 0 { _ = close(raw) }
    }

    /// Forgets the descriptor, which other code closed, so that the next file with this number stays open.
    func abandon() {
        raw = -1
    }

    /// Watches an open directory.
    ///
    /// - Parameters:
    ///   - directory: the directory.
    ///   - interest: the interest to add to those of other folders.
    ///   - user: the number of the folder; call `use` when its walk has ended.
    /// - Returns: the number of the watch.
    /// - Throws: EACCES if the directory cannot be read; ENOSPC or ENOMEM if the quota is used up.
    func add(_ directory: DirectoryHandle, _ interest: WatchInterest, for user: Int) throws(SystemError) -> Int32 {
        let (raw, handle) = (raw, directory.raw)
        let mask = interest.mask | UInt32(IN_MASK_ADD | IN_EXCL_UNLINK)
        let watch = try SystemCall.run("watch", directory.path) { cplatform_watch(raw, handle, mask) }
        nodes[watch, default: Node(mask: 0)].mask |= interest.mask
        nodes[watch]?.users[user, default: .itself].merge(interest)
        return watch
    }

    /// Sets the directories that a folder needs now, and ends the watches that no folder needs any more.
    func use(_ needed: [Int32: (interest: WatchInterest, directory: DirectoryHandle)], for user: Int) {
        for (watch, node) in nodes where node.users[user] != nil && needed[watch] == nil { drop(watch, for: user) }
        for (watch, need) in needed {
            guard var node = nodes[watch] else { continue }
            node.users[user] = need.interest
            let mask = node.users.values.reduce(0) { $0 | $1.mask }
            if mask != node.mask {
                // The kernel replaces the mask at once, so that no needed event is lost. If the watch ended meanwhile,
                // its last event is still to come and the new watch is useless.
                let answer = cplatform_watch(raw, need.directory.raw, mask | UInt32(IN_EXCL_UNLINK))
                if answer == watch { node.mask = mask } else if answer >= 0 { _ = inotify_rm_watch(raw, answer) }
            }
            nodes[watch] = node
        }
    }

    /// The interests in a directory, by the number of the folder.
    func users(of watch: Int32) -> [Int: WatchInterest] {
        nodes[watch]?.users ?? [:]
    }

    /// Forgets a watch that the kernel ended.
    func forget(_ watch: Int32) {
        nodes[watch] = nil
    }

    /// Removes the interest of a folder in a directory.
    private func drop(_ watch: Int32, for user: Int) {
        nodes[watch]?.users[user] = nil
        if nodes[watch]?.users.isEmpty == true {
            nodes[watch] = nil
            // If the kernel ended the watch meanwhile, there is nothing to do.
            _ = inotify_rm_watch(raw, watch)
        }
    }

    /// Reads the pending events, up to 64 KiB of them; empty if there are none.
    ///
    /// - Throws: EBADF or EINVAL if other code closed or replaced the descriptor.
    package static func read(_ raw: Int32) throws(SystemError) -> [InotifyEvent] {
        var failure: SystemError?
        // The buffer has as many bytes as the call may write, and the call returns how many it wrote.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            let length = unsafe Glibc.read(raw, buffer.baseAddress, 65_536)
            if length < 0, errno != EAGAIN, errno != EINTR {
                failure = SystemError(operation: "read", path: "inotify", code: errno)
            }
            count = max(length, 0)
        }
        if let failure { throw failure }
        return InotifyEvent.events(in: bytes)
    }
}

/// One event of inotify(7).
package struct InotifyEvent {
    /// The watch that it belongs to; -1 if events were lost.
    package let watch: Int32
    /// The mask of the event.
    package let mask: UInt32
    /// The name in the watched directory; empty for an event of the directory itself.
    package let name: [UInt8]

    /// Whether it is of the content or the times of a file: no name leads elsewhere after it.
    var isContentOnly: Bool { mask & ~UInt32(IN_CLOSE_WRITE | IN_ATTRIB) == 0 && !name.isEmpty }

    /// Parses the output of read(2): for each event watch, mask, cookie and the length of the name, 4 bytes each in the
    /// machine's order, then the name, padded with NUL.
    static func events(in bytes: [UInt8]) -> [InotifyEvent] {
        var events: [InotifyEvent] = []
        var start = 0
        while bytes.count - start >= 16 {
            let length = Int(number(in: bytes, at: start + 12))
            guard length <= bytes.count - start - 16 else { break }
            let name = bytes[(start + 16)..<(start + 16 + length)].prefix { $0 != 0 }
            events.append(
                InotifyEvent(
                    watch: Int32(bitPattern: number(in: bytes, at: start)), mask: number(in: bytes, at: start + 4),
                    name: Array(name)))
            start += 16 + length
        }
        return events
    }

    /// A number of 4 bytes in the machine's order.
    private static func number(in bytes: [UInt8], at start: Int) -> UInt32 {
        var number: UInt32 = 0
        for offset in 0..<4 { number |= UInt32(bytes[start + offset]) << UInt32(8 * offset) }
        return UInt32(littleEndian: number)
    }
}

/// Which events of a directory a folder needs.
struct WatchInterest {
    /// Whether all its names count.
    var wantsContent = false
    /// The names that count because they lead on to the folder.
    var names: Set<[UInt8]> = []
    /// The events that are needed (inotify(7)).
    private(set) var mask: UInt32

    /// Events of the directory itself: it is renamed or removed, or its owner or mode changes.
    private static let own = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB)
    /// Events of its names.
    private static let entryEvents = UInt32(IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ATTRIB)

    /// Wants to know when the directory itself is replaced.
    static var itself: WatchInterest { WatchInterest(mask: own) }

    /// Wants to know of everything in the directory that can change content.
    static var content: WatchInterest {
        WatchInterest(wantsContent: true, mask: own | entryEvents | UInt32(IN_CLOSE_WRITE))
    }

    /// Changes of a name that is missing, a link, or a directory that cannot be watched.
    static func entry(_ name: String) -> WatchInterest {
        WatchInterest(names: [Array(name.utf8)], mask: own | entryEvents)
    }

    /// Changes of a name that is a file, and of its content.
    static func file(_ name: String) -> WatchInterest {
        WatchInterest(names: [Array(name.utf8)], mask: own | entryEvents | UInt32(IN_CLOSE_WRITE))
    }

    /// The removal of a directory that is watched itself.
    ///
    /// If a process works in that directory, the kernel reports the removal only to watches of its parent.
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
