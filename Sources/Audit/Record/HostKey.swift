package import Platform
package import PropertyList

/// The key of one machine under which records tell equal sensitive values apart, and nobody else can try values out.
///
/// It is root's alone: what another process records of a sensitive value is that there was one.
package struct HostKey: Sendable {
    /// The file, under the root.
    package static let path = "/var/lib/managed-defaults/audit.key"
    /// The bytes of the key.
    private static let size = 32
    /// The bytes of a block of the hash function.
    private static let block = 64

    /// The key.
    private let bytes: [UInt8]

    /// Makes a key of its bytes; `nil` for another number than 32.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == HostKey.size else { return nil }
        self.bytes = bytes
    }

    /// Reads the machine's key, and makes one where there is none and this process may.
    ///
    /// - Returns: `nil` where this process may not read it, or where others can.
    package init?(of root: Root) {
        if let key = HostKey.read(root) {
            self = key
            return
        }
        let user = CurrentProcess.euid
        guard user == 0 || user == root.owner, HostKey.make(in: root), let key = HostKey.read(root) else { return nil }
        self = key
    }

    /// Reads the key.
    private static func read(_ root: Root) -> HostKey? {
        guard let file = try? root.read(path, limit: size + 1), file.status.owner == root.owner,
            file.status.mode & 0o077 == 0
        else { return nil }
        return HostKey(file.bytes)
    }

    /// Makes a key where there is none; of several that do so at once, one wins.
    private static func make(in root: Root) -> Bool {
        guard let missing = missing(root), missing else { return false }
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let own = "\(path).\(UInt64.random(in: .min ... .max, using: &random))"
        do throws(SystemError) {
            try root.createDirectory("/var/lib/managed-defaults", mode: 0o755)
            try root.replace(own, with: bytes, mode: 0o600)
        } catch {
            return false
        }
        if (try? root.rename(own, to: path, replacing: false)) == nil { try? root.remove(own) }
        return true
    }

    /// Whether there is no file; `nil` where that cannot be told.
    private static func missing(_ root: Root) -> Bool? {
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
        let key = bytes + [UInt8](repeating: 0, count: HostKey.block - bytes.count)
        let message = Array(value.typeName.utf8) + [0] + json.utf8
        let inner = SHA256.hash(key.map { $0 ^ 0x36 } + message)
        return String(SHA256.hash(key.map { $0 ^ 0x5c } + inner.bytes).hex.prefix(16))
    }
}
