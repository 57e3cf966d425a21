import MDAuditClient
import MDPlatform
import MDPropertyList
import MDTools

/// Which programs opened which domains since the boot, in a file for the report.
///
/// The file has a line for the boot, then one JSON object for each program and domain of a user.
struct OpenedDomains {
    /// The root of the machine.
    private let root: Root
    /// The most names of all users and of one.
    private let limits: (all: Int, ofUser: Int)
    /// The lines of the file, without the first.
    private var lines: Set<[UInt8]> = []
    /// The number of lines of each user.
    private var counts: [UInt32: Int] = [:]

    /// Takes over what was remembered since the boot, or begins the file of this boot.
    static func open(root: Root, limits: (all: Int, ofUser: Int)) -> OpenedDomains {
        var domains = OpenedDomains(root: root, limits: limits)
        let bytes = (try? root.read(OpenedDomain.path, limit: limits.all * OpenedDomain.lineLimit).bytes) ?? []
        let known = OpenedDomain.lines(in: bytes, root: root)
        guard known.isOfThisBoot, bytes.last == 0x0a else {
            let head = OpenedDomain.head(root: root)
            try? root.replace(OpenedDomain.path, with: head + [0x0a], mode: 0o640, durable: false)
            return domains
        }
        for line in known.lines.prefix(limits.all) {
            domains.lines.insert(line)
            if let opened = OpenedDomain(line: line) { domains.counts[opened.uid, default: 0] += 1 }
        }
        return domains
    }

    private init(root: Root, limits: (all: Int, ofUser: Int)) { (self.root, self.limits) = (root, limits) }

    /// Remembers that a program opened domains.
    ///
    /// - Returns: whether all are remembered; not if there are too many, or the file cannot be written.
    mutating func add(_ domains: [Key], of stamp: RecordStamp) -> Bool {
        var (bytes, isWhole): ([UInt8], Bool) = ([], true)
        for domain in domains {
            let opened = OpenedDomain(uid: stamp.peer.uid, executable: stamp.peer.executable, domain: domain)
            let line = opened.line
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
            try AppendFile.open(root: root, path: OpenedDomain.path, mode: 0o640).append(bytes)
            return isWhole
        } catch {
            return false
        }
    }
}
