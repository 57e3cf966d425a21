import Platform
import PropertyList

/// Makes policy of an Apple profile.
///
/// What is forced in it is forced here; what is set once or in each session is set so; what belongs to macOS itself is
/// named in a warning and does not make the file fail. Strings are taken as they stand: variables are those of policy
/// files, and a profile has none. Of a key that stands twice, the last value counts, as Apple's readers have it.
struct ProfileParser {
    /// A setting, and where it came from.
    struct Setting {
        /// How strongly it holds.
        let level: Level
        /// The domain it belongs to.
        let domain: Key
        /// The key and its value in the file.
        let entry: Node.Entry
        /// How often it is written, where it is set once.
        var rule = SetOnceRule.eachVersion
        /// Whether it was given for this host alone, ahead of those for any host.
        var isByHost = false
        /// Whether lists of several sources are joined.
        var isUnion = false
    }

    /// Where an earlier setting of the same key stands.
    private struct Slot: Hashable {
        /// How strongly it holds.
        let level: Level
        /// The domain.
        let domain: Key
        /// The key.
        let key: Key
    }

    /// The path as people are shown it.
    let shownPath: String
    /// The path beneath the root.
    let path: String
    /// What was read.
    let reading: TolerantReading
    /// Tells places.
    private var cursor: PositionCursor
    /// The findings so far.
    private(set) var diagnostics: [Diagnostic] = []
    /// How many findings there are, those beyond the limit included.
    private(set) var findings = 0
    /// Whether one of them is an error.
    private(set) var hasErrors = false
    /// The settings so far.
    private(set) var settings: [Setting] = []
    /// Where the settings of each key are.
    private var slots: [Slot: Int] = [:]
    /// The scalars whose text could not be read, and which were reported or are of no concern.
    private var settled: Set<Int> = []

    /// Makes a parser of what was read.
    init(_ reading: TolerantReading, path: String, shownPath: String) {
        self.reading = reading
        self.path = path
        self.shownPath = shownPath
        cursor = PositionCursor(reading.document)
    }

    /// The place of an offset, for whoever goes through the settings in their order.
    ///
    /// Places of findings, which are few, are told by the document, so that the cursor never stands behind a setting.
    mutating func position(of offset: Int) -> Position { cursor.position(of: offset) }

    /// Adds a finding at an offset.
    mutating func report(_ code: LintCode, at offset: Int, _ message: String, severity: Severity = .error) {
        findings += 1
        if severity == .error { hasErrors = true }
        guard findings <= PolicyParser.findingLimit else { return }
        diagnostics.append(
            Diagnostic(
                file: shownPath, position: reading.document.position(of: offset), severity: severity, code: code,
                message: message))
    }

    /// Adds a warning at an offset.
    mutating func warn(_ code: LintCode, at offset: Int, _ message: String) {
        report(code, at: offset, message, severity: .warning)
    }

    /// Reports a value of the wrong type.
    mutating func reportType(_ node: Node, _ name: String, expected: String) {
        if let mistake = reading.unreadable[node.offset] {
            settled.insert(node.offset)
            let message = Printable.escape(mistake.message) + ProfileParser.hint(node)
            return report(LintCode(mistake.code), at: mistake.position.offset, message)
        }
        report(.wrongType, at: node.offset, "\(name) must be \(expected), not \(node.noun)")
    }

