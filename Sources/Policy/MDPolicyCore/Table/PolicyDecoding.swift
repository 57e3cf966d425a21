import MDPlatform
import MDPolicyModel
import MDPropertyList

/// Reads the parts of a policy file from a compiled table; `PolicyEncoding.swift` has the counterpart of each function.
extension TableReader {
    /// Reads an optional value.
    mutating func optional<Content>(
        _ read: (inout TableReader) throws(StoredFileError) -> Content
    ) throws(StoredFileError) -> Content? {
        try truth() ? try read(&self) : nil
    }

    mutating func moment() throws(StoredFileError) -> Timestamp {
        Timestamp(microseconds: Int64(bitPattern: try long()))
    }

    /// Reads the head of a policy file: its identity and target, without its content.
    mutating func head() throws(StoredFileError) -> PolicyFile {
        let identifier = try text()
        let version = try optional { reader throws(StoredFileError) in try reader.integer() }
        let summary = try text()
        let contact = try text()
        let isEnforced = try truth()
        let onOverride: OverrideMode = try truth() ? .shadow : .refuse
        let path = try text()
        let digest = try digest()
        let temporary = try optional { reader throws(StoredFileError) in try reader.temporary() }
        var target: Target?
        if try truth() {
            let include = try clauses()
            let except = try clauses()
            let schedule = try optional { reader throws(StoredFileError) in
                var items: [ScheduleItem] = []
                for _ in 0..<(try reader.count()) { items.append(try reader.scheduleItem()) }
                return items
            }
            let notBefore = try optional { reader throws(StoredFileError) in try reader.moment() }
            let notAfter = try optional { reader throws(StoredFileError) in try reader.moment() }
            target = Target(
                include: include, except: except, schedule: schedule, notBefore: notBefore, notAfter: notAfter)
        }
        return PolicyFile(
            identifier: identifier, version: version, summary: summary, contact: contact, target: target,
            enforced: isEnforced, onOverride: onOverride, temporary: temporary, path: path, digest: digest)
    }

    /// Reads the field `Temporary`.
    private mutating func temporary() throws(StoredFileError) -> Temporary {
        let kind: Temporary.Kind = try truth() ? .grant : .exam
        let set = try optional { reader throws(StoredFileError) in Key(try reader.text()) }
        let until = try optional { reader throws(StoredFileError) in try reader.moment() }
        let by = try text()
        let reason = try text()
        let digest = try optional { reader throws(StoredFileError) in try reader.digest() }
        return Temporary(kind: kind, set: set, until: until, by: by, reason: reason, digest: digest)
    }

    /// Reads an item of a schedule.
    private mutating func scheduleItem() throws(StoredFileError) -> ScheduleItem {
        if try truth() {
            let name = Key(try text())
            return .calendar(name, position: try position())
        }
        return .window(try window())
    }

    /// Reads a window.
    mutating func window() throws(StoredFileError) -> Window {
        let bits = try byte()
        let days = Weekday.allCases.filter { bits >> UInt8($0.rawValue) & 1 == 1 }
        let (from, to) = (try index(), try index())
        guard bits < 0x80, !days.isEmpty, from < 86_400, (1...86_400).contains(to), from != to else {
            throw StoredFileError("a window is none")
        }
        let zone = try optional { reader throws(StoredFileError) in Key(try reader.text()) }
        return Window(days: Set(days), from: from, to: to, timeZone: zone, position: try position())
    }

    /// Reads the metadata of a key.
    mutating func metadata() throws(StoredFileError) -> KeyMetadata {
        var metadata = KeyMetadata(title: try text(), description: try text())
        for _ in 0..<(try count()) { metadata.controls.append(try text()) }
        metadata.isSensitive = try truth()
        return metadata
    }

    /// Reads the rest of an entry after its level.
    mutating func entry(
        _ level: Level, domain: Key, key: Key, origin: Origin
    ) throws(StoredFileError) -> PolicyEntry {
        let hasVariables = try truth()
        let rule = level == .setOnce ? try rule() : .eachVersion
        let value = try optional { reader throws(StoredFileError) in try reader.node() }
        guard (value == nil) == (level == .absent) else {
            throw StoredFileError("an entry has no value, or one too many")
        }
        return PolicyEntry(
            level: level, domain: domain, key: key, value: value, hasVariables: hasVariables, rule: rule,
            origin: origin)
    }

    /// Reads how often a set-once entry is written.
    private mutating func rule() throws(StoredFileError) -> SetOnceRule {
        switch try byte() {
        case 0: return .eachVersion
        case 1: return .eachSession
        case 2: return .eachStamp(try text())
        default: throw StoredFileError("a rule is none")
        }
    }

    /// Reads a constraint.
    mutating func constraint() throws(StoredFileError) -> Constraint {
        let minimum = try optional { reader throws(StoredFileError) in try reader.node().value }
        let maximum = try optional { reader throws(StoredFileError) in try reader.node().value }
        let oneOf = try optional { reader throws(StoredFileError) in
            guard case .array(let values) = try reader.node().value else { throw StoredFileError("a choice is none") }
            return values
        }
        let pattern = try optional { reader throws(StoredFileError) in
            let text = try reader.text()
            do {
                return try ConstraintPattern(text)
            } catch {
                throw StoredFileError("a pattern is none")
            }
        }
        return Constraint(minimum: minimum, maximum: maximum, oneOf: oneOf, pattern: pattern)
    }

    /// Reads a combination operator.
    mutating func combine() throws(StoredFileError) -> CombineOperator {
        guard let combine = CombineOperator(rawValue: try text()) else { throw StoredFileError("an operator is none") }
        return combine
    }

    /// Reads a waiver, and its index among those of its file.
    mutating func waiver(domain: Key, key: Key, origin: Origin) throws(StoredFileError) -> (Waiver, ordinal: Int) {
        let ordinal = try index()
        let clauses = try clauses()
        let until = try optional { reader throws(StoredFileError) in try reader.moment() }
        let reason = try text()
        let waiver = Waiver(
            clauses: clauses, domain: domain, key: key, until: until, reason: reason, approvedBy: try text(),
            origin: origin)
        return (waiver, ordinal)
    }
}

extension TableReader {
    /// Reads the clauses of a target, with the ids of their names.
    mutating func clauses() throws(StoredFileError) -> Target.Clauses {
        let users = try items()
        let groups = try items()
        var hosts: [HostPattern]?
        if try truth() {
            var patterns: [HostPattern] = []
            for _ in 0..<(try count()) {
                let position = try position()
                guard let pattern = HostPattern(try text(), position: position) else {
                    throw StoredFileError("a host pattern is none")
                }
                patterns.append(pattern)
            }
            hosts = patterns
        }
        return Target.Clauses(users: users, groups: groups, hosts: hosts, tags: try items())
    }

    /// Reads a clause of names, each with its id.
    private mutating func items() throws(StoredFileError) -> [TargetName]? {
        guard try truth() else { return nil }
        var items: [TargetName] = []
        for _ in 0..<(try count()) {
            let position = try position()
            let name = Key(try text())
            let state: AccountIDs.State = try truth() ? .id(try word()) : .unknown
            items.append(TargetName(name, position: position, state: state))
        }
        return items
    }
}
