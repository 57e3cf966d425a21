import Glibc
import MDCPlatform

/// The access control list of a file or socket that belongs to root: who else may use it, beside its owner.
package struct AccessList: Hashable, Sendable {
    /// The rights that are given, as the bits of a mode.
    package enum Right: UInt16, Sendable {
        /// To read a file.
        case read = 4
        /// To connect to a socket.
        case connect = 6
    }

    /// The right that all of them have.
    package let right: Right
    /// The users.
    package let users: Set<UInt32>
    /// The groups.
    package let groups: Set<UInt32>

    package init(_ right: Right, users: Set<UInt32> = [], groups: Set<UInt32> = []) {
        (self.right, self.users, self.groups) = (right, users, groups)
    }

    /// The bytes as the kernel takes them: the layout of linux/posix_acl_xattr.h, little endian.
    var bytes: [UInt8] {
        var bytes: [UInt8] = [2, 0, 0, 0]
        func add(_ tag: UInt16, _ rights: UInt16, _ id: UInt32 = .max) {
            for word in [tag, rights] {
                bytes += [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
            }
            for shift: UInt32 in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: id >> shift)) }
        }
        add(0x01, 6)  // the owner
        for user in users.sorted() { add(0x02, right.rawValue, user) }
        add(0x04, 0)  // the owner's group
        for group in groups.sorted() { add(0x08, right.rawValue, group) }
        add(0x10, right.rawValue)  // the most that the three before have
        add(0x20, 0)  // others
        return bytes
    }
}

extension Root {
    /// Sets who may use a file or a socket, beside its owner.
    ///
    /// - Throws: EOPNOTSUPP on a file system without access control lists.
    package func setAccess(to path: String, _ list: AccessList) throws(SystemError) {
        let descriptor = try open(path, .lookup)
        let (raw, bytes) = (descriptor.raw, list.bytes)
        // The array outlives the call, which reads its bytes.
        try SystemCall.run("set who may use", display(path)) {
            unsafe cplatform_set_access_list(raw, bytes, bytes.count)
        }
    }

    /// Whether a file or a socket has a list, and no other; false if it is missing.
    package func hasAccess(_ list: AccessList, to path: String) -> Bool {
        guard let descriptor = try? open(path, .lookup) else { return false }
        let (raw, bytes) = (descriptor.raw, list.bytes)
        let capacity = bytes.count + 1
        // The buffer has `capacity` bytes, the call writes at most that many and returns how many.
        let found = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = max(unsafe cplatform_access_list(raw, buffer.baseAddress, capacity), 0)
        }
        return found == bytes
    }
}
