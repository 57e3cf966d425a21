import Platform
import PropertyList

/// Files of other systems on their way into one policy file, with everything that got lost on it.
package struct Conversion: Sendable {
    /// An entry of the policy file, and where it came from.
    struct Entry: Sendable {
        /// How strongly it holds.
        let level: Level
        /// The domain.
        let domain: Key
        /// The key.
        let key: Key
        /// The value.
        let value: Value
        /// The place that it came from.
        let place: String
        /// Whether lists of several files are joined.
        var isUnion = false
        /// The program that it was written for and that does not ask this library, where the file tells it.
        var program: OtherProgram?
    }

    /// The stamp of an entry that is set once.
    struct Stamp: Sendable {
        /// The stamp as the profile has it.
        let text: String
        /// The key.
        let key: Key
        /// The place of the entry.
        let place: String
        /// The identifier of the profile that has it; `nil` where that cannot have been in force here.
        let policy: String?

        /// The version that a stamp becomes.
        var version: Int64? { SetOnceRule.version(ofStamp: text) }
    }

    /// What tells one entry from another.
    private struct Slot: Hashable {
        /// How strongly it holds.
        let level: Level
        /// The domain.
        let domain: Key
        /// The key.
        let key: Key
    }

    /// What was asked for.
    let options: ConversionOptions
    /// The files and what each turned out to be.
    private(set) var sources: [String] = []
    /// The entries in order.
    private(set) var entries: [Entry] = []
    /// Where each entry is.
    private var slots: [Slot: Int] = [:]
    /// What could not be carried over, or changed on the way; each with its place.
    package private(set) var losses: [String] = []
    /// The identifier that a file brought.
    var identifier: String?
    /// The version that a file brought.
    var version: Integer?
    /// The description that a file brought.
    var summary = ""
    /// The contact that a file brought.
    var contact = ""
    /// When the policy ends.
    var notAfter: Timestamp?
    /// The stamps of what is set once, in order.
    var stamps: [Stamp] = []
    /// The first file's name without its suffix.
    private var firstStem = ""

    /// Converts some files, in their order; of one key in several, the last counts.
    ///
    /// - Parameters:
    ///   - inputs: the files.
    ///   - options: what was asked for.
    ///   - unread: the paths of what lies beside the files in their folder and was not read.
    /// - Throws: why a file cannot be read as what it is.
    package init(
        _ inputs: [ConversionInput], _ options: ConversionOptions, unread: [String] = []
    ) throws(ConversionError) {
        self.options = options
        firstStem = inputs.first?.stem ?? ""
        var keyfiles: [ConversionInput] = []
        var locks: [ConversionInput] = []
        var ends: [(path: String, end: Timestamp?)] = []
        for input in inputs {
            notAfter = nil
            guard let kind = options.kind ?? ConversionKind.detect(input) else {
                throw ConversionError(
                    "nobody can tell what this file is; --from says it", path: input.path)
            }
            guard input.bytes.count <= PolicyFile.limits.bytes else {
                throw ConversionError(
                    "the file is larger than the \(PolicyFile.limits.bytes) bytes that are read", path: input.path)
            }
            let isKeyfile = kind == .keyfile || kind == .locks
            sources.append("\(Printable.escape(input.path)) (\(Conversion.words(for: kind)))")
            switch kind {
            case .profile: try addProfile(input)
            case .propertyList, .fragment: try addPropertyList(input)
            case .chromium: try addChromium(input)
            case .firefox: try addFirefox(input)
            case .keyfile, .locks: break
            }
            if isKeyfile { kind == .locks ? locks.append(input) : keyfiles.append(input) }
            ends.append((Printable.escape(input.path), notAfter))
        }
        try requireOneEnd(ends)
        for path in unread { lose("this was not read; name it if it is policy", at: Printable.escape(path)) }
        if !keyfiles.isEmpty || !locks.isEmpty { try addKeyfiles(keyfiles, locks: locks) }
        settleStamps()
        losePrograms()
    }

    /// Says of the programs that do not ask this library that they obey nothing of this.
    private mutating func losePrograms() {
        var found: [(program: OtherProgram, place: String, domains: [Key])] = []
        for entry in entries {
            guard let program = entry.program ?? OtherProgram(owning: entry.domain) else { continue }
            if let index = found.firstIndex(where: { $0.program == program }) {
                if !found[index].domains.contains(entry.domain) { found[index].domains.append(entry.domain) }
            } else {
                found.append((program, entry.place, [entry.domain]))
            }
        }
        for item in found { lose(item.program.clause(about: item.domains), at: item.place) }
    }

    /// Refuses files of which one ends at another time than another, or never: the file that they become has one end.
    private func requireOneEnd(_ ends: [(path: String, end: Timestamp?)]) throws(ConversionError) {
        guard let ending = ends.first(where: { $0.end != nil }), let end = ending.end,
            let other = ends.first(where: { $0.end != end })
        else { return }
        let words = other.end.map { "ends at \(PolicyWriter.time($0))" } ?? "has no end"
        throw ConversionError(
            "it ends at \(PolicyWriter.time(end)), and \(other.path) \(words): one policy file cannot have both, so convert"
                + " them one by one",
            path: ending.path)
    }

    /// Refuses what is a policy file already, unless somebody says that it is something else.
    func requireForeign(_ root: [Node.Entry], of input: ConversionInput) throws(ConversionError) {
        guard options.kind == nil, root.contains(where: { $0.key.string == PolicyField.identifier.rawValue }),
            root.contains(where: { $0.value.entries != nil && PolicyField(rawValue: $0.key.string) != nil })
        else { return }
        throw ConversionError("this is a policy file already, and needs no conversion", path: input.path)
    }

    /// What a kind is called.
    private static func words(for kind: ConversionKind) -> String {
        switch kind {
        case .profile: "an Apple profile"
        case .propertyList: "managed preferences"
        case .fragment: "keys without a root"
        case .keyfile: "a keyfile of dconf"
        case .locks: "locks of dconf"
        case .chromium: "Chromium policies"
        case .firefox: "Firefox policies"
        }
    }

    /// Says that something was lost.
    mutating func lose(_ message: String, at place: String) { losses.append("\(place): \(message)") }

    /// Says that a file has more to be said of than is listed.
    mutating func loseMore(_ input: ConversionInput) {
        lose(
            "there may be more warnings about how the file is written than are listed here",
            at: Printable.escape(input.path))
    }

    /// Adds an entry, or puts it in the place of an earlier one of the same key.
    mutating func add(_ entry: Entry) {
        let (domain, key) = (Printable.escape(entry.domain.string), Printable.escape(entry.key.string))
        if let mistake = PolicyName.domainMistake(entry.domain) {
            return lose("the domain \"\(domain)\" \(mistake); \"\(key)\" is left out", at: entry.place)
        }
        if let mistake = PolicyName.keyMistake(entry.key) {
            return lose("a key of \(domain) \(mistake) and is left out", at: entry.place)
        }
        let slot = Slot(level: entry.level, domain: entry.domain, key: entry.key)
        guard let index = slots[slot] else {
            slots[slot] = entries.count
            entries.append(entry)
            return
        }
        if entries[index].value != entry.value {
            lose(
                "\"\(key)\" of \(domain) has another value here, which counts",
                at: "\(entry.place), \(entries[index].place)")
        }
        entries[index] = entry
    }

    /// The identifier of the policy file.
    ///
    /// - Throws: where the one asked for is none.
    func chosenIdentifier() throws(ConversionError) -> String {
        if let asked = options.identifier {
            guard let mistake = PolicyName.identifierMistake(asked) else { return asked }
            throw ConversionError(
                "the identifier \"\(Printable.escape(asked))\" \(mistake)", path: "--identifier", isUsage: true)
        }
        if let identifier, PolicyName.identifierMistake(identifier) == nil { return identifier }
        let words = (identifier ?? firstStem).utf8.split { byte in
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            return !isLetter && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) && byte != UInt8(ascii: "_")
        }
        let name = String(decoding: Array(words.joined(separator: [UInt8(ascii: "-")])).prefix(200), as: UTF8.self)
        return "converted.\(name.isEmpty ? "policy" : name)"
    }
}
