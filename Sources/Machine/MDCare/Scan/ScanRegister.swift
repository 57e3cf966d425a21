import MDEngine
import MDPlatform
import MDPolicyModel
import MDPolicyStore

/// Which hidden values are in the log, so that a value that stays is stored once and not at every scan.
///
/// A file that only root writes and reads. A value is known by a digest under the machine's key, so that the file gives away
/// no value.
struct ScanRegister: Hashable, Sendable {
    /// The file.
    static let path = "\(StorePath.home)/scan.register"
    /// The lock of the process that scans.
    static let lock = "\(StorePath.home)/scan.register.lock"
    /// The first line; the number at its end grows with every change of the format.
    private static let header = "managed-defaults scan register 1"
    /// The most bytes that are read.
    private static let sizeLimit = 16 << 20
    /// The number of digits of a digest.
    private static let digits = 16
    /// The most values that are kept of all users; a line has at most 34 bytes.
    static let valueLimit = 1 << 18
    /// The most values that are kept of one.
    static let userLimit = 4 * StoredValueScan.userLimit

    /// The digests of the values that were found last, by the number of the user, in the order in which they were found.
    private(set) var found: [UInt32: [String]] = [:]

    /// Makes an empty register.
    init() {}

    /// The number of values.
    var count: Int { found.values.reduce(0) { $0 + $1.count } }

    /// What was found of a user.
    func of(_ uid: UInt32) -> [String] { found[uid] ?? [] }

    /// Keeps the digests of a user, which are all in the log.
    ///
    /// If they are too many, the oldest go: first those of this user, then those of the user with most. What went and is
    /// found again is recorded again.
    mutating func keep(_ digests: [String], of uid: UInt32) {
        found[uid] = digests.isEmpty ? nil : digests.suffix(ScanRegister.userLimit)
        var surplus = count - ScanRegister.valueLimit
        while surplus > 0, let most = found.max(by: { ($0.value.count, $0.key) < ($1.value.count, $1.key) }) {
            let part = min(max(most.value.count / 4, 1), surplus)
            found[most.key]?.removeFirst(part)
            surplus -= part
        }
    }

    /// Drops what was found of other users.
    mutating func forgetAll(but users: Set<UInt32>) { found = found.filter { users.contains($0.key) } }

    /// Reads the register of a machine; an empty one if there is none.
    ///
    /// - Throws: why it cannot be read, is not trusted or is damaged, as a clause.
    init(root: Root) throws(StoredFileError) {
        guard let bytes = try root.register(at: ScanRegister.path, limit: ScanRegister.sizeLimit) else {
            self.init()
            return
        }
        try self.init(decoding: bytes)
    }

    /// Reads a file.
    ///
    /// - Throws: what is wrong with it, as a clause.
    init(decoding bytes: [UInt8]) throws(StoredFileError) {
        var found: [UInt32: [String]] = [:]
        var known: Set<String> = []
        try ChecksummedLines.read(bytes, headers: [ScanRegister.header]) { line in
            let fields = line.fields
            guard fields.count == 3, fields[0] == "value", let uid = UInt32(fields[1]),
                fields[2].utf8.count == ScanRegister.digits,
                fields[2].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            else { return false }
            found[uid, default: []].append(fields[2])
            return known.insert("\(uid) \(fields[2])").inserted
        }
        self.found = found
    }

    /// Writes the register, durably.
    func write(root: Root) throws(SystemError) {
        try root.replace(ScanRegister.path, with: encoded, mode: 0o600)
    }

    /// The register as a file.
    var encoded: [UInt8] {
        var lines = ChecksummedLines(header: ScanRegister.header)
        for (uid, digests) in found.sorted(by: { $0.key < $1.key }) {
            for digest in digests { lines.add("value", "\(uid)", digest) }
        }
        return lines.sealed
    }
}
