import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Finds metadata of unknown keys.
///
/// They are probably misspelt, and the intended sensitive key is then shown in clear.
struct LintMetadata {
    private(set) var findings: [Diagnostic] = []
    /// The most findings that get a suggestion, because each search compares all keys of the domain.
    private static let hintLimit = 100

    /// Checks the metadata of files, including files whose time is over.
    ///
    /// - Parameters:
    ///   - files: all files.
    ///   - manifests: the descriptions of keys.
    ///   - scope: which other files are known.
    init(files: [LintFile], manifests: ManifestSet, scope: LintScope) {
        var open: [(file: LintFile, item: MetadataEntry)] = []
        for file in files {
            for item in file.policy.metadata
            where !item.origin.source.isExpanded
                && (item.metadata.isSensitive || !item.metadata.controls.isEmpty || !item.programs.isEmpty)
            {
                open.append((file, item))
            }
        }
        if open.isEmpty { return }
        let (keys, seals) = LintMetadata.mentioned(files)
        for (file, item) in open {
            guard !seals.contains(item.domain), !(keys[item.domain]?.contains(item.key) ?? false),
                manifests.key(domain: item.domain, key: item.key) == nil
            else { continue }
            let (key, domain) = (Printable.escape(item.key.string), Printable.escape(item.domain.string))
            let effect =
                item.metadata.isSensitive
                ? "Sensitive hides nothing"
                : "its \(item.metadata.controls.isEmpty ? "Programs" : "Controls") belong to nothing"
            let hint = findings.count < LintMetadata.hintLimit ? LintMetadata.hint(item, keys, manifests) : ""
            findings.append(
                file.warning(
                    .idleRule, at: item.origin.position,
                    "neither a \(scope.file) nor a manifest mentions \"\(key)\" of \(domain), so \(effect)\(hint)"
                ))
        }
    }

    /// The keys and sealed domains that files mention outside of metadata.
    private static func mentioned(_ files: [LintFile]) -> (keys: [Key: Set<Key>], seals: Set<Key>) {
        var (keys, seals): ([Key: Set<Key>], Set<Key>) = ([:], [])
        for policy in files.lazy.map(\.policy) {
            for item in policy.entries { keys[item.domain, default: []].insert(item.key) }
            for item in policy.constraints { keys[item.domain, default: []].insert(item.key) }
            for item in policy.combine { keys[item.domain, default: []].insert(item.key) }
            for item in policy.waivers { keys[item.domain, default: []].insert(item.key) }
            for seal in policy.seals { seals.insert(seal.domain) }
        }
        return (keys, seals)
    }

    /// The probable correction: a key of the same domain, or the same key of another one.
    private static func hint(_ item: MetadataEntry, _ keys: [Key: Set<Key>], _ manifests: ManifestSet) -> String {
        let own = (keys[item.domain] ?? []).sorted().map(\.string)
        let domains = keys.filter { $0.value.contains(item.key) }.keys.sorted().map(\.string)
        let name =
            Suggestion.nearest(to: item.key.string, among: own)
            ?? manifests.suggestion(domain: item.domain, key: item.key)
            ?? Suggestion.nearest(to: item.domain.string, among: domains)
        return name.map { "; \(Printable.escape($0)) is probably meant" } ?? ""
    }
}

/// Finds absent entries and seals without effect, because NSGlobalDomain forces a value of the key.
///
/// A value in any forced domain wins against an absent entry.
struct LintGlobalDomain {
    /// The keys that NSGlobalDomain forces, with the places of the entries.
    private typealias Winners = [Key: [(file: LintFile, position: Position)]]

    private(set) var findings: [Diagnostic] = []
    private static let name: Key = "NSGlobalDomain"

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
                        "\"\(Printable.escape(entry.key.string))\" of \(Printable.escape(entry.domain.string)) (no value)"
                            + " never wins: \(winner)"))
            }
        }
        check(seals: files, forced)
    }

    /// Reports seals that do not make unlisted keys absent.
    private mutating func check(seals files: [LintFile], _ forced: Winners) {
        let seals = files.flatMap { file in file.policy.seals.map { (file: file, seal: $0) } }
            .filter { $0.seal.domain != LintGlobalDomain.name }
        if seals.isEmpty { return }
        // Keys listed for the domain itself are decided there, or are reported as entries.
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

    /// Why a value of NSGlobalDomain always wins when a file applies, as a clause; `nil` if it may lose.
    private static func winner(of key: Key, _ forced: Winners, _ file: LintFile) -> String? {
        let winner = forced[key]?.first { $0.file.target.covers(file.target) || $0.file === file }
        return winner.map {
            "\($0.file.place($0.position)) forces a value of the key in NSGlobalDomain for everybody this file applies to,"
                + " and a value comes before none"
        }
    }
}
