import MDAuditClient
import MDPlatform
import MDPolicyModel
import MDPreferences
import MDPropertyList

/// Which programs opened which domains since the boot, as far as that counts.
///
/// Every user can write a program that opens a domain. So only a program counts that `Metadata`, `Programs` names for the key, or,
/// without that, one that belongs to root and does not do what its caller has written.
struct OpenedPrograms {
    /// The programs by user and domain; a program whose path is unknown is left out.
    private var paths: [UInt32: [Key: Set<String>]] = [:]
    /// Those of the paths that belong to root.
    private var trusted: Set<String> = []
    /// The programs that should ask for keys.
    private let named: [Key: [Key: [HostPattern]]]

    /// The beginnings of the names of programs that run what their caller has written, or say it again.
    private static let interpreters = [
        "mdefaults", "python", "perl", "ruby", "node", "lua", "php", "tclsh", "wish", "guile", "gjs", "java", "dotnet",
        "mono", "bash", "dash", "sh", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "busybox", "awk", "gawk", "mawk",
        "gdb",
        "ld-", "ld", "qemu-", "wine",
    ]

    /// Finds out which programs belong to root.
    ///
    /// - Parameters:
    ///   - opened: the openings of this boot.
    ///   - named: the programs that should ask for keys.
    ///   - root: the machine.
    init(_ opened: [OpenedDomain] = [], named: [Key: [Key: [HostPattern]]] = [:], root: Root) {
        self.named = named
        for item in opened {
            guard let path = item.executable else { continue }
            paths[item.uid, default: [:]][item.domain, default: []].insert(path)
        }
        trusted = Set(opened.compactMap(\.executable)).filter { OpenedPrograms.isTrusted($0, root) }
    }

    /// Whether only root could have written a program, and its callers do not write what it does.
    private static func isTrusted(_ path: String, _ root: Root) -> Bool {
        guard path.utf8.first == UInt8(ascii: "/"), let slash = path.lastIndex(of: "/") else { return false }
        let name = String(path[path.index(after: slash)...])
        if interpreters.contains(where: { isVersion(name, of: $0) }) { return false }
        let folder = try? root.trustedDirectory(slash == path.startIndex ? "/" : String(path[..<slash]))
        return folder?.hasTrustedFile(name) ?? false
    }

    /// Whether a name is that of an interpreter, or of a version of it as `python3.11` is.
    private static func isVersion(_ name: String, of interpreter: String) -> Bool {
        guard name.utf8.starts(with: interpreter.utf8) else { return false }
        guard interpreter.utf8.last != UInt8(ascii: "-"), let next = name.utf8.dropFirst(interpreter.utf8.count).first
        else { return true }
        return !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(next | 0x20)
    }

    /// What distinguishes users.
    func kind(of user: UInt32) -> [Key: Set<String>] { paths[user] ?? [:] }

    /// The programs of a user whose opening of the domain counts for a key, in byte order.
    func programs(domain: Key, key: Key, of user: UInt32) -> [String] {
        let own = paths[user] ?? [:]
        // The search list of every program has the global domain.
        let all = domain == DomainName.global ? own.values.reduce(into: []) { $0.formUnion($1) } : own[domain] ?? []
        let patterns = named[domain]?[key] ?? []
        return all.filter { path in
            patterns.isEmpty ? trusted.contains(path) : patterns.contains { $0.matches(path) }
        }
        .sorted { Key($0) < Key($1) }
    }

    /// The domains that only programs opened that do not count, each with their paths, in byte order.
    ///
    /// - Parameter domains: the domains that are asked about.
    /// - Returns: at least one path for each domain.
    func others(in domains: Set<Key>) -> [(domain: Key, paths: [String])] {
        var all: [Key: Set<String>] = [:]
        for own in paths.values { all.merge(own) { $0.union($1) } }
        return domains.sorted().compactMap { domain in
            guard let found = all[domain], found.isDisjoint(with: trusted) else { return nil }
            let patterns = named[domain]?.values.flatMap(\.self) ?? []
            if found.contains(where: { path in patterns.contains { $0.matches(path) } }) { return nil }
            return (domain, found.sorted { Key($0) < Key($1) })
        }
    }
}
