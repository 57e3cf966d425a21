import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
package import MDPropertyList
import MDTools

/// A conversion of other systems' files to one policy file, with everything that was lost.
package struct Conversion: Sendable {
    /// An entry of the policy file and its source.
    struct Entry: Sendable {
        let level: Level
        let domain: Key
        let key: Key
        let value: Value
        /// The place in the source.
        let place: String
        /// Whether lists of several files are combined.
        var isUnion = false
    }

    /// The stamp of an entry that is set once.
    struct Stamp: Sendable {
        /// The stamp as written in the profile.
        let text: String
        let key: Key
        let place: String
        /// The identifier of the profile; `nil` if that cannot have been in force here.
        let policy: String?

        /// The version that corresponds to the stamp.
        var version: Int64? { SetOnceRule.version(ofStamp: text) }
    }

    /// The identity of an entry.
    private struct Slot: Hashable {
        let level: Level
        let domain: Key
        let key: Key
    }

    /// The options.
    let options: ConversionOptions
    /// The files with their detected kinds.
    private(set) var sources: [String] = []
    /// The entries in order.
    private(set) var entries: [Entry] = []
    /// The index of each entry.
    private var slots: [Slot: Int] = [:]
    /// The losses and changes, each with its place.
    package private(set) var losses: [String] = []
    /// What was taken for granted and loses nothing, each with its place.
    package private(set) var notes: [String] = []
    /// The identifier from a file.
    var identifier: String?
    /// The version from a file.
    var version: Integer?
    /// The description from a file.
    var summary = ""
    /// The contact from a file.
    var contact = ""
    var notAfter: Timestamp?
    /// The stamps of set-once entries, in order.
    var stamps: [Stamp] = []
    /// The first file's name without its suffix.
    private var firstStem = ""

    /// Converts files in order; if several have one key, the last counts.
    ///
    /// - Parameters:
    ///   - inputs: the files.
    ///   - options: the options.
    ///   - unread: the paths of other files in the same folder, which were not read.
    /// - Throws: why a file cannot be read.
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
            let detected = options.kind ?? ConversionKind.detect(input)
            if detected.map({ $0 == .keyfile || $0 == .locks }) ?? true,
                let (line, message) = Keyfile.objection(to: input.bytes)
            {
                throw ConversionError(
                    message, path: input.path, position: Position(line: line, column: 1, offset: 0))
            }
            guard let kind = detected else {
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
        for path in unread { reportLoss("this was not read; name it if it is policy", at: Printable.escape(path)) }
        if !keyfiles.isEmpty || !locks.isEmpty { try addKeyfiles(keyfiles, locks: locks) }
        settleStamps()
    }

    /// The domains of the entries, in their order.
    package var domains: [Key] {
        entries.reduce(into: []) { domains, entry in
            if !domains.contains(entry.domain) { domains.append(entry.domain) }
        }
    }

    /// Refuses files with different ends, because the resulting file has one end.
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

    /// Refuses a file that is a policy file already, unless the caller gives another kind.
    func requireForeign(_ root: [Node.Entry], of input: ConversionInput) throws(ConversionError) {
        guard options.kind == nil, root.contains(where: { $0.key.string == PolicyField.identifier.rawValue }),
            root.contains(where: { $0.value.entries != nil && PolicyField(rawValue: $0.key.string) != nil })
        else { return }
        throw ConversionError("this is a policy file already, and needs no conversion", path: input.path)
    }

    /// The words for a kind.
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

    /// Reports a loss.
    mutating func reportLoss(_ message: String, at place: String) { losses.append("\(place): \(message)") }

    /// Reports what was taken for granted.
    mutating func note(_ message: String, at place: String) { notes.append("\(place): \(message)") }

    /// Reports that a file has more findings than are listed.
    mutating func reportMoreFindings(_ input: ConversionInput) {
        reportLoss(
            "there may be more warnings about how the file is written than are listed here",
            at: Printable.escape(input.path))
    }

    /// Adds an entry, or replaces an earlier one of the same key.
    mutating func add(_ entry: Entry) {
        let (domain, key) = (Printable.escape(entry.domain.string), Printable.escape(entry.key.string))
        if let reason = PolicyName.domainError(entry.domain) {
            return reportLoss("the domain \"\(domain)\" \(reason); \"\(key)\" is left out", at: entry.place)
        }
        if let reason = PolicyName.keyError(entry.key) {
            return reportLoss("a key of \(domain) \(reason) and is left out", at: entry.place)
        }
        let slot = Slot(level: entry.level, domain: entry.domain, key: entry.key)
        guard let index = slots[slot] else {
            slots[slot] = entries.count
            entries.append(entry)
            return
        }
        if entries[index].value != entry.value {
            reportLoss(
                "\"\(key)\" of \(domain) has another value here, which counts",
                at: "\(entry.place), \(entries[index].place)")
        }
        entries[index] = entry
    }

    /// The identifier of the policy file.
    ///
    /// - Throws: if the requested identifier is invalid.
    func chosenIdentifier() throws(ConversionError) -> String {
        if let asked = options.identifier {
            guard let reason = PolicyName.identifierError(asked) else { return asked }
            throw ConversionError(
                "the identifier \"\(Printable.escape(asked))\" \(reason)", path: "--identifier", isUsage: true)
        }
        if let identifier, PolicyName.identifierError(identifier) == nil { return identifier }
        let words = (identifier ?? firstStem).utf8.split { byte in
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            return !isLetter && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) && byte != UInt8(ascii: "_")
        }
        let name = String(decoding: Array(words.joined(separator: [UInt8(ascii: "-")])).prefix(200), as: UTF8.self)
        return "converted.\(name.isEmpty ? "policy" : name)"
    }
}

/// Why a file could not be converted at all.
package struct ConversionError: Error, Sendable, CustomStringConvertible {
    /// The path for messages.
    package let path: String
    package let position: Position
    /// The message, without place and full stop.
    package let message: String
    /// Whether an option of the command line can supply what is missing.
    package let isUsage: Bool

    init(_ message: String, path: String, position: Position = .start, isUsage: Bool = false) {
        self.message = message
        self.path = path
        self.position = position
        self.isUsage = isUsage
    }

    /// `file:line:column: message`; for a usage error `file: message`.
    package var description: String {
        if isUsage { return "\(path): \(message)" }
        return position.isBinary ? "\(path): \(position): \(message)" : "\(path):\(position): \(message)"
    }
}

/// The options of a conversion.
package struct ConversionOptions: Sendable {
    /// The kind of every file; `nil` to detect it.
    package var kind: ConversionKind?
    /// The identifier of the policy; `nil` to use that of the profile, or make one from the first file's name.
    package var identifier: String?
    /// The domain of files that do not say it; `nil` to use the file name, or Chromium's domain.
    package var domain: Key?
    /// Whether Chromium's policies are only recommended; `nil` to decide by the folder.
    package var isRecommended: Bool?
    /// The installed schemas, to find that of a folder of dconf.
    package var schemas: [DconfSchema] = []

    /// Why ``domain`` cannot be the name of a domain, as a clause; `nil` if it can.
    package var domainError: String? { domain.flatMap { PolicyName.domainError($0) } }

    package init(
        kind: ConversionKind? = nil, identifier: String? = nil, domain: Key? = nil, isRecommended: Bool? = nil
    ) {
        self.kind = kind
        self.identifier = identifier
        self.domain = domain
        self.isRecommended = isRecommended
    }
}
