import MDPlatform
import MDPropertyList

/// What users of Firefox and Thunderbird have stored in the profiles of the program.
extension MozillaFamily {
    /// A preference that an entry locks.
    private struct Locked {
        let entry: ProgramEntry
        let value: Value
    }

    package func stored(for policy: ProgramPolicy, in store: inout UserStore) -> [StoredSetting] {
        var locked: [Key: [Locked]] = [:]
        for entry in policy.entries {
            guard case .forced(let value) = entry.level else { continue }
            for (name, value) in lockedPreferences(entry, value) {
                locked[name, default: []].append(Locked(entry: entry, value: value))
            }
        }
        if locked.isEmpty { return [] }
        var found: [StoredSetting] = []
        for folder in userFolders.flatMap({ store.folders(in: $0) }) {
            for name in ["prefs.js", "user.js"] {
                guard let file = store.file("\(folder)/\(name)") else { continue }
                for (name, value) in UserPreferences.values(in: file.bytes, where: { locked[$0] != nil }) {
                    found += (locked[name] ?? []).map { item in
                        StoredSetting(
                            item.entry, value: value, file: file.path, isEqual: Requirement.isMet(item.value, by: value)
                        )
                    }
                }
            }
        }
        return found
    }

    /// The preferences that an entry locks, with their values.
    private func lockedPreferences(_ entry: ProgramEntry, _ value: Value) -> [(Key, Value)] {
        // With further pages the preference has all of them in one text.
        if entry.key == "Homepage__URL" { return [("browser.startup.homepage", value)] }
        if entry.key == "Homepage", case .dictionary(let parts) = value, let page = parts["URL"],
            parts["Additional"] == nil, parts["StartPage"] != .string("none")
        {
            return [("browser.startup.homepage", page)]
        }
        // Each home is read by a process of its own, which needs no schema for this.
        var program = self
        program.schema = MozillaSchema.Source(.system, [])
        let requirement = Requirement(entry, in: program, for: .everybody, root: .system)
        return requirement.evidence(in: self).flatMap(\.own)
            + MozillaWitness.preferences(of: requirement).compactMap { preference in
                guard preference.status == "locked", let value = preference.value else { return nil }
                return (preference.name, value)
            }
    }
}
