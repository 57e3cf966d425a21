package import MDPlatform
package import MDPropertyList

/// The secret key of a machine for digests of sensitive values: records show whether two are equal, and a reader cannot
/// guess values by trying them.
///
/// Only root and the audit service can read it. Other processes send a sensitive value to the service, which digests it;
/// without the service they record its type and size.
package struct HostKey: Sendable {
    /// The path of root's key under the root.
    package static let path = "/var/lib/managed-defaults/audit.key"
    /// The directory of the audit service.
    private static let serviceDirectory = "/var/lib/mdefaultsd"
    /// The path of its key.
    private static let servicePath = serviceDirectory + "/audit.key"
    /// The number of bytes of a key.
    private static let size = 32

    /// The key.
    private let bytes: [UInt8]

    /// Makes a key; `nil` unless there are 32 bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == HostKey.size else { return nil }
        self.bytes = bytes
    }

    /// Reads the key of a machine: that of the audit service, or without one root's, which is created if there is none and
    /// this process may.
    ///
    /// - Returns: the key; `nil` if this process may not read it, or if others can.
    package static func readOrMake(of root: Root) -> HostKey? {
        let service = try? root.status(serviceDirectory, followingLinks: false)
        if let service, let key = read(root, servicePath, owner: service.owner) { return key }
        let user = CurrentProcess.euid
        guard user == 0 || user == root.owner else { return nil }
        return readOrMake(at: path, of: root, owner: root.owner)
    }

    /// Reads the key of the audit service, which is this process; creates it if there is none.
    ///
    /// - Returns: the key; `nil` if it cannot be read or created.
    package static func readOrMake(ofService root: Root) -> HostKey? {
        readOrMake(at: servicePath, of: root, owner: CurrentProcess.euid)
    }

    /// Reads a key; creates it if there is none.
    private static func readOrMake(at path: String, of root: Root, owner: UInt32) -> HostKey? {
        read(root, path, owner: owner) ?? (make(in: root, path) ? read(root, path, owner: owner) : nil)
    }

    /// Reads a key; `nil` if it is not readable, or not only by its owner.
    private static func read(_ root: Root, _ path: String, owner: UInt32) -> HostKey? {
        guard let file = try? root.read(path, limit: size + 1), file.status.owner == owner,
            file.status.mode & 0o077 == 0
        else { return nil }
        return HostKey(file.bytes)
    }

    /// Creates a key if there is none; of several processes that do so at once, one wins.
    private static func make(in root: Root, _ path: String) -> Bool {
        guard let missing = missing(root, path), missing else { return false }
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let own = "\(path).\(UInt64.random(in: .min ... .max, using: &random))"
        do throws(SystemError) {
            if path == HostKey.path { try root.createDirectory("/var/lib/managed-defaults", mode: 0o755) }
            try root.replace(own, with: bytes, mode: 0o600)
        } catch {
            return false
        }
        if (try? root.rename(own, to: path, replacing: false)) == nil { try? root.remove(own) }
        return true
    }

    /// Whether there is no file; `nil` if unknown.
    private static func missing(_ root: Root, _ path: String) -> Bool? {
        do throws(SystemError) {
            _ = try root.status(path, followingLinks: false)
            return false
        } catch {
            return error.isMissing ? true : nil
        }
    }

    /// HMAC-SHA256 of a value (RFC 2104), its first 16 hexadecimal digits: equal for equal values of one type.
    package func digest(of value: Value) -> String {
        var json = JSONWriter()
        json.iJSONValue(value)
        return String(SHA256.hmac(key: bytes, Array(value.typeName.utf8) + [0] + json.utf8).hex.prefix(16))
    }
}
