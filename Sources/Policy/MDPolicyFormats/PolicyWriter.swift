package import MDPlatform
package import MDPolicyModel
package import MDPropertyList

/// Writes a policy file of any format as equivalent JSON.
package struct PolicyWriter {
    /// Content that the JSON of a policy file cannot express.
    package struct Refusal: Error {
        /// The content, as a clause.
        package let reason: String

        package init(reason: String) {
            self.reason = reason
        }
    }

    /// The fields in the order of the output.
    package let fields: [(field: PolicyField, value: Value)]

    /// Makes a writer of given fields.
    package init(_ fields: [(field: PolicyField, value: Value)]) {
        self.fields = fields
    }

    /// Makes a writer of a policy file.
    ///
    /// - Parameters:
    ///   - policy: the file.
    ///   - temporary: the field `Temporary` of the written file, which also makes it `Enforced`; `nil` to write the
    ///     file unchanged.
    /// - Throws: an error if the file has content that JSON cannot express.
    package init(_ policy: PolicyFile, temporary: Temporary? = nil) throws(Refusal) {
        var fields: [(field: PolicyField, value: Value)] = [(.identifier, .string(policy.identifier))]
        /// Appends a field, unless it is empty.
        func add(_ field: PolicyField, _ value: Value?) {
            if let value { fields.append((field, value)) }
        }
        add(.version, policy.version.map { .integer($0) })
        add(.description, PolicyWriter.text(policy.summary))
        add(.contact, PolicyWriter.text(policy.contact))
        add(.temporary, temporary.map(PolicyWriter.value))
        add(.enforced, policy.enforced || temporary != nil ? .boolean(true) : nil)
        add(.target, policy.target.map(PolicyWriter.value))
        add(.onOverride, policy.onOverride == .refuse ? nil : .string(policy.onOverride.rawValue))
        for (level, field) in [(Level.forced, PolicyField.forced), (.recommended, .recommended), (.setOnce, .setOnce)] {
            let entries = policy.entries.filter { $0.level == level }
            if level == .setOnce { try PolicyWriter.requireVersions(entries) }
            add(
                field,
                PolicyWriter.domains(
                    entries.compactMap { entry in
                        guard let value = entry.value?.value else { return nil }
                        return (entry.domain, entry.key, entry.hasVariables ? value : PolicyWriter.literal(value))
                    }))
        }
        add(.absent, PolicyWriter.absent(policy.entries.filter { $0.level == .absent }))
        add(.sealed, policy.seals.isEmpty ? nil : .array(policy.seals.map { .string($0.domain.string) }))
        add(
            .constraints,
            PolicyWriter.domains(policy.constraints.map { ($0.domain, $0.key, PolicyWriter.value($0.constraint)) }))
        add(
            .combine,
            PolicyWriter.domains(policy.combine.map { ($0.domain, $0.key, .string($0.combine.rawValue)) }))
        add(.waivers, policy.waivers.isEmpty ? nil : .array(policy.waivers.map(PolicyWriter.value)))
        if !policy.calendars.isEmpty {
            let calendars = policy.calendars.map { ($0.name, Value.array($0.windows.map(PolicyWriter.value))) }
            add(.calendars, .dictionary(Dictionary(calendars) { first, _ in first }))
        }
        let acknowledged = policy.acknowledged.map {
            (domain: Key(LintAcknowledgement.field), key: Key($0.code.rawValue), value: Value.string($0.reason))
        }
        add(
            .metadata,
            PolicyWriter.domains(
                policy.metadata.map { ($0.domain, $0.key, PolicyWriter.value($0)) } + acknowledged))
        self.fields = fields
    }

    /// The JSON, ended by a line feed.
    package var bytes: [UInt8] {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        for (field, value) in fields {
            json.member(field.rawValue)
            json.exactValue(value)
        }
        json.endObject()
        return json.utf8 + [0x0a]
    }

    /// The field `Temporary`.
    package static func value(_ temporary: Temporary) -> Value {
        dictionary([
            (TemporaryField.kind.rawValue, .string(temporary.kind.rawValue)),
            (TemporaryField.set.rawValue, temporary.set.map { .string($0.string) }),
            (TemporaryField.until.rawValue, temporary.until.map { .string(time($0)) }),
            (TemporaryField.by.rawValue, text(temporary.by)),
            (TemporaryField.reason.rawValue, text(temporary.reason)),
            (TemporaryField.digest.rawValue, temporary.digest.map { .string($0.hex) }),
        ])
    }

    /// A value whose strings are literal: every `${`, which begins a variable, is escaped as `$${`.
    package static func literal(_ value: Value) -> Value {
        switch value {
        case .string(let text):
            guard Template.isNeeded(for: text) else { return value }
            var bytes: [UInt8] = []
            let source = Array(text.utf8)
            for (index, byte) in source.enumerated() {
                if byte == UInt8(ascii: "$"), index + 1 < source.count, source[index + 1] == UInt8(ascii: "{") {
                    bytes.append(byte)
                }
                bytes.append(byte)
            }
            return .string(String(decoding: bytes, as: UTF8.self))
        case .array(let elements): return .array(elements.map(literal))
        case .dictionary(let entries): return .dictionary(entries.mapValues(literal))
        default: return value
        }
    }

    /// A time, in whole seconds if it has no fraction.
    package static func time(_ time: Timestamp) -> String {
        let text = time.rfc3339
        let fraction = ".000000Z"
        return text.utf8.suffix(fraction.utf8.count).elementsEqual(fraction.utf8)
            ? "\(String(Substring(text.utf8.dropLast(fraction.utf8.count))))Z" : text
    }
}

