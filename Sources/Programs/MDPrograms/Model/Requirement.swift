import MDPlatform
import MDPropertyList
import MDTools

/// What one entry becomes in a program's own words, for comparing it with what the program says.
struct Requirement {
    /// A setting of the program.
    struct Setting {
        /// The program's own name.
        let name: Key
        /// The value; of a dictionary those members that the entry gives.
        let value: Value
    }

    let entry: ProgramEntry
    /// The settings, in byte order of their names.
    let settings: [Setting]
    /// Why the program does not carry the entry out, as a clause; `nil` if it does.
    let obstacle: String?
    /// Why the program does not know what the entry names, as a clause; `nil` if it does.
    let unknown: String?
    /// What of the entry is a first state only, as a clause; `nil` if nothing is.
    let firstState: String?

    /// Asks the program's rendering what an entry alone becomes.
    init(_ entry: ProgramEntry, in program: some Program, for audience: Audience, root: Root) {
        self.entry = entry
        let rendering = program.render(ProgramPolicy([entry]), for: audience, in: root)
        var settings: [Setting] = []
        for file in rendering.files {
            var members: [Key: Value] = [:]
            switch file.content {
            case .bytes(let bytes): members = (try? PlainJSON.object(bytes)) ?? [:]
            case .members(_, let own): members = own
            case .lines, .block, .channel, .items, .profile, .rules: continue
            }
            settings += members.map { Setting(name: $0.key, value: $0.value) }
        }
        self.settings = settings.sorted { $0.name < $1.name }
        func message(_ kind: ProgramFinding.Kind) -> String? { rendering.findings.first { $0.kind == kind }?.message }
        obstacle = message(.unsupported) ?? (settings.isEmpty ? "\(program.title) gets nothing of it" : nil)
        (unknown, firstState) = (message(.notKnown), message(.firstState))
    }

    /// Whether the user may change the value.
    var isDefault: Bool {
        if case .recommended = entry.level { true } else { false }
    }

    /// Whether a value has everything that is required.
    ///
    /// Programs add members, and write addresses with the slash that people leave out.
    static func isMet(_ required: Value, by actual: Value) -> Bool {
        switch (required, actual) {
        case (.dictionary(let required), .dictionary(let actual)):
            required.allSatisfy { name, value in actual[name].map { isMet(value, by: $0) } ?? false }
        case (.array(let required), .array(let actual)):
            required.count == actual.count && zip(required, actual).allSatisfy { isMet($0, by: $1) }
        case (.string(let required), .string(let actual)) where TextSearch.isPresent("://", in: required):
            required == actual || "\(required)/" == actual
        default: required == actual
        }
    }
}
