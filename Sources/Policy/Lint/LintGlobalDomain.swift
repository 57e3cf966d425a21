import Platform
import PropertyList

/// Absent entries, and seals, that do not hold, because NSGlobalDomain forces a value of the key: where one domain has no
/// value, and another one that counts has, the value comes first.
struct LintGlobalDomain {
    /// What NSGlobalDomain forces a value of, and where.
    private typealias Winners = [Key: [(file: LintFile, position: Position)]]

    /// What was found.
    private(set) var findings: [Diagnostic] = []
    /// The name of that domain.
    private static let name: Key = "NSGlobalDomain"

    /// Compares files.
    init(files: [LintFile]) {
        var forced: Winners = [:]
        var doubtful: Set<Key> = []
        for file in files {
            for entry in file.policy.entries where entry.domain == LintGlobalDomain.name {
                switch entry.level {
                case .forced: forced[entry.key, default: []].append((file, entry.origin.position))
                case .absent: doubtful.insert(entry.key)
                case .recommended, .setOnce: continue
                }
            }
            for waiver in file.policy.waivers where waiver.domain == LintGlobalDomain.name {
                doubtful.insert(waiver.key)
            }
        }
        for key in doubtful { forced[key] = nil }
        if forced.isEmpty { return }
        for file in files {
            for entry in file.policy.entries where entry.level == .absent && entry.domain != LintGlobalDomain.name {
                guard let winner = LintGlobalDomain.winner(of: entry.key, forced, file) else { continue }
                findings.append(
                    file.warning(
                        .neverWins, at: entry.origin.position,
                        "this entry of \"\(Printable.escape(entry.key.string))\" never wins: \(winner)"))
            }
        }
        check(seals: files, forced)
    }

    /// Reports seals of domains that do not have the last word on keys that nobody lists for them.
    private mutating func check(seals files: [LintFile], _ forced: Winners) {
        let seals = files.flatMap { file in file.policy.seals.map { (file: file, seal: $0) } }
            .filter { $0.seal.domain != LintGlobalDomain.name }
        if seals.isEmpty { return }
        // What somebody lists for the domain itself is decided there, or is reported as an entry.
        var listed: Set<LintName> = []
        for entry in files.lazy.flatMap(\.policy.entries) where entry.level == .forced || entry.level == .absent {
            listed.insert(LintName(domain: entry.domain, key: entry.key))
        }
        let keys = forced.keys.sorted()
        for (file, seal) in seals {
            let domain = seal.domain
            let found = keys.filter { !listed.contains(LintName(domain: domain, key: $0)) }
                .compactMap { key in LintGlobalDomain.winner(of: key, forced, file).map { (key, $0) } }
            guard let (key, winner) = found.first else { continue }
            let more = found.count == 1 ? "" : "; so it is with \(found.count - 1) more of its keys"
            findings.append(
                file.warning(
                    .neverWins, at: seal.origin.position,
                    "this seal of \(Printable.escape(domain.string)) leaves \"\(Printable.escape(key.string))\" a value:"
                        + " \(winner)\(more)"))
        }
    }

    /// Why a value of NSGlobalDomain comes first wherever a file applies, as a clause; `nil` where it may not.
    private static func winner(of key: Key, _ forced: Winners, _ file: LintFile) -> String? {
        let winner = forced[key]?.first { $0.file.target.covers(file.target) || $0.file === file }
        return winner.map {
            "\($0.file.place($0.position)) forces a value of the key in NSGlobalDomain for everybody this file applies to,"
                + " and a value comes before none"
        }
    }
}