extension PolicyWriter {
    /// Throws an error if entries of a profile are set once in each session or for each stamp.
    private static func requireVersions(_ entries: [PolicyEntry]) throws(Refusal) {
        guard let entry = entries.first(where: { $0.rule != .eachVersion }) else { return }
        let often = entry.rule == .eachSession ? "in each session" : "for each stamp"
        throw Refusal(
            reason:
                "it sets \(entry.key.string) of \(entry.domain.string) once \(often), and a policy file in JSON sets"
                + " a key once for each Version")
    }

    /// A text; `nil` for an empty one.
    private static func text(_ text: String) -> Value? { text.isEmpty ? nil : .string(text) }

    /// A dictionary of the members with a value.
    private static func dictionary(_ members: [(name: String, value: Value?)]) -> Value {
        var dictionary: [Key: Value] = [:]
        for (name, value) in members { dictionary[Key(name)] = value }
        return .dictionary(dictionary)
    }

    /// Domains, keys and values; `nil` if there are none.
    private static func domains(_ items: [(domain: Key, key: Key, value: Value)]) -> Value? {
        var domains: [Key: [Key: Value]] = [:]
        for (domain, key, value) in items { domains[domain, default: [:]][key] = value }
        return domains.isEmpty ? nil : .dictionary(domains.mapValues { .dictionary($0) })
    }

    /// Domains and their absent keys.
    private static func absent(_ entries: [PolicyEntry]) -> Value? {
        var domains: [Key: [Value]] = [:]
        for entry in entries { domains[entry.domain, default: []].append(.string(entry.key.string)) }
        return domains.isEmpty ? nil : .dictionary(domains.mapValues { .array($0) })
    }

    /// A target.
    private static func value(_ target: Target) -> Value {
        let except = clauses(target.except)
        return dictionary(
            clauses(target.include) + [
                (TargetField.except.rawValue, target.except.isEmpty ? nil : dictionary(except)),
                (TargetField.schedule.rawValue, target.schedule.map { .array($0.map(value)) }),
                (TargetField.notBefore.rawValue, target.notBefore.map { .string(time($0)) }),
                (TargetField.notAfter.rawValue, target.notAfter.map { .string(time($0)) }),
            ])
    }

    /// The clauses that were given.
    private static func clauses(_ clauses: Target.Clauses) -> [(name: String, value: Value?)] {
        /// The items of a clause.
        func items(_ names: [String]?) -> Value? { names.map { .array($0.map { .string($0) }) } }
        return [
            (TargetField.users.rawValue, items(clauses.users?.map(\.name.string))),
            (TargetField.groups.rawValue, items(clauses.groups?.map(\.name.string))),
            (TargetField.hosts.rawValue, items(clauses.hosts?.map(\.text))),
            (TargetField.tags.rawValue, items(clauses.tags?.map(\.name.string))),
        ]
    }

    /// An item of a schedule.
    private static func value(_ item: ScheduleItem) -> Value {
        switch item {
        case .window(let window): value(window)
        case .calendar(let name, _): .string(name.string)
        }
    }

    /// A window.
    private static func value(_ window: Window) -> Value {
        let days = Weekday.allCases.filter(window.days.contains)
        return dictionary([
            (WindowField.days.rawValue, .array(days.map { .string($0.word) })),
            (WindowField.from.rawValue, .string(TimeOfDay.text(window.from))),
            (WindowField.to.rawValue, .string(TimeOfDay.text(window.to))),
            (WindowField.timeZone.rawValue, window.timeZone.map { .string($0.string) }),
        ])
    }

    /// A constraint.
    private static func value(_ constraint: Constraint) -> Value {
        dictionary([
            (ConstraintField.minimum.rawValue, constraint.minimum),
            (ConstraintField.maximum.rawValue, constraint.maximum),
            (ConstraintField.oneOf.rawValue, constraint.oneOf.map { .array($0) }),
            (ConstraintField.pattern.rawValue, constraint.pattern.map { .string($0.text) }),
        ])
    }

    /// A waiver.
    private static func value(_ waiver: Waiver) -> Value {
        dictionary(
            clauses(waiver.clauses) + [
                (WaiverField.domain.rawValue, .string(waiver.domain.string)),
                (WaiverField.key.rawValue, .string(waiver.key.string)),
                (WaiverField.until.rawValue, waiver.until.map { .string(time($0)) }),
                (WaiverField.reason.rawValue, text(waiver.reason)),
                (WaiverField.approvedBy.rawValue, text(waiver.approvedBy)),
            ])
    }

    /// The metadata of a key.
    private static func value(_ entry: MetadataEntry) -> Value {
        let metadata = entry.metadata
        return dictionary([
            (MetadataField.title.rawValue, text(metadata.title)),
            (MetadataField.description.rawValue, text(metadata.description)),
            (
                MetadataField.controls.rawValue,
                metadata.controls.isEmpty ? nil : .array(metadata.controls.map { .string($0) })
            ),
            (MetadataField.sensitive.rawValue, metadata.isSensitive ? .boolean(true) : nil),
            (
                MetadataField.programs.rawValue,
                entry.programs.isEmpty ? nil : .array(entry.programs.map { .string($0.text) })
            ),
            (MetadataField.severity.rawValue, entry.severity.map { .string($0.rawValue) }),
        ])
    }
}

extension Value {
    /// The type with its article, for messages.
    package var noun: String {
        switch self {
        case .string: "a string"
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .real: "a real"
        case .date: "a date"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }
}

extension Node {
    /// The type of the content with its article.
    package var noun: String {
        switch content {
        case .array: Value.array([]).noun
        case .dictionary: Value.dictionary([:]).noun
        case .scalar(let value): value.noun
        }
    }
}