    /// Adds a setting, or puts it in the place of an earlier one of the same key.
    mutating func add(_ setting: Setting) {
        let (key, offset) = (setting.entry.key, setting.entry.keyOffset)
        let shown = Printable.escape(key.string)
        if let mistake = PolicyName.keyMistake(key) {
            return report(.invalidKey, at: offset, "the key \"\(shown)\" \(mistake)")
        }
        checkName(key.string, "the key", at: offset)
        check(setting.entry.value, of: shown)
        let slot = Slot(level: setting.level, domain: setting.domain, key: key)
        guard let index = slots[slot] else {
            slots[slot] = settings.count
            settings.append(setting)
            return
        }
        let earlier = settings[index]
        if setting.isUnion, earlier.isUnion, let first = earlier.entry.value.elements,
            let second = setting.entry.value.elements
        {
            let joined = Node(.array(first + second), offset: earlier.entry.value.offset)
            settings[index] = Setting(
                level: setting.level, domain: setting.domain,
                entry: Node.Entry(key: key, keyOffset: earlier.entry.keyOffset, value: joined), rule: setting.rule,
                isByHost: setting.isByHost, isUnion: true)
            return
        }
        // What is for one host alone is looked up before what is for any.
        let laterWins = setting.isByHost || !earlier.isByHost
        if earlier.entry.value.value != setting.entry.value.value {
            // Beyond the findings that are shown, nobody reads the place.
            let isShown = findings < PolicyParser.findingLimit
            let place = isShown ? reading.document.position(of: earlier.entry.keyOffset) : .start
            let domain = Printable.escape(setting.domain.string)
            let winner = laterWins ? "the later one counts" : "that one, for this host alone, counts"
            warn(
                .conflictingValues, at: offset,
                "the profile gives \"\(shown)\" of \(domain) another value at \(place); \(winner)")
        }
        if laterWins { settings[index] = setting }
    }

    /// Reports what cannot be read within a value, and marks that a template left in it.
    private mutating func check(_ node: Node, of key: String) {
        switch node.content {
        case .scalar(let value):
            if let mistake = reading.unreadable[node.offset] {
                settled.insert(node.offset)
                return report(
                    LintCode(mistake.code), at: mistake.position.offset,
                    "the value of \"\(key)\": \(Printable.escape(mistake.message))\(ProfileParser.hint(node))")
            }
            guard case .string(let text) = value, let mark = Placeholder.first(in: text) else { return }
            warn(
                .placeholder, at: node.offset,
                "the value of \"\(key)\" holds \(Printable.escape(mark)), which \(Placeholder.words); here it stands as"
                    + " it is")
        case .array(let nodes): for node in nodes { check(node, of: key) }
        case .dictionary(let entries): for entry in entries { check(entry.value, of: key) }
        }
    }

    /// Warns of a mark that a template left in a name, which is used as it is.
    mutating func checkName(_ name: String, _ noun: String, at offset: Int) {
        if let mark = Placeholder.first(in: name) {
            warn(
                .placeholder, at: offset,
                "\(noun) holds \(Printable.escape(mark)), which \(Placeholder.words); here it stands as it is")
        } else if let first = name.utf8.first, let last = name.utf8.last, first == 0x20 || last == 0x20 {
            warn(
                .invalidValue, at: offset,
                "\(noun) begins or ends with a blank, which is part of it: \"\(Printable.escape(name))\"")
        } else if let unseen = Unseen.first(in: name) {
            warn(
                .invalidValue, at: offset,
                "\(noun) holds \(unseen), which looks like a blank or like nothing, and is part of it:"
                    + " \"\(Printable.escape(name))\"")
        }
    }

    /// What is added where a text that cannot be read holds a mark of a template.
    static func hint(_ node: Node) -> String {
        guard case .scalar(.string(let text)) = node.content, let mark = Placeholder.first(in: text) else { return "" }
        return "; \(Printable.escape(mark)) \(Placeholder.words)"
    }

    /// Takes it that scalars within a value cannot be read, because nobody needs them.
    mutating func settle(_ node: Node) {
        guard !reading.unreadable.isEmpty else { return }
        switch node.content {
        case .scalar: settled.insert(node.offset)
        case .array(let nodes): for node in nodes { settle(node) }
        case .dictionary(let entries): for entry in entries { settle(entry.value) }
        }
    }

    /// Reports the scalars that cannot be read and that nothing was said of, wherever they stand.
    mutating func reportUnreadable() {
        for (offset, mistake) in reading.unreadable.sorted(by: { $0.key < $1.key }) where !settled.contains(offset) {
            report(LintCode(mistake.code), at: mistake.position.offset, Printable.escape(mistake.message))
        }
    }
}
