package import MDPlatform

/// The key of the pseudonyms of a machine's log.
///
/// Its holder can resolve them; once it is destroyed, they cannot be resolved.
///
/// It lies with the files of the audit service, because the service writes records, and not beside the log, because copies
/// of the log leave the machine.
package struct PseudonymKey: Sendable {
    /// The folder of the audit service's files, under the root.
    private static let directory = "/var/lib/mdefaultsd"
    /// The file, under the root.
    package static let path = "\(directory)/pseudonyms.key"
    /// The number of bytes.
    private static let size = 32
    /// The number of hexadecimal digits of a pseudonym behind its letter.
    static let digits = 16

    /// The key.
    private let bytes: [UInt8]

    /// Makes a key; `nil` unless there are 32 bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == PseudonymKey.size else { return nil }
        self.bytes = bytes
    }

    /// Reads the key; `nil` if there is none, it cannot be read, or others can read it.
    package init?(reading root: Root) {
        guard let file = try? root.read(PseudonymKey.path, limit: PseudonymKey.size + 1),
            file.status.mode & 0o077 == 0
        else { return nil }
        self.init(file.bytes)
    }

    /// Reads the key, or makes one if there is none.
    ///
    /// - Returns: the key; `nil` if it cannot be read or made.
    static func readOrMake(in root: Root) -> PseudonymKey? {
        PseudonymKey(reading: root) ?? (make(in: root) ? PseudonymKey(reading: root) : nil)
    }

    /// Makes a key if there is none; of several processes that do so at once, one wins.
    private static func make(in root: Root) -> Bool {
        do throws(SystemError) {
            _ = try root.status(path, followingLinks: false)
            return false
        } catch {
            if !error.isMissing { return false }
        }
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let own = "\(path).\(UInt64.random(in: .min ... .max, using: &random))"
        do throws(SystemError) {
            try root.createDirectory(directory, mode: 0o700)
            let owner = try root.status(directory, followingLinks: true).owner
            try CurrentThread.usingFiles(as: owner) { () throws(SystemError) in
                try root.replace(own, with: bytes, mode: 0o600)
                if (try? root.rename(own, to: path, replacing: false)) == nil { try? root.remove(own) }
            }
        } catch {
            return false
        }
        return true
    }

    /// The pseudonym of something: a letter for what it is, a dash and the first 16 digits of HMAC-SHA-256.
    package func pseudonym(_ kind: PseudonymKind, _ text: String) -> String {
        let message = Array(kind.rawValue.utf8) + [0] + Array(text.utf8)
        return "\(kind.rawValue)-\(SHA256.hmac(key: bytes, message).hex.prefix(PseudonymKey.digits))"
    }
}

/// The kind of thing behind a pseudonym; the raw value is its first letter.
package enum PseudonymKind: String, Sendable, CaseIterable {
    /// A person, by uid.
    case person = "p"
    /// A name without a known uid.
    case name = "n"
    /// A login session, by boot and number.
    case session = "s"
    /// A unit of systemd.
    case unit = "u"

    /// The kind of a pseudonym; `nil` for any other text.
    package init?(of pseudonym: String) {
        let bytes = Array(pseudonym.utf8)
        guard bytes.count == PseudonymKey.digits + 2, bytes[1] == UInt8(ascii: "-"),
            bytes[2...].allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let kind = PseudonymKind(rawValue: String(decoding: bytes[..<1], as: UTF8.self))
        else { return nil }
        self = kind
    }
}
