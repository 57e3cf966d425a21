import Platform
import PropertyList

/// The words of policy in a compiled table; ``TableWriter`` has the counterpart of each.
extension TableReader {
    /// Takes what may be missing.
    mutating func optional<Content>(
        _ take: (inout TableReader) throws(TableError) -> Content
    ) throws(TableError) -> Content? {
        try truth() ? try take(&self) : nil
    }

    /// Takes a moment.
    mutating func moment() throws(TableError) -> Timestamp {
        Timestamp(microseconds: Int64(bitPattern: try long()))
    }

    /// Takes the head of a policy file: what it is and whom it is for, and nothing of what it says.
    mutating func head() throws(TableError) -> PolicyFile {
        let identifier = try text()
        let version = try optional { reader throws(TableError) in try reader.integer() }
        let summary = try text()
        let contact = try text()
        let isEnforced = try truth()
        let onOverride: OverrideMode = try truth() ? .shadow : .refuse
        let path = try text()
        let digest = try digest()
        let temporary = try optional { reader throws(TableError) in try reader.temporary() }
        var target: Target?
        if try truth() {
            let include = try clauses()
            let except = try clauses()
            let schedule = try optional { reader throws(TableError) in
                var items: [ScheduleItem] = []
                for _ in 0..<(try reader.count()) { items.append(try reader.scheduleItem()) }
                return items
            }
            let notBefore = try optional { reader throws(TableError) in try reader.moment() }
            let notAfter = try optional { reader throws(TableError) in try reader.moment() }
            target = Target(
                include: include, except: except, schedule: schedule, notBefore: notBefore, notAfter: notAfter)
        }
        return PolicyFile(
            identifier: identifier, version: version, summary: summary, contact: contact, target: target,
            enforced: isEnforced, onOverride: onOverride, temporary: temporary, path: path, digest: digest)
    }

    /// Takes what a file of temporary policy says of itself.
    private mutating func temporary() throws(TableError) -> Temporary {
        let kind: Temporary.Kind = try truth() ? .grant : .exam
        let set = try optional { reader throws(TableError) in Key(try reader.text()) }
        let until = try optional { reader throws(TableError) in try reader.moment() }
        let by = try text()
        let reason = try text()
        let digest = try optional { reader throws(TableError) in try reader.digest() }
        return Temporary(kind: kind, set: set, until: until, by: by, reason: reason, digest: digest)
    }

    /// Takes an item of a schedule.
    private mutating func scheduleItem() throws(TableError) -> ScheduleItem {
        if try truth() {
            let name = Key(try text())
            return .calendar(name, position: try position())
        }
        return .window(try window())
    }

    /// Takes a window.
    mutating func window() throws(TableError) -> Window {
        let bits = try byte()
        let days = Weekday.allCases.filter { bits >> UInt8($0.rawValue) & 1 == 1 }
        let (from, to) = (try index(), try index())
        guard bits < 0x80, !days.isEmpty, from < 86_400, (1...86_400).contains(to), from != to else {
            throw TableError("a window is none")
        }
        let zone = try optional { reader throws(TableError) in Key(try reader.text()) }
        return Window(days: Set(days), from: from, to: to, timeZone: zone, position: try position())
    }

    /// Takes what people are told about a key.
    mutating func metadata() throws(TableError) -> KeyMetadata {
        var metadata = KeyMetadata(title: try text(), description: try text())
        for _ in 0..<(try count()) { metadata.controls.append(try text()) }
        metadata.isSensitive = try truth()
        return metadata
    }

    /// Takes the rest of an entry of a level.
    mutating func entry(
        _ level: Level, domain: Key, key: Key, origin: Origin
    ) throws(TableError) -> PolicyEntry {
        let hasVariables = try truth()
        let rule = level == .setOnce ? try rule() : .eachVersion
        let value = try optional { reader throws(TableError) in try reader.node() }
        guard (value == nil) == (level == .absent) else { throw TableError("an entry has no value, or one too many") }
        return PolicyEntry(
            level: level, domain: domain, key: key, value: value, hasVariables: hasVariables, rule: rule,
            origin: origin)
    }

    /// Takes how often an entry is written.
    private mutating func rule() throws(TableError) -> SetOnceRule {
        switch try byte() {
        case 0: return .eachVersion
        case 1: return .eachSession
        case 2: return .eachStamp(try text())
        default: throw TableError("a rule is none")
        }
    }

    /// Takes a constraint.
    mutating func constraint() throws(TableError) -> Constraint {
        let minimum = try optional { reader throws(TableError) in try reader.node().value }
        let maximum = try optional { reader throws(TableError) in try reader.node().value }
        let oneOf = try optional { reader throws(TableError) in
            guard case .array(let values) = try reader.node().value else { throw TableError("a choice is none") }
            return values
        }
        let pattern = try optional { reader throws(TableError) in
            let text = try reader.text()
            do {
                return try ConstraintPattern(text)
            } catch {
                throw TableError("a pattern is none")
            }
        }
        return Constraint(minimum: minimum, maximum: maximum, oneOf: oneOf, pattern: pattern)
    }

    /// Takes the operator that joins forced entries.
    mutating func combine() throws(TableError) -> CombineOperator {
        guard let combine = CombineOperator(rawValue: try text()) else { throw TableError("an operator is none") }
        return combine
    }

    /// Takes a waiver, and its place among those of its file.
    mutating func waiver(domain: Key, key: Key, origin: Origin) throws(TableError) -> (Waiver, ordinal: Int) {
        let ordinal = try index()
        let clauses = try clauses()
        let until = try optional { reader throws(TableError) in try reader.moment() }
        let reason = try text()
        let waiver = Waiver(
            clauses: clauses, domain: domain, key: key, until: until, reason: reason, approvedBy: try text(),
            origin: origin)
        return (waiver, ordinal)
    }
}
