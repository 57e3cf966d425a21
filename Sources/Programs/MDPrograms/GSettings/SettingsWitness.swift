import MDPlatform
import MDPropertyList

/// GLib and dconf, asked by `gsettings` for the value of each key and whether it may be written.
struct SettingsWitness: Witness {
    let program: GSettings

    /// The tool.
    private static let tool = "/usr/bin/gsettings"
    /// dconf as in a session of the user, whose own database is an empty one.
    private static let variables = ["GSETTINGS_BACKEND=dconf"]

    func testify(
        about policy: ProgramPolicy, for audience: Audience, at place: borrowing WitnessPlace
    ) throws(WitnessError) -> Testimony {
        var testimony = Testimony()
        let builder = SettingsBuilder(of: policy, for: program)
        for entry in policy.entries {
            if let finding = builder.findings.first(where: { $0.origin == entry.origin && $0.key == entry.key }) {
                if finding.kind == .idle { continue }
                testimony.answers.append(WitnessAnswer(entry, .unsupported, note: finding.message))
                continue
            }
            testimony.answers.append(try answer(entry, policy, at: place))
        }
        return testimony
    }

    /// Asks for the key of an entry, or for all keys of a sealed domain.
    private func answer(
        _ entry: ProgramEntry, _ policy: ProgramPolicy, at place: borrowing WitnessPlace
    ) throws(WitnessError) -> WitnessAnswer {
        var builder = SettingsBuilder(of: ProgramPolicy([]), for: program)
        guard case .success(let target) = builder.target(of: entry.domain) else {
            return WitnessAnswer(entry, .unsupported)
        }
        let schema = target.schema.path == nil ? "\(target.schema.id):\(target.folder)" : target.schema.id
        if entry.level == .sealed {
            let free = policy.unsealed[entry.domain] ?? []
            for name in target.schema.keys where !free.contains(Key(name)) {
                if policy.entry(domain: entry.domain, key: Key(name)) != nil { continue }
                guard try says("writable", schema, name, at: place) == "false" else {
                    return WitnessAnswer(entry, .differs, note: "the user may change \(name)")
                }
            }
            return WitnessAnswer(entry, .enforced)
        }
        let name = entry.key.string
        guard let text = try says("get", schema, name, at: place),
            let writable = try says("writable", schema, name, at: place)
        else { return WitnessAnswer(entry, .error, note: "gsettings knows no such key") }
        return SettingsWitness.answer(entry, wanted: wanted(entry, target.schema.key(name)), text, writable)
    }

    /// The value that an entry asks for; `nil` where any is good.
    private func wanted(_ entry: ProgramEntry, _ key: SettingsKey?) -> GVariant? {
        switch entry.level {
        case .forced(let value), .recommended(let value): try? key?.checked(value)
        case .constraint(let constraint): key?.values(allowedBy: constraint)?.first
        default: nil
        }
    }

    /// What the two words of the tool say about an entry.
    static func answer(
        _ entry: ProgramEntry, wanted: GVariant?, _ text: String, _ writable: String
    ) -> WitnessAnswer {
        let isDefault = if case .recommended = entry.level { true } else { false }
        let value = wanted.flatMap { Key($0.text) == Key(text) ? $0.value : nil } ?? .string(text)
        if let wanted, Key(wanted.text) != Key(text) { return WitnessAnswer(entry, .differs, value: value) }
        if isDefault { return WitnessAnswer(entry, .isDefault, value: value) }
        if writable == "false" { return WitnessAnswer(entry, .enforced, value: value) }
        return WitnessAnswer(entry, .differs, value: value, note: "the user may change it")
    }

    /// Asks the tool; `nil` if it knows no such key.
    private func says(
        _ word: String, _ schema: String, _ key: String, at place: borrowing WitnessPlace
    ) throws(WitnessError) -> String? {
        guard
            let output = try place.output(
                SettingsWitness.tool, [word, schema, key], variables: SettingsWitness.variables)
        else { return nil }
        return String(decoding: output.last == 0x0a ? output.dropLast() : output[...], as: UTF8.self)
    }
}

extension SettingsBuilder {
    /// The database of a policy on this machine.
    fileprivate init(of policy: ProgramPolicy, for program: GSettings) {
        self.init(schemas: program.schemas ?? InstalledSchemas(root: .system), program: program)
        add(policy)
    }
}

extension GSettings {
    package var witness: (any Witness)? { SettingsWitness(program: self) }
}
