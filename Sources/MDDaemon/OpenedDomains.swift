import MDAuditClient
import MDPlatform
import MDPropertyList

/// Which programs opened which domains since the boot, in a file for the report.
///
/// The file has a line for the boot, then one JSON object for each program and domain of a user.
struct OpenedDomains {
    /// The path of the file.
    static let path = "/run/mdefaultsd/opened"

    /// The root of the machine.
    private let root: Root
    /// The most names of all users and of one.
    private let limits: (all: Int, ofUser: Int)
    /// The lines of the file, without the first.
    private var lines: Set<[UInt8]> = []
    /// The number of lines of each user.
    private var counts: [UInt32: Int] = [:]

    /// Takes over what was remembered since the boot.
    init(root: Root, limits: (all: Int, ofUser: Int)) {
        (self.root, self.limits) = (root, limits)
        let bytes = (try? root.read(OpenedDomains.path, limit: limits.all * 8_192).bytes) ?? []
        let parts = bytes.split(separator: 0x0a)
        guard let first = parts.first, Array(first) == head, bytes.last == 0x0a else {
            try? root.replace(OpenedDomains.path, with: head + [0x0a], mode: 0o640, durable: false)
            return
        }
        for line in parts.dropFirst().prefix(limits.all) {
            lines.insert(Array(line))
            if let uid = OpenedDomains.user(of: line) { counts[uid, default: 0] += 1 }
        }
    }

    /// Remembers that a program opened domains.
    ///
    /// - Returns: whether all are remembered; not if there are too many, or the file cannot be written.
    mutating func add(_ domains: [Key], of stamp: RecordStamp) -> Bool {
        var (bytes, isWhole): ([UInt8], Bool) = ([], true)
        for domain in domains {
            let line = OpenedDomains.line(stamp, domain)
            if lines.contains(line) { continue }
            guard lines.count < limits.all, counts[stamp.peer.uid, default: 0] < limits.ofUser else {
                isWhole = false
                break
            }
            lines.insert(line)
            counts[stamp.peer.uid, default: 0] += 1
            bytes += line + [0x0a]
        }
        if bytes.isEmpty { return isWhole }
        do {
            try AppendFile(root: root, path: OpenedDomains.path, mode: 0o640).append(bytes)
            return isWhole
        } catch {
            return false
        }
    }

    /// The first line, which another boot does not have.
    private var head: [UInt8] { Array("boot \(Machine.bootID() ?? "unknown")".utf8) }

    /// A line without its line feed.
    private static func line(_ stamp: RecordStamp, _ domain: Key) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("uid", Int(stamp.peer.uid))
        writer.field("exe", stamp.peer.executable)
        writer.field("domain", domain.string)
        writer.endObject()
        return writer.utf8
    }

    /// The user of a line.
    private static func user(of line: ArraySlice<UInt8>) -> UInt32? {
        let digits = line.dropFirst(#"{"uid":"#.utf8.count).prefix { (0x30...0x39).contains($0) }
        return UInt32(String(decoding: digits, as: UTF8.self))
    }
}
