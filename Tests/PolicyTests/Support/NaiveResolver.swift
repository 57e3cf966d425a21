import Platform
import PropertyList

@testable import Policy

/// A resolver that was written from the words of the design alone, one question at a time, slow and short.
struct NaiveResolver {
    /// The files, in order of application.
    let files: [PolicyFile]
    /// For whom, where and when.
    let subject: Subject

    /// Where an item of a policy file stands: its domain, its key and its file.
    typealias At<Item> = (file: PolicyFile, item: Item)

    /// Whether one of the given names is the subject's, where that is known; else what counts in its place.
    func matches(_ clauses: Target.Clauses, unknown: Bool, all: Bool) -> Bool {
        func id(_ table: [Key: NameTable.State], _ name: Key) -> UInt32? {
            if case .id(let id) = table[name] { id } else { nil }
        }
        let names = PolicyMaker.names
        let users = clauses.users.map { $0.contains { id(names.users, $0.name) == subject.uid } }
        let groups = clauses.groups.map { items in
            items.contains { id(names.groups, $0.name).map { ([subject.gid] + subject.groups).contains($0) } ?? false }
        }
        let hosts = clauses.hosts.map {
            $0.contains { $0.matches(subject.host.short) || $0.matches(subject.host.full) }
        }
        let tags = clauses.tags.map { $0.contains { subject.tags.contains($0.name) } }
        let answers = [
            subject.isIdentityKnown ? users : users.map { _ in unknown },
            subject.isIdentityKnown ? groups : groups.map { _ in unknown }, hosts,
            subject.areTagsKnown ? tags : tags.map { _ in unknown },
        ].compactMap(\.self)
        return all ? answers.allSatisfy(\.self) : answers.contains(true)
    }

    /// Whether a file is for the subject, now; with `surely`, beyond doubt.
    func applies(_ file: PolicyFile, surely: Bool = false) -> Bool {
        guard let target = file.target else { return true }
        let (now, clock) = (subject.moment.time, subject.moment.isClockBehind)
        return matches(target.include, unknown: !surely, all: true)
            && !matches(target.except, unknown: surely, all: false)
            && (clock || target.notBefore.map { now >= $0 } ?? true) && target.notAfter.map { now < $0 } ?? true
            && target.schedule.map { items in
                let windows = items.map(windows)
                return (!surely || windows.allSatisfy { $0 != nil })
                    && windows.contains { $0.map { $0.contains(where: isOpen) } ?? true }
            } ?? true
    }

    /// The windows of an item of a schedule; `nil` where there is no such calendar.
    func windows(_ item: ScheduleItem) -> [Window]? {
        switch item {
        case .window(let window): [window]
        case .calendar(let name, _):
            strongest(files.flatMap { file in file.calendars.filter { $0.name == name }.map { (file, $0) } })?.item
                .windows
        }
    }

    /// Whether a window of UTC is open now.
    func isOpen(_ window: Window) -> Bool {
        let seconds = Int(subject.moment.time.microseconds / 1_000_000)
        // The first of January 1970 was a Thursday.
        let (day, second) = ((seconds / 86_400 + 3) % 7, seconds % 86_400)
        func begins(_ day: Int) -> Bool { Weekday(rawValue: day).map { window.days.contains($0) } ?? false }
        if window.from < window.to { return begins(day) && second >= window.from && second < window.to }
        return begins(day) && second >= window.from || begins((day + 6) % 7) && second < window.to
    }

    /// The item that wins.
    func strongest<Item>(_ items: [At<Item>]) -> At<Item>? { items.first { $0.file.enforced } ?? items.last }

    /// The files that apply and that no waiver takes a key from.
    func standing(_ domain: Key, _ key: Key) -> [PolicyFile] {
        let waiving = files.filter { file in
            applies(file, surely: true)
                && file.waivers.contains { waiver in
                    waiver.domain == domain && waiver.key == key && !subject.moment.isClockBehind
                        && waiver.until.map { subject.moment.time < $0 } ?? true
                        && matches(waiver.clauses, unknown: false, all: true)
                }
        }
        return files.filter { file in
            applies(file) && !waiving.contains { $0.path == file.path || !file.enforced || $0.enforced }
        }
    }

