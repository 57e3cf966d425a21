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
    /// The most values of all users that are kept; a line has at most 34 bytes.
    static let valueLimit = 1 << 18

    /// The digests of the values that were found last, by the number of the user.
    var found: [UInt32: Set<String>] = [:]

    /// Makes an empty register.
    init() {}

    /// The number of values.
    var count: Int { found.values.reduce(0) { $0 + $1.count } }

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
        var found: [UInt32: Set<String>] = [:]
        try ChecksummedLines.read(bytes, headers: [ScanRegister.header]) { line in
            let fields = line.fields
            guard fields.count == 3, fields[0] == "value", let uid = UInt32(fields[1]),
                fields[2].utf8.count == ScanRegister.digits,
                fields[2].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            else { return false }
            return found[uid, default: []].insert(fields[2]).inserted
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
            for digest in digests.sorted() { lines.add("value", "\(uid)", digest) }
        }
        return lines.sealed
    }
}
