import MDPlatform

/// The users in the login records of a machine: `/var/log/wtmp` and the file before it, and `/var/log/lastlog`.
///
/// The files are arrays of fixed records of the C library (utmp(5)), whose size differs between architectures. A file that
/// is not such an array is a problem and says nothing.
struct LoginRecords {
    /// The names that logged in, as the records have them.
    private(set) var names: Set<String> = []
    /// The ids that logged in.
    private(set) var ids: Set<UInt32> = []
    /// A sentence for each file that cannot be used.
    private(set) var problems: [String] = []

    /// The files of logins, the newest first.
    static let paths = ["/var/log/wtmp", "/var/log/wtmp.1"]
    /// The file of last logins, a record for each uid.
    static let lastPath = "/var/log/lastlog"
    /// The databases that newer systems have instead, which are not read.
    static let databases = ["/var/lib/wtmpdb/wtmp.db", "/var/lib/lastlog/lastlog2.db"]

    /// The most bytes of a file that are read.
    private static let limit = 64 << 20
    /// The most different users.
    private static let most = 100_000
    /// The sizes that a record of logins can have: with times of 32 and of 64 bits.
    private static let sizes = [384, 400]
    /// The size of a record of `lastlog`.
    private static let lastSize = 292
    /// The kinds of records: 0 to 9, 7 a login.
    private static let kinds: ClosedRange<UInt8> = 0...9
    private static let login: UInt8 = 7

    /// Reads the files of a machine; one that is not there says nothing.
    init(root: Root) {
        var isKnown = false
        for path in LoginRecords.paths {
            guard let bytes = read(path, root) else { continue }
            isKnown = true
            guard add(logins: bytes) else {
                problems.append("Who logged in by \(root.display(path)) is not known: it is no file of login records.")
                continue
            }
        }
        readLast(root, isKnown: &isKnown)
        for path in LoginRecords.databases where !isKnown {
            guard (try? root.status(path, followingLinks: true)) != nil else { continue }
            problems.append("Who logged in is not known: \(root.display(path)) is a database that is not read here.")
        }
    }

    /// The bytes of a file; `nil` if it is not there or cannot be read; only the latter is a problem.
    private mutating func read(_ path: String, _ root: Root) -> [UInt8]? {
        do throws(SystemError) {
            return try root.read(path, limit: LoginRecords.limit).bytes
        } catch {
            if !error.isMissing { problems.append("Who logged in by \(root.display(path)) is not known: \(error).") }
            return nil
        }
    }

    /// Adds the users of a file of logins; returns whether it is one.
    mutating func add(logins bytes: [UInt8]) -> Bool {
        for size in LoginRecords.sizes where bytes.count % size == 0 {
            var found: [String] = []
            var isSound = true
            for start in stride(from: 0, to: bytes.count, by: size) {
                // The type has 16 bits; the upper eight are zero in either order of the bytes.
                let (first, second) = (bytes[start], bytes[start + 1])
                guard (first == 0 || second == 0), LoginRecords.kinds.contains(first | second) else {
                    isSound = false
                    break
                }
                guard first | second == LoginRecords.login else { continue }
                guard let name = LoginRecords.text(bytes[(start + 44)..<(start + 76)]) else {
                    isSound = false
                    break
                }
                found.append(name)
            }
            guard isSound else { continue }
            for name in found where names.count < LoginRecords.most { names.insert(name) }
            return true
        }
        return false
    }

    /// A name of at most 32 bytes, up to its first zero; `nil` if no account can have it.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let name = bytes.prefix { $0 != 0 }
        guard !name.isEmpty, !name.contains(where: { $0 <= 0x20 || $0 == 0x3a || $0 == 0x2f || $0 == 0x7f }) else {
            return nil
        }
        return String(validating: name, as: UTF8.self)
    }

    /// Reads the file of last logins in pieces, because most of it is a hole.
    private mutating func readLast(_ root: Root, isKnown: inout Bool) {
        do throws(SystemError) {
            let file = try ReadFile(root: root, path: LoginRecords.lastPath)
            let size = try file.status().size
            guard size % LoginRecords.lastSize == 0 else {
                problems.append(
                    "Who logged in by \(root.display(LoginRecords.lastPath)) is not known: it is no file of last logins."
                )
                return
            }
            let piece = LoginRecords.lastSize * 4_096
            var offset = 0
            while offset < min(size, LoginRecords.limit) {
                let bytes = try file.read(offset: offset, count: piece)
                if bytes.isEmpty { break }
                add(last: bytes, from: offset / LoginRecords.lastSize)
                offset += bytes.count
            }
            // Ids of directories are beyond; the other file names their users.
            if size > LoginRecords.limit, !isKnown {
                problems.append(
                    "Who logged in by \(root.display(LoginRecords.lastPath)) with an id from "
                        + "\(LoginRecords.limit / LoginRecords.lastSize) on is not known: so much of it is not read.")
            }
            isKnown = true
        } catch {
            if !error.isMissing {
                problems.append("Who logged in by \(root.display(LoginRecords.lastPath)) is not known: \(error).")
            }
        }
    }

    /// Adds the ids of whole records of last logins whose time is not zero.
    private mutating func add(last bytes: [UInt8], from first: Int) {
        for number in 0..<(bytes.count / LoginRecords.lastSize) {
            let start = number * LoginRecords.lastSize
            guard bytes[start..<(start + 4)].contains(where: { $0 != 0 }), ids.count < LoginRecords.most else {
                continue
            }
            ids.insert(UInt32(clamping: first + number))
        }
    }
}
