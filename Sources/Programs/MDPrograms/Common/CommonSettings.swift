package import MDPlatform
package import MDPropertyList
import MDTools

/// What the keys of the common domain mean to programs, as the data files of the package and of administrators say.
package struct CommonSettings: Sendable {
    /// The domain of settings that many programs have.
    package static let domain: Key = "org.manageddefaults.common"
    /// The package's files.
    static let shipped = "/usr/share/managed-defaults/programs"
    /// The administrators' files, which add to the package's and replace what they say of a program's setting.
    static let local = "/etc/managed-defaults/programs"
    /// The most bytes of a file.
    private static let sizeLimit = 1 << 20

    /// A setting.
    struct CommonSetting: Sendable {
        /// The type of its values.
        let type: ValueType
        /// What it becomes, by the programs' domains: the keys in order.
        var programs: [Key: [(key: Key, template: SettingTemplate)]] = [:]
    }

    /// The types of values; the raw value is the word in a file.
    enum ValueType: String {
        case boolean, integer, string, strings, dictionary, dictionaries

        /// Whether a value is of the type.
        func fits(_ value: Value) -> Bool {
            switch (self, value) {
            case (.boolean, .boolean), (.integer, .integer), (.string, .string), (.dictionary, .dictionary): true
            case (.strings, .array(let elements)): elements.allSatisfy(ValueType.string.fits)
            case (.dictionaries, .array(let elements)): elements.allSatisfy(ValueType.dictionary.fits)
            default: false
            }
        }

        /// What a value has to be, for people.
        var noun: String {
            switch self {
            case .boolean: "a boolean"
            case .integer: "an integer"
            case .string: "a string"
            case .strings: "an array of strings"
            case .dictionary: "a dictionary"
            case .dictionaries: "an array of dictionaries"
            }
        }
    }

    private(set) var settings: [Key: CommonSetting] = [:]

    /// Why nothing of the package is known of any setting, as a clause; `nil` if it is.
    private(set) var gap: String?

    /// Reads the files; the package's own are those of the running system where a folder that is used as `/` has none.
    ///
    /// Such a folder may be without any: then no setting of the package is known.
    ///
    /// - Throws: a clause, if a file cannot be read, is not trusted or has an error, or if the running system lacks the
    ///   package's files.
    package init(root: Root) throws(CommonSettingsError) {
        let home = root.isSystem || root.mayExist(CommonSettings.shipped) ? root : .system
        if home.mayExist(CommonSettings.shipped) {
            try read(CommonSettings.shipped, in: home)
        } else {
            let clause = "there is no \(CommonSettings.shipped), which says what they mean"
            if root.isSystem { throw CommonSettingsError(clause) }
            gap = clause
        }
        if root.mayExist(CommonSettings.local) { try read(CommonSettings.local, in: root) }
    }

    /// Reads files alone, without those of a machine.
    init(_ documents: [(name: String, bytes: [UInt8])]) throws(CommonSettingsError) {
        for document in documents { try read(document.bytes, document.name) }
    }

    /// Reads the files of a folder in byte order of their names.
    private mutating func read(_ folder: String, in root: Root) throws(CommonSettingsError) {
        var documents: [(name: String, bytes: [UInt8])] = []
        do throws(TrustError) {
            let directory = try root.trustedDirectory(folder)
            for name in try directory.names() where name.utf8.suffix(5).elementsEqual(".json".utf8) {
                if name.utf8.first == UInt8(ascii: ".") { continue }
                let file = try directory.read(name, limit: CommonSettings.sizeLimit)
                documents.append((root.display("\(folder)/\(name)"), file.bytes))
            }
        } catch {
            throw CommonSettingsError("\(error)")
        }
        for document in documents { try read(document.bytes, document.name) }
    }

    // MARK: One file

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: its content.
    ///   - name: its path as people are shown it.
    /// - Throws: the first error, with its place.
    private mutating func read(_ bytes: [UInt8], _ name: String) throws(CommonSettingsError) {
        do {
            let document = try JSONReader.readForeign(try SourceText(decoding: bytes))
            if let warning = document.warnings.first { throw warning }
            do {
                try read(try document.rootEntries())
            } catch let error as SettingTemplate.ReadError {
                throw CommonSettingsError("\(name):\(document.position(of: error.offset)): \(error.message)")
            }
        } catch let error as CommonSettingsError {
            throw error
        } catch {
            throw CommonSettingsError("\(name):\(error)")
        }
    }

    private mutating func read(_ members: [Node.Entry]) throws {
        var groups: [Key: [Key]] = [:]
        for member in members where member.key == "Groups" {
            for group in try CommonSettings.entries(of: member.value) {
                groups[group.key] = try CommonSettings.strings(of: group.value).map { Key($0) }
            }
        }
        for member in members where member.key != "Groups" {
            guard member.key == "Settings" else {
                throw SettingTemplate.ReadError(offset: member.keyOffset, message: "\(member.key) is unknown here")
            }
            for setting in try CommonSettings.entries(of: member.value) {
                try read(setting, groups)
            }
        }
    }

    /// Reads one setting of a file.
    private mutating func read(_ entry: Node.Entry, _ groups: [Key: [Key]]) throws {
        var known = settings[entry.key]
        var programs: Node?
        for member in try CommonSettings.entries(of: entry.value) {
            switch (member.key, member.value.content) {
            case ("Type", .scalar(.string(let word))):
                guard let type = ValueType(rawValue: word), known?.type ?? type == type else {
                    throw SettingTemplate.ReadError(
                        offset: member.value.offset, message: "\(word) is no type, or not that of other files")
                }
                if known == nil { known = CommonSetting(type: type) }
            case ("Title", .scalar(.string)): continue
            case ("Programs", _): programs = member.value
            default:
                throw SettingTemplate.ReadError(offset: member.keyOffset, message: "\(member.key) is wrong here")
            }
        }
        guard var setting = known else {
            throw SettingTemplate.ReadError(offset: entry.keyOffset, message: "\(entry.key) has no Type")
        }
        let parts = try programs.map(CommonSettings.entries) ?? []
        // What a file says of a single program counts more than what it says of a group.
        for part in parts.filter({ groups[$0.key] != nil }) + parts.filter({ groups[$0.key] == nil }) {
            let templates = try CommonSettings.entries(of: part.value).map { member in
                (key: member.key, template: try SettingTemplate(member.value, isWhole: true))
            }
            for domain in groups[part.key] ?? [part.key] { setting.programs[domain] = templates }
        }
        settings[entry.key] = setting
    }

    private static func entries(of node: Node) throws -> [Node.Entry] {
        guard let entries = node.entries else {
            throw SettingTemplate.ReadError(offset: node.offset, message: "this is no object")
        }
        return entries
    }

    private static func strings(of node: Node) throws -> [String] {
        guard let elements = node.elements else {
            throw SettingTemplate.ReadError(offset: node.offset, message: "this is no array")
        }
        return try elements.map { element in
            guard case .scalar(.string(let text)) = element.content else {
                throw SettingTemplate.ReadError(offset: element.offset, message: "this is no string")
            }
            return text
        }
    }
}

/// Why it is not known what common settings mean.
package struct CommonSettingsError: Error, CustomStringConvertible {
    /// A clause, with the place of an error in a file.
    package let description: String

    init(_ description: String) { self.description = description }
}
