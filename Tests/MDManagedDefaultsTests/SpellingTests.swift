import Foundation
import MDPropertyList
import MDTestSupport
import ManagedDefaults
import Testing

/// Another spelling is not another key: whatever is written under a variant of a forced key, by whichever writer, a lookup
/// of the key gives what is forced, and the variant is a key of its own.
struct SpellingTests {
    /// The ways by which values come in.
    enum Writer: CaseIterable {
        /// `set(_:forKey:)`.
        case set
        /// `setPersistentDomain(_:forName:)` for the application's domain.
        case domain
        /// The same for the domain in another spelling, added as a suite.
        case suite
        /// `register(defaults:)`.
        case registration
        /// A volatile domain in the search list.
        case volatile
        /// The command line of the program.
        case argument
        /// A preference file.
        case file
        /// A preference file for this host.
        case hostFile
        /// Foundation's preference file for a host without a name.
        case foundationHostFile
        /// The global domain's preference file.
        case globalFile
        /// `mdefaults write`.
        case write
        /// `mdefaults import`.
        case `import`
    }

    /// The keys that are forced, composed and decomposed letters, letters with odd cases, dots and words of languages.
    static let keys = [
        "HomePage", "Caf\u{e9}", "Cafe\u{301}", "\u{212b}ngstr\u{f6}m", "ISTIDI", "stra\u{df}e", "menu.title",
    ]

    /// Variants of a key, none of them its bytes.
    static func variants(of key: String) -> [String] {
        let made = [
            key.uppercased(), key.lowercased(), key.capitalized, key.precomposedStringWithCanonicalMapping,
            key.decomposedStringWithCanonicalMapping, key.precomposedStringWithCompatibilityMapping,
            key.applyingTransform(.fullwidthToHalfwidth, reverse: true) ?? key,
            key.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: Locale(identifier: "tr")),
            "\(key)-de", "\(key).de", "\(key)_de_CH", "de.lproj/\(key)", "\(key).\(machine)", "\(key) ", " \(key)",
            "\(key)\u{200d}", "\(key)\u{0}", "\u{feff}\(key)", "NSGlobalDomain.\(key)", "org.example.Browser.\(key)",
        ]
        var seen: Set<Data> = [Data(key.utf8)]
        return made.filter { seen.insert(Data($0.utf8)).inserted }
    }

    /// The machine's identifier, which the names of files for one host have.
    static let machine = "0123456789abcdef0123456789abcdef"

    /// Policy that forces all keys.
    private static var policy: String {
        let entries = keys.map { "\"\($0)\": \"forced \($0)\"" }.joined(separator: ", ")
        return "{ \"Identifier\": \"org.example.lab\", \"Forced\": { \"org.example.Browser\": { \(entries) } } }"
    }

    /// A property list with one entry.
    private static func list(_ key: String) throws -> [UInt8] {
        try BinaryWriter.write(.dictionary([MDPropertyList.Key(key): .string("variant")]))
    }

    /// Writes a variant, and opens the application's defaults.
    private static func write(_ variant: String, by writer: Writer, _ machine: TemporaryMachine) throws
        -> ManagedDefaults
    {
        let domain = TemporaryMachine.application
        switch writer {
        case .set:
            let defaults = try machine.open()
            defaults.set("variant", forKey: variant)
            return defaults
        case .domain:
            let defaults = try machine.open()
            defaults.setPersistentDomain([variant: "variant"], forName: domain)
            return defaults
        case .suite:
            let defaults = try machine.open()
            for name in [domain.lowercased(), domain + "-de", domain.uppercased()] {
                defaults.setPersistentDomain([variant: "variant"], forName: name)
                defaults.addSuite(named: name)
            }
            return defaults
        case .registration:
            let defaults = try machine.open()
            defaults.register(defaults: [variant: "variant"])
            return defaults
        case .volatile:
            let defaults = try machine.open()
            defaults.setVolatileDomain([variant: "variant"], forName: "org.example.browser.volatile")
            defaults.searchList = ["org.example.browser.volatile"] + defaults.searchList
            return defaults
        case .argument: return try machine.open(arguments: ["program", "-\(variant)", "variant"])
        case .file, .hostFile, .foundationHostFile, .globalFile:
            let name =
                switch writer {
                case .hostFile: "ByHost/\(domain).\(SpellingTests.machine).plist"
                case .foundationHostFile: "ByHost/\(domain)..plist"
                case .globalFile: ".GlobalPreferences.plist"
                default: "\(domain).plist"
                }
            try machine.write(bytes: try list(variant), to: "home/pupil/.config/\(name)")
            return try machine.open()
        case .write, .import:
            var words = ["--root", machine.path, "--user", "pupil"]
            if writer == .write {
                words += ["write", domain, variant, "variant"]
            } else {
                try machine.write(bytes: try list(variant), to: "import.plist")
                words += ["import", domain, machine.path + "/import.plist"]
            }
            _ = try machine.command(words)
            return try machine.open()
        }
    }

    @Test(arguments: Writer.allCases, keys)
    func `no variant reaches a lookup of the key`(_ writer: Writer, _ key: String) throws {
        let isProcess = writer == .write || writer == .import
        let machine = try TemporaryMachine(policy: SpellingTests.policy)
        try machine.write(SpellingTests.machine + "\n", to: "etc/machine-id")
        // A process each takes its time, so those writers take turns among the variants; in a sample all of them do.
        let turns = isProcess ? 5 : Sweeping.times == 1 ? 3 : 1
        let turn = key.utf8.count + (Writer.allCases.firstIndex(of: writer) ?? 0)
        for (number, variant) in SpellingTests.variants(of: key).enumerated() where number % turns == turn % turns {
            if isProcess || writer == .argument, variant.utf8.contains(0) { continue }
            let defaults = try SpellingTests.write(variant, by: writer, machine)
            #expect(defaults.string(forKey: key) == "forced \(key)", "\(variant)")
            #expect(defaults.objectIsForced(forKey: key), "\(variant)")
            // A variant may be another of the keys.
            let isForced = SpellingTests.keys.contains { Data($0.utf8) == Data(variant.utf8) }
            #expect(defaults.objectIsForced(forKey: variant) == isForced, "\(variant)")
            let bytes = MDPropertyList.Key(key)
            for (other, value) in defaults.dictionaryRepresentation() where MDPropertyList.Key(other) == bytes {
                #expect(value as? String == "forced \(key)")
            }
        }
    }

    @Test(arguments: keys)
    func `in a sealed domain no variant has a value either`(_ key: String) throws {
        let policy = """
            { "Identifier": "org.example.lab", "Sealed": ["org.example.Browser"],
              "Forced": { "org.example.Browser": { "\(key)": 1 } } }
            """
        for variant in SpellingTests.variants(of: key) {
            let machine = try TemporaryMachine(policy: policy)
            try machine.write(
                bytes: try SpellingTests.list(variant), to: "home/pupil/.config/\(TemporaryMachine.application).plist")
            let defaults = try machine.open()
            #expect(defaults.object(forKey: variant) == nil, "\(variant)")
            #expect(defaults.objectIsForced(forKey: variant), "\(variant)")
            #expect(defaults.integer(forKey: key) == 1)
        }
    }
}
