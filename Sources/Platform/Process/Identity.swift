import CPlatform
import Glibc

/// Who a process is to the kernel.
package enum Identity {
    /// Takes on a user's uid, gid and groups, all threads at once and for good.
    ///
    /// Afterwards all three of the real, effective and saved ids are the new ones, the groups are exactly the given ones
    /// and the way back is closed; anything else is an error, after which the caller must end.
    package static func assume(uid: UInt32, gid: UInt32, groups: [UInt32]) throws(SystemError) {
        let shown = "uid \(uid)"
        if uid == .max || gid == .max {
            throw SystemError(operation: "act as", path: shown, code: EINVAL, reason: "4294967295 is no id")
        }
        if !isAssumed(uid: uid, gid: gid, groups: groups) {
            // The array outlives the call, which reads `count` ids.
            try SystemCall.run("act as", shown) { unsafe cplatform_assume(uid, gid, groups, groups.count) }
        }
        guard isAssumed(uid: uid, gid: gid, groups: groups), uid == 0 || cplatform_can_regain_root() == 0 else {
            throw SystemError(
                operation: "act as", path: shown, code: EPERM, reason: "the kernel did not take on the identity whole")
        }
    }

    /// Whether the process is this user already, groups included.
    private static func isAssumed(uid: UInt32, gid: UInt32, groups: [UInt32]) -> Bool {
        // The kernel may leave out or add the primary group, which changes no permission.
        cplatform_is_identity(uid, gid) == 1
            && Set(CurrentProcess.groups).union([gid]) == Set(groups).union([gid])
    }
}
