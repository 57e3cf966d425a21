import MDPropertyList

/// What common settings are for programs, from the words of the design alone: a file of its own beside the one that has
/// them, which says only what that file does not say itself at the same level.
enum NaiveCommon {
    /// A key of a program, the setting that it comes from, and what a value becomes; a forced value without one becomes
    /// no value if `isAbsent` says so.
    private struct Meaning: Sendable {
        let place: NaivePlace
        let setting: NaivePlace
        var isAbsent = false
        var isWhole = false
        let fill: @Sendable (Value) -> Value?
    }

    /// The domain of the settings.
    private static let domain = "org.manageddefaults.common"
    /// The keys of common settings and of programs.
    static let places = [domain, "org.kde.alpha", "org.kde.beta"].flatMap { domain in
        ["k0", "k1", "K1"].map { NaivePlace(domain: domain, key: $0) }
    }
    /// The domains that may be sealed.
    static let sealed = [domain, "org.kde.alpha"]
    /// The data file that says the same as ``meanings``.
    static let data = """
        { "Settings": {
            "k0": { "Type": "integer", "Programs": { "org.kde.alpha": { "k0": "$(value)", "K1": { "$times": -2 } } } },
            "k1": { "Type": "boolean", "Programs": {
                "org.kde.alpha": { "k1": { "$case": { "false": 7 } } }, "org.kde.beta": { "k1": "$absent" } } },
            "K1": { "Type": "dictionary", "Programs": {
                "org.kde.beta": { "k0": "$(value)", "K1": "$(value.k0)" } } } } }
        """

    private static let meanings: [Meaning] = {
        func at(_ domain: String, _ key: String) -> NaivePlace { NaivePlace(domain: domain, key: key) }
        @Sendable func integer(_ value: Value) -> Int64? {
            if case .integer(let number) = value { number.int64 } else { nil }
        }
        @Sendable func members(_ value: Value) -> [Key: Value]? {
            if case .dictionary(let all) = value { all } else { nil }
        }
        @Sendable func truth(_ value: Value) -> Bool? { if case .boolean(let truth) = value { truth } else { nil } }
        return [
            Meaning(place: at("org.kde.alpha", "k0"), setting: at(domain, "k0"), isWhole: true) {
                integer($0) == nil ? nil : $0
            },
            Meaning(place: at("org.kde.alpha", "K1"), setting: at(domain, "k0")) {
                integer($0).map { .integer(Integer($0 * -2)) }
            },
            Meaning(place: at("org.kde.alpha", "k1"), setting: at(domain, "k1")) {
                truth($0) == false ? .integer(7) : nil
            },
            Meaning(place: at("org.kde.beta", "k1"), setting: at(domain, "k1"), isAbsent: true) {
                truth($0) == nil ? nil : $0
            },
            Meaning(place: at("org.kde.beta", "k0"), setting: at(domain, "K1"), isWhole: true) {
                members($0) == nil ? nil : $0
            },
            Meaning(place: at("org.kde.beta", "K1"), setting: at(domain, "K1")) { members($0)?["k0"] },
        ]
    }()

    /// Each file, followed by what its common settings are.
    static func expanded(_ files: [NaiveFile]) -> [NaiveFile] { files.flatMap { [$0, made(of: $0)] } }

    private static func made(of file: NaiveFile) -> NaiveFile {
        var (forced, combine): ([NaivePlace: Value?], [NaivePlace: String]) = ([:], [:])
        var (recommended, setOnce): ([NaivePlace: Value], [NaivePlace: Value]) = ([:], [:])
        var waivers: [NaivePlace: NaiveTarget] = [:]
        for meaning in meanings {
            let (place, setting) = (meaning.place, meaning.setting)
            if file.forced[place] == nil, let entry = file.forced[setting] {
                if let value = entry {
                    if let filled = meaning.fill(value) { forced[place] = .some(meaning.isAbsent ? nil : filled) }
                } else {
                    forced[place] = .some(nil)
                }
            }
            if !meaning.isAbsent {
                if file.recommended[place] == nil {
                    recommended[place] = file.recommended[setting].flatMap(meaning.fill)
                }
                if file.setOnce[place] == nil { setOnce[place] = file.setOnce[setting].flatMap(meaning.fill) }
            }
            if meaning.isWhole { combine[place] = file.combine[setting] }
            waivers[place] = file.waivers[setting]
        }
        return NaiveFile(
            name: file.name, enforced: file.enforced, target: file.target, forced: forced, recommended: recommended,
            setOnce: setOnce, constraints: [:], combine: combine, seals: [], waivers: waivers, isMade: true)
    }
}
