import MDPlatform
import MDPolicyModel
import MDPropertyList

/// Reads one data file of common settings: what is wrong is a problem at its line, and the rest counts.
struct CommonSettingsFile {
    /// The settings of this file and those before it.
    private(set) var settings: [Key: CommonSetting]
    /// The mistakes; the path is that beneath the root.
    private(set) var problems: [Diagnostic] = []
    /// The mistakes by their offset.
    private var faults: [SettingTemplate.ReadError] = []
    /// The domains of each group.
    private var groups: [Key: [Key]] = [:]
    /// Whether policy is written for the programs of a domain.
    private let isWritten: (Key) -> Bool

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: its content.
    ///   - path: its path beneath the root.
    ///   - settings: what earlier files say.
    ///   - isWritten: whether policy is written for the programs of a domain.
    init(_ bytes: [UInt8], _ path: String, after settings: [Key: CommonSetting], isWritten: @escaping (Key) -> Bool) {
        (self.settings, self.isWritten) = (settings, isWritten)
        func problem(_ position: Position, _ message: String) -> Diagnostic {
            Diagnostic(file: path, position: position, code: .programData, message: Printable.escape(message))
        }
        do throws(PropertyListError) {
            let document = try JSONReader.readForeign(try SourceText(decoding: bytes))
            problems = document.warnings.map { problem($0.position, $0.message) }
            read(try document.rootEntries())
            problems += faults.map { problem(document.position(of: $0.offset), $0.message) }
        } catch {
            problems.append(problem(error.position, error.message))
        }
    }

    private mutating func fault(_ offset: Int, _ message: String) {
        faults.append(SettingTemplate.ReadError(offset: offset, message: message))
    }

    private mutating func read(_ members: [Node.Entry]) {
        for member in members where member.key == "Groups" {
            for group in entries(of: member.value) { groups[group.key] = domains(of: group.value) }
        }
        for member in members where member.key != "Groups" {
            guard member.key == "Settings" else {
                fault(member.keyOffset, "\(member.key) is unknown here")
                continue
            }
            for setting in entries(of: member.value) { read(setting) }
        }
    }

    /// Reads one setting.
    private mutating func read(_ entry: Node.Entry) {
        var type = settings[entry.key]?.type
        var programs: [Node.Entry] = []
        for member in entries(of: entry.value) {
            switch (member.key, member.value.content) {
            case ("Type", .scalar(.string(let word))):
                guard let own = CommonSetting.ValueType(rawValue: word), type ?? own == own else {
                    return fault(member.value.offset, "\(word) is no type, or not that of other files")
                }
                type = own
            case ("Title", .scalar(.string)): continue
            case ("Programs", _): programs = entries(of: member.value)
            default: fault(member.keyOffset, "\(member.key) is wrong here")
            }
        }
        guard let type else { return fault(entry.keyOffset, "\(entry.key) has no Type") }
        var setting = settings[entry.key] ?? CommonSetting(type: type)
        // What a file says of a single program counts more than what it says of a group.
        for part in programs.filter({ groups[$0.key] != nil }) + programs.filter({ groups[$0.key] == nil }) {
            if groups[part.key] == nil, !requireWritten(part.key, at: part.keyOffset) { continue }
            let templates = templates(of: part.value)
            for domain in groups[part.key] ?? [part.key] {
                // A mistake takes nothing away from what earlier files say of the same key.
                let earlier = setting.programs[domain] ?? []
                let known = templates.compactMap { key, template in
                    (template ?? earlier.first { $0.key == key }?.template).map { (key: key, template: $0) }
                }
                if !known.isEmpty { setting.programs[domain] = known }
            }
        }
        settings[entry.key] = setting
    }

    /// What keys become; `nil` for a template with a mistake.
    private mutating func templates(of node: Node) -> [(key: Key, template: SettingTemplate?)] {
        var templates: [(key: Key, template: SettingTemplate?)] = []
        for member in entries(of: node) {
            do throws(SettingTemplate.ReadError) {
                templates.append((member.key, try SettingTemplate(member.value, isWhole: true)))
            } catch {
                faults.append(error)
                templates.append((member.key, nil))
            }
        }
        return templates
    }

    /// The domains of a group.
    private mutating func domains(of node: Node) -> [Key] {
        guard let elements = node.elements else {
            fault(node.offset, "this is no array")
            return []
        }
        var domains: [Key] = []
        for element in elements {
            guard case .scalar(.string(let text)) = element.content else {
                fault(element.offset, "this is no string")
                continue
            }
            if requireWritten(Key(text), at: element.offset) { domains.append(Key(text)) }
        }
        return domains
    }

    /// Reports a domain whose programs get no policy written: commands would call its keys forced, and programs not.
    private mutating func requireWritten(_ domain: Key, at offset: Int) -> Bool {
        if isWritten(domain) { return true }
        fault(
            offset, "no program that policy is written for has the domain \(domain): mdefaults programs list names them"
        )
        return false
    }

    private mutating func entries(of node: Node) -> [Node.Entry] {
        if let entries = node.entries { return entries }
        fault(node.offset, "this is no object")
        return []
    }
}
