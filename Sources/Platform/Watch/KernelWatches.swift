import CPlatform
import Glibc

/// The kernel's watches of the process: one for each directory, however many are interested in it.
///
/// Used under the center's lock only; the watching thread alone reads and closes.
final class KernelWatches {
    /// A watched directory.
    private struct Node {
        /// The events that the kernel tells of.
        var mask: UInt32
        /// Who is interested, and in what.
        var users: [Int: WatchInterest] = [:]
    }

    /// The inotify instance; -1 once it is given up.
    private(set) var raw: Int32
    /// The directories, by the kernel's number of the watch, which is not used again.
    private var nodes: [Int32: Node] = [:]

    /// Makes an inotify instance; `nil` where there is no descriptor or no quota left.
    init?() {
        raw = cplatform_inotify()
        if raw < 0 { return nil }
    }

    deinit {
        if raw >= 0 { _ = close(raw) }
    }

    /// Forgets the descriptor, which somebody else closed, so that whatever has its number now stays open.
    func abandon() {
        raw = -1
    }

    /// Watches an open directory.
    ///
    /// - Parameters:
    ///   - directory: the directory.
    ///   - interest: what is needed; what others need is kept.
    ///   - user: the folder for whose sake it is watched; `use` follows when its walk is done.
    /// - Returns: the number of the watch.
    /// - Throws: EACCES where the directory cannot be read; ENOSPC or ENOMEM where the quota is used up.
    func add(_ directory: DirectoryHandle, _ interest: WatchInterest, for user: Int) throws(SystemError) -> Int32 {
        let (raw, handle) = (raw, directory.raw)
        let mask = interest.mask | UInt32(IN_MASK_ADD | IN_EXCL_UNLINK)
        let watch = try SystemCall.run("watch", directory.path) { cplatform_watch(raw, handle, mask) }
        nodes[watch, default: Node(mask: 0)].mask |= interest.mask
        nodes[watch]?.users[user, default: .itself].merge(interest)
        return watch
    }

    /// Says which directories a folder needs now; those that nobody needs any more are not watched further.
    func use(_ needed: [Int32: (interest: WatchInterest, directory: DirectoryHandle)], for user: Int) {
        for (watch, node) in nodes where node.users[user] != nil && needed[watch] == nil { drop(watch, for: user) }
        for (watch, need) in needed {
            guard var node = nodes[watch] else { continue }
            node.users[user] = need.interest
            let mask = node.users.values.reduce(0) { $0 | $1.mask }
            if mask != node.mask {
                // The kernel replaces the mask at once, so that no event that is still needed gets lost. Where the
                // watch ended meanwhile, its last event is on its way and the new watch is of no use.
                let answer = cplatform_watch(raw, need.directory.raw, mask | UInt32(IN_EXCL_UNLINK))
                if answer == watch { node.mask = mask } else if answer >= 0 { _ = inotify_rm_watch(raw, answer) }
            }
            nodes[watch] = node
        }
    }

    /// Who is interested in a directory, and in what.
    func users(of watch: Int32) -> [Int: WatchInterest] {
        nodes[watch]?.users ?? [:]
    }

    /// Forgets a watch that the kernel ended.
    func forget(_ watch: Int32) {
        nodes[watch] = nil
    }

    /// Takes a folder from those who are interested in a directory.
    private func drop(_ watch: Int32, for user: Int) {
        nodes[watch]?.users[user] = nil
        if nodes[watch]?.users.isEmpty == true {
            nodes[watch] = nil
            // Where the kernel ended it by itself meanwhile, there is nothing to do.
            _ = inotify_rm_watch(raw, watch)
        }
    }

    /// The events that are there, up to 64 KiB of them; empty where there are none.
    ///
    /// - Throws: EBADF or EINVAL where the descriptor was closed or replaced by somebody else.
    static func read(_ raw: Int32) throws(SystemError) -> [KernelEvent] {
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
        return KernelEvent.events(in: bytes)
    }
}
