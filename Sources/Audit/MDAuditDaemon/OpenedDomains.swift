import MDAuditClient
import MDPlatform
import MDPropertyList
import MDTools

/// Which programs opened which domains since the boot, in a file for the report.
///
/// The file has a line for the boot, then one JSON object for each program and domain of a user.
struct OpenedDomains {
    /// The most bytes of a name, as a file's name has.
    private static let longestName = 255

    /// The root of the machine.
    private let root: Root
    /// The most names of all persons and of one.
    private let limits: (all: Int, ofPerson: Int)
    /// The lines of the file, without the first.
    private var lines: Set<[UInt8]> = []
    /// The lines of each person, the oldest first.
    private var order: [UInt32: [[UInt8]]] = [:]

    /// Takes over what was remembered since the boot, or begins the file of this boot.
    ///
    /// - Parameters:
    ///   - root: the root of the machine.
    ///   - limits: the most names of all persons and of one.
    ///   - person: the person that a uid's names are charged to.
    /// - Returns: what is remembered.
    static func open(
        root: Root, limits: (all: Int, ofPerson: Int), person: (UInt32) -> UInt32
    ) -> OpenedDomains {
        var domains = OpenedDomains(root: root, limits: limits)
        let bytes = (try? root.read(OpenedDomain.path, limit: limits.all * OpenedDomain.lineLimit).bytes) ?? []
        let known = OpenedDomain.lines(in: bytes, root: root)
        guard known.isOfThisBoot, bytes.last == 0x0a else {
            try? domains.write()
            return domains
        }
        for line in known.lines.prefix(limits.all) {
            guard let opened = OpenedDomain(line: line) else { continue }
            domains.remember(line, of: person(opened.uid))
        }
        return domains
    }

    private init(root: Root, limits: (all: Int, ofPerson: Int)) { (self.root, self.limits) = (root, limits) }

    /// Remembers that a program opened domains; if there is no room, the oldest names of the person with most go.
    ///
    /// - Returns: whether all are remembered; not if the person has too many, a name is too long, or the file cannot be written.
    mutating func add(_ domains: [Key], of stamp: RecordStamp) -> Bool {
        var (bytes, isWhole, isShorter): ([UInt8], Bool, Bool) = ([], true, false)
        for domain in domains {
            let opened = OpenedDomain(uid: stamp.peer.uid, executable: stamp.peer.executable, domain: domain)
            let line = opened.line
            if lines.contains(line) { continue }
            guard order[stamp.person, default: []].count < limits.ofPerson,
                domain.string.utf8.count <= OpenedDomains.longestName
            else {
                isWhole = false
                continue
            }
            if lines.count >= limits.all {
                makeRoom()
                isShorter = true
            }
            remember(line, of: stamp.person)
            bytes += line + [0x0a]
        }
        if bytes.isEmpty { return isWhole }
        do throws(SystemError) {
            if isShorter {
                try write()
            } else {
                try AppendFile.open(root: root, path: OpenedDomain.path, mode: 0o640).append(bytes)
            }
            return isWhole
        } catch {
            return false
        }
    }

    /// Remembers a line.
    private mutating func remember(_ line: [UInt8], of person: UInt32) {
        if lines.insert(line).inserted { order[person, default: []].append(line) }
    }

    /// Forgets the oldest quarter of the person with most names, so that the file is seldom written again.
    private mutating func makeRoom() {
        guard let most = order.max(by: { ($0.value.count, $0.key) < ($1.value.count, $1.key) }) else { return }
        let count = max(most.value.count / 4, 1)
        for line in most.value.prefix(count) { lines.remove(line) }
        order[most.key]?.removeFirst(count)
    }

    /// Writes the whole file.
    private func write() throws(SystemError) {
        var all = OpenedDomain.head(root: root) + [0x0a]
        for (_, lines) in order.sorted(by: { $0.key < $1.key }) {
            for line in lines { all += line + [0x0a] }
        }
        try root.replace(OpenedDomain.path, with: all, mode: 0o640, durable: false)
    }
}
