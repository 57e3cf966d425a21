package import MDPolicyCore
import MDPolicyModel
package import MDPropertyList

/// A key of a program that a common setting became for one user.
package struct SettingMeaning: Sendable {
    /// The entry that counts there.
    package let entry: ResolvedEntry
    /// Whether it is what the setting says, and not something else.
    package let isInForce: Bool
}

extension ResultantSet {
    /// What a common setting became, by domain and key in byte order; empty for any other key.
    ///
    /// Complexity: linear in all entries.
    ///
    /// - Parameters:
    ///   - setting: the key.
    ///   - domain: its domain.
    ///   - settings: what settings mean, to name also the keys of the setting that only something else forces.
    /// - Returns: the keys of programs.
    package func meanings(of setting: Key, in domain: Key, by settings: CommonSettings? = nil) -> [SettingMeaning] {
        guard domain == CommonSettings.domain else { return [] }
        func isMade(_ entry: ResolvedEntry) -> Bool {
            entry.origin.source.setting == setting || entry.contributors.contains { $0.source.setting == setting }
        }
        let made: [SettingMeaning] = entries.compactMap { entry in
            // Two settings may say the same of a program's key.
            let loser = entry.losers.first { $0.origin.source.setting == setting }
            guard isMade(entry) || loser != nil else { return nil }
            if !entry.level.isForcing, let forced = forcedEntry(domain: entry.domain, key: entry.key) {
                return isMade(forced) ? nil : SettingMeaning(entry: forced, isInForce: false)
            }
            let isInForce = isMade(entry) || loser.map { $0.level == entry.level && $0.value == entry.value } ?? false
            return SettingMeaning(entry: entry, isInForce: isInForce)
        }
        let others = settings?.settings[setting]?.keys.compactMap { domain, key, _ in
            forced[domain]?[key]
        }.filter { other in !made.contains { $0.entry.domain == other.domain && $0.entry.key == other.key } }
        return (made + (others ?? []).map { SettingMeaning(entry: $0, isInForce: false) }).sorted {
            ($0.entry.domain, $0.entry.key) < ($1.entry.domain, $1.entry.key)
        }
    }
}
