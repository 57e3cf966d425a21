import CPlatform
import Glibc

/// Who a process in a user namespace is outside of all of them.
///
/// Every id that the kernel tells a process is translated for its namespace, and whoever made that one chose how. One thing
/// is not translated: the options of a tmpfs in mountinfo, which name its owner as the first namespace does (`shmem_show_options` in
/// Linux, mm/shmem.c). A child in a namespace of its own may make such a mount, and it belongs to whoever it is.
package struct OutsideIdentity: Hashable, Sendable {
    /// The user's id.
    package let uid: UInt32
    /// The primary group's id.
    package let gid: UInt32

    /// Makes an identity.
    package init(uid: UInt32, gid: UInt32) {
        (self.uid, self.gid) = (uid, gid)
    }

    /// The id that the user has in the child's namespace; what comes back as this was never translated.
    static let inner: UInt32 = 4_123_456_789
    /// How long the child may take, in milliseconds.
    private static let patience: Int32 = 1_000
    /// The most bytes of the line.
    private static let limit = 4_096

    /// What was said last, and of which ids.
    private static let known = Guarded<(uid: UInt32, gid: UInt32, answer: OutsideIdentity)?>(nil)

    /// This process's; `nil` where the kernel refuses to tell.
    ///
    /// It is asked until it answers, as long as the process keeps its ids: that takes about as long as starting a child.
    package static var own: OutsideIdentity? {
        let (uid, gid) = (getuid(), getgid())
        // Of two identities the child has the effective one, and policy is for the real one.
        guard uid == geteuid(), gid == getegid() else { return nil }
        return known.withLock { known in
            if let known, known.uid == uid, known.gid == gid { return known.answer }
            guard let answer = ask() else { return nil }
            known = (uid, gid, answer)
            return answer
        }
    }

    /// Asks the kernel.
    ///
    /// Not where system calls are filtered: the filter may end whoever makes one that it does not know.
    private static func ask() -> OutsideIdentity? {
        if CurrentProcess.isFiltered { return nil }
        // The buffer has as many bytes as the call may write, and the call returns how many it wrote.
        let line = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = max(unsafe cplatform_outside_line(inner, buffer.baseAddress, limit, patience), 0)
        }
        return OutsideIdentity(mountLine: line)
    }

    /// Reads the owner of a tmpfs, the only one of the list, out of its line.
    ///
    /// `nil` for root too, whom the line does not name, as a kernel that leaves ids out would not.
    init?(mountLine bytes: [UInt8]) {
        guard bytes.last == 0x0a, let text = String(validating: bytes.dropLast(), as: UTF8.self), !text.contains("\n")
        else { return nil }
        let fields = text.split(separator: " ", omittingEmptySubsequences: false)
        guard fields.count >= 10, fields[3] == "/", fields[4] == "/",
            let end = fields[6...].firstIndex(of: "-"), fields.count == end + 4, fields[end + 1] == "tmpfs",
            fields[end + 2] == "managed-defaults"
        else { return nil }
        let options = fields[end + 3].split(separator: ",", omittingEmptySubsequences: false)
        guard case .some(.some(let uid)) = OutsideIdentity.id("uid=", in: options), uid != 0,
            uid != OutsideIdentity.inner, let gid = OutsideIdentity.id("gid=", in: options)
        else { return nil }
        // The group of root is not named.
        self.init(uid: uid, gid: gid ?? 0)
    }

    /// The id of an option; `.some(nil)` where there is none, `nil` where it does not read or stands there twice.
    private static func id(_ name: String, in options: [Substring]) -> UInt32?? {
        let values = options.filter { $0.hasPrefix(name) }.map { $0.utf8.dropFirst(name.utf8.count) }
        guard let value = values.first else { return .some(nil) }
        guard values.count == 1, value.allSatisfy({ (0x30...0x39).contains($0) }),
            let id = UInt32(String(decoding: Array(value), as: UTF8.self))
        else { return nil }
        return .some(id)
    }
}
