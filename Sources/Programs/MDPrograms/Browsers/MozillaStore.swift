import MDPlatform
import MDPropertyList

/// What users of Firefox and Thunderbird have stored in the profiles of the program.
extension MozillaFamily {
    /// The preference that a policy locks at its own value, of policies whose value is that of a preference.
    ///
    /// Source: `browser/components/enterprisepolicies/Policies.sys.mjs`, where each of these passes its parameter on.
    static let ownPreferences: [Key: Key] = [
        "AutofillAddressEnabled": "extensions.formautofill.addresses.enabled",
        "AutofillCreditCardEnabled": "extensions.formautofill.creditCards.enabled",
        "CaptivePortal": "network.captive-portal-service.enabled",
        "DownloadDirectory": "browser.download.dir",
        "ExtensionUpdate": "extensions.update.enabled",
        "NewTabPage": "browser.newtabpage.enabled",
        "OfferToSaveLogins": "signon.rememberSignons",
        "PasswordManagerEnabled": "signon.rememberSignons",
        "PrintingEnabled": "print.enabled",
        "SearchSuggestEnabled": "browser.search.suggest.enabled",
        "StartDownloadsInTempDirectory": "browser.download.start_downloads_in_tmp_dir",
        "TranslateEnabled": "browser.translations.enable",
        "UseSystemPrintDialog": "print.prefer_system_dialog",
    ]

    /// A preference that an entry locks.
    private struct Locked {
        let entry: ProgramEntry
        let value: Value
    }

    package func stored(for policy: ProgramPolicy, in store: UserStore) -> [StoredSetting] {
        var locked: [Key: [Locked]] = [:]
        for entry in policy.entries {
            guard case .forced(let value) = entry.level else { continue }
            for (name, value) in lockedPreferences(entry, value) {
                locked[name, default: []].append(Locked(entry: entry, value: value))
            }
        }
        if locked.isEmpty { return [] }
        let files = userFolders.flatMap { folder in
            ["prefs.js", "user.js"].flatMap { store.files(named: $0, inFoldersOf: folder) }
        }
        return files.flatMap { file in
            UserPreferences.values(in: file.bytes) { locked[$0] != nil }.flatMap { name, value in
                (locked[name] ?? []).map { item in
                    StoredSetting(
                        item.entry, value: value, file: file.path, isEqual: Requirement.isMet(item.value, by: value))
                }
            }
        }
    }

    /// The preferences that an entry locks, with their values.
    private func lockedPreferences(_ entry: ProgramEntry, _ value: Value) -> [(Key, Value)] {
        if let name = MozillaFamily.ownPreferences[entry.key] { return [(name, value)] }
        // With further pages the preference has all of them in one text.
        if entry.key == "Homepage__URL" { return [("browser.startup.homepage", value)] }
        if entry.key == "Homepage", case .dictionary(let parts) = value, let page = parts["URL"],
            parts["Additional"] == nil, parts["StartPage"] != .string("none")
        {
            return [("browser.startup.homepage", page)]
        }
        return MozillaWitness.preferences(of: Requirement(entry, in: self, for: .everybody, root: .system))
            .compactMap { preference in
                guard preference.status == "locked", let value = preference.value else { return nil }
                return (preference.name, value)
            }
    }
}

/// The lines `user_pref("name", value);` of a profile.
enum UserPreferences {
    /// What a line begins with.
    private static let begin = Array("user_pref(\"".utf8)
    /// The most bytes of a line that is read.
    private static let lineLimit = 64 << 10

    /// Reads some preferences; what is not a string, number or boolean is left out, as what JSON cannot have.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - isWanted: whether a name is looked for.
    /// - Returns: the last value of each, in byte order of their names.
    static func values(in bytes: [UInt8], where isWanted: (Key) -> Bool) -> [(Key, Value)] {
        var found: [Key: Value] = [:]
        for line in bytes.split(separator: 0x0a) where line.starts(with: begin) && line.count <= lineLimit {
            let rest = line.dropFirst(begin.count)
            guard let end = rest.firstIndex(of: 0x22), let close = rest.lastIndex(of: UInt8(ascii: ")")), end < close
            else { continue }
            let name = Key(String(decoding: rest[..<end], as: UTF8.self))
            guard isWanted(name) else { continue }
            let text = rest[(end + 1)..<close].drop { $0 == 0x20 || $0 == UInt8(ascii: ",") }
            let object = try? PlainJSON.object(Array("{\"v\":".utf8) + text + [UInt8(ascii: "}")])
            if let value = object?["v"] { found[name] = value }
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