    /// Whether a key is forced, and its value; `nil` as the value is an absent key.
    func forced(_ domain: Key, _ key: Key) -> (value: Value?, origins: Set<Origin>)? {
        let standing = standing(domain, key)
        var says: [At<PolicyEntry>] = standing.flatMap { file in
            file.entries.filter {
                $0.domain == domain && $0.key == key && ($0.level == .forced || $0.level == .absent)
            }.map { (file, $0) }
        }
        if let end = says.firstIndex(where: { $0.file.enforced }) { says = Array(says[...end]) }
        if let last = says.last {
            if last.item.level == .absent { return (nil, [last.item.origin]) }
            if let start = says.lastIndex(where: { $0.item.level == .absent }) { says.removeFirst(start + 1) }
            let operators = Set(
                files.filter { applies($0) && ($0.enforced || !last.file.enforced) }.flatMap(\.combine).filter {
                    $0.domain == domain && $0.key == key
                }
                .map(\.combine))
            if operators.count == 1, let combine = operators.first, combine != .replace {
                let fitting = says.map { ($0.item.value(for: subject), $0.item.origin) }
                    .compactMap { value, origin in value.flatMap { fits($0, combine) ? ($0, origin) : nil } }
                if fitting.last?.1 == last.item.origin {
                    return (join(fitting.map(\.0), combine), Set(fitting.map(\.1)))
                }
            }
            return (last.item.value(for: subject), [last.item.origin])
        }
        let constraint = strongest(constraints(standing, domain, key))
        if let constraint, let only = constraint.item.constraint.onlyValue { return (only, [constraint.item.origin]) }
        let seals: [At<Seal>] = standing.flatMap { file in
            file.seals.filter { $0.domain == domain }.map { (file, $0) }
        }
        return strongest(seals).map { (nil, [$0.item.origin]) }
    }

    /// The constraints of a key.
    func constraints(_ files: [PolicyFile], _ domain: Key, _ key: Key) -> [At<ConstraintEntry>] {
        files.flatMap { file in
            file.constraints.filter { $0.domain == domain && $0.key == key }.map { (file, $0) }
        }
    }

    /// The entry of a key that is recommended, or set once.
    func entry(_ level: Level, _ domain: Key, _ key: Key) -> PolicyEntry? {
        strongest(
            files.filter { applies($0) }.flatMap { file in
                file.entries.filter { $0.level == level && $0.domain == domain && $0.key == key }.map { (file, $0) }
            })?.item
    }

    /// What people are told.
    func metadata(_ domain: Key, _ key: Key) -> KeyMetadata {
        let all: [At<KeyMetadata>] = files.flatMap { file in
            file.metadata.filter { $0.domain == domain && $0.key == key }.map { (file, $0.metadata) }
        }
        let controls = all.flatMap(\.item.controls)
        return KeyMetadata(
            title: strongest(all.filter { !$0.item.title.isEmpty })?.item.title ?? "",
            description: strongest(all.filter { !$0.item.description.isEmpty })?.item.description ?? "",
            controls: controls.indices.filter { !controls[..<$0].contains(controls[$0]) }.map { controls[$0] },
            isSensitive: all.contains { $0.item.isSensitive })
    }

    /// Whether an operator takes a value.
    func fits(_ value: Value, _ combine: CombineOperator) -> Bool {
        switch combine {
        case .replace: true
        case .union: value.typeName == "array"
        case .merge: value.typeName == "dictionary"
        case .min, .max: value.typeName == "integer" || value.typeName == "float"
        case .and, .or: value.typeName == "boolean"
        }
    }

    /// Joins values, the strongest last.
    func join(_ values: [Value], _ combine: CombineOperator) -> Value? {
        func number(_ value: Value) -> Double {
            switch value {
            case .integer(let number): number.double
            case .real(let number): number
            default: .nan
            }
        }
        func merge(_ left: Value, _ right: Value) -> Value {
            guard case .dictionary(let left) = left, case .dictionary(let right) = right else { return right }
            return .dictionary(left.merging(right, uniquingKeysWith: merge))
        }
        return switch combine {
        case .replace: values.last
        case .union:
            .array(
                values.flatMap { value -> [Value] in if case .array(let all) = value { all } else { [] } }
                    .reduce(into: [Value]()) { if !$0.contains($1) { $0.append($1) } })
        case .merge: values.dropFirst().reduce(values[0], merge)
        case .min: values.last { value in values.allSatisfy { number(value) <= number($0) } }
        case .max: values.last { value in values.allSatisfy { number(value) >= number($0) } }
        case .and: .boolean(values.allSatisfy { $0 == .boolean(true) })
        case .or: .boolean(values.contains(.boolean(true)))
        }
    }
}
