import Glibc

/// The folder `/run` of a machine: the audit service's socket in it, and the device that it lies on.
///
/// In a user namespace every user can mount another folder over `/run/mdefaultsd`, and all users outside have the overflow
/// id, so a socket there shows by its device that it is the machine's own. Root's part of the service writes the device of
/// `/run` beside the record of policy, at each boot.
package enum RunFolder {
    /// The folder of the audit service.
    package static let serviceFolder = "/run/mdefaultsd"
    /// The socket of the audit service.
    package static let serviceSocket = "\(serviceFolder)/audit.sock"
    /// The file with the boot and the device.
    package static let devicePath = "/var/lib/managed-defaults/run.device"
    /// The most bytes that are read of it.
    private static let limit = 128

    /// Writes the device of `/run`, unless the file has it already.
    package static func recordDevice(root: Root) throws(SystemError) {
        guard let boot = Machine.bootID(root: root) else { return }
        let text = Array("\(boot) \(try root.status("/run", followingLinks: true).device)\n".utf8)
        if (try? root.read(devicePath, limit: limit).bytes) == text { return }
        try root.replace(devicePath, with: text, mode: 0o644)
    }

    /// The device of the machine's `/run`; `nil` if it was not written in this boot, or the file is not trusted.
    package static func recordedDevice(root: Root) -> UInt64? {
        guard let bytes = try? root.readTrusted(devicePath, limit: limit).bytes, let boot = Machine.bootID(root: root)
        else { return nil }
        let fields = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return fields.count == 2 && fields[0].utf8.elementsEqual(boot.utf8) ? UInt64(fields[1]) : nil
    }
}
