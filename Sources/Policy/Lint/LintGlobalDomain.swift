import Platform
import PropertyList

/// Absent entries that never hold, because NSGlobalDomain forces a value of the key: where one domain has no value, and
/// another one that counts has, the value comes first.
struct LintGlobalDomain {
    /// What was found.
    private(set) var findings: [Diagnostic] = []
    /// The name of that domain.
    private static let name: Key = "NSGlobalDomain"

    /// Compares files.
    init(files: [LintFile]) {
        var forced: [Key: [(file: LintFile, position: Position)]] = [:]
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
        if forced.isEmpty { return }
        for file in files {
            for entry in file.policy.entries
            where entry.level == .absent && entry.domain != LintGlobalDomain.name && !doubtful.contains(entry.key) {
                let winner = forced[entry.key]?.first { $0.file.target.covers(file.target) || $0.file === file }
                guard let winner else { continue }
                findings.append(
                    file.warning(
                        .neverWins, at: entry.origin.position,
                        "this entry of \"\(Printable.escape(entry.key.string))\" never wins:"
                            + " \(winner.file.place(winner.position)) forces a value of the key in NSGlobalDomain for"
                            + " everybody this file applies to, and a value comes before none"))
            }
        }
    }
}
