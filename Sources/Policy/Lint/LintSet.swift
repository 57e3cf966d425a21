import Platform
import PropertyList

/// What is wrong between files.
struct LintSet {
    /// An entry and its file.
    private struct Item {
        /// The file.
        let file: LintFile
        /// The entry.
        let entry: PolicyEntry

        /// The place of the entry as people are shown it.
        var place: String { file.place(entry.origin.position) }
    }

    /// A domain and a key.
    private struct Name: Hashable {
        /// The domain.
        let domain: Key
        /// The key.
        let key: Key
        /// Whether the entries are recommended ones, which never meet forced ones.
        let isRecommended: Bool
    }

    /// What was found.
    private(set) var findings: [Diagnostic] = []

    /// Compares files, which stand in order of application.
    init(files: [LintFile]) {
        checkIdentifiers(files)
        var groups: [Name: [Item]] = [:]
        for file in files {
            for entry in file.policy.entries {
                let name = Name(domain: entry.domain, key: entry.key, isRecommended: entry.level == .recommended)
                groups[name, default: []].append(Item(file: file, entry: entry))
            }
        }
        for items in groups.values where items.count > 1 { compare(items) }
        checkSimilarity(files)
    }

    /// Reports identifiers that more than one file has; all those files apply.
    private mutating func checkIdentifiers(_ files: [LintFile]) {
        var first: [Key: LintFile] = [:]
        for file in files {
            let identifier = Key(file.policy.identifier)
            guard let other = first[identifier] else {
                first[identifier] = file
                continue
            }
            let place = other.place(other.policy.identifierPosition)
            findings.append(
                Diagnostic(
                    file: file.shownPath, position: file.policy.identifierPosition, code: .duplicateIdentifier,
                    message: "the Identifier \"\(Printable.escape(identifier.string))\" is also that of \(place); both"
                        + " files apply, and no record can tell them apart"))
        }
    }

    /// Reports, among the entries of one key, those that never win and those that contradict each other.
    private mutating func compare(_ items: [Item]) {
        var dead: Set<Int> = []
        for index in items.indices {
            let winner = items.indices.first { other in
                other != index && Self.always(items[other], other, beats: items[index], index)
            }
            guard let winner else { continue }
            dead.insert(index)
            let (entry, other) = (items[index].entry, items[winner])
            let why = other.file.policy.enforced ? "is enforced" : "is later"
            findings.append(
                items[index].file.warning(
                    .neverWins, at: entry.origin.position,
                    "this entry of \"\(Printable.escape(entry.key.string))\" never wins: \(other.place) \(why), and its"
                        + " target includes everybody this file applies to"))
        }
        for (later, second) in items.enumerated() where !dead.contains(later) {
            for (earlier, first) in items[..<later].enumerated() where !dead.contains(earlier) {
                guard Self.differ(first.entry, second.entry),
                    TargetOverlap.mayOverlap(first.file.policy.target, second.file.policy.target)
                else { continue }
                let winner = first.file.policy.enforced ? first : second
                let level = second.entry.level == .recommended ? "recommend" : "force"
                findings.append(
                    second.file.warning(
                        .conflictingValues, at: second.entry.origin.position,
                        "this file and \(first.place) \(level) different values of"
                            + " \"\(Printable.escape(second.entry.key.string))\" for targets that may overlap; where"
                            + " they do, \(winner.file.shownPath) wins"))
            }
        }
    }

    /// Whether an entry beats another one wherever that other one applies.
    private static func always(_ item: Item, _ index: Int, beats other: Item, _ otherIndex: Int) -> Bool {
        let isStronger: Bool
        switch (item.file.policy.enforced, other.file.policy.enforced) {
        case (true, false): isStronger = true
        case (false, true): isStronger = false
        case (true, true): isStronger = index < otherIndex
        case (false, false): isStronger = index > otherIndex
        }
        return isStronger && TargetOverlap.covers(item.file.policy.target, other.file.policy.target)
    }

    /// Whether two entries ask for different things.
    private static func differ(_ left: PolicyEntry, _ right: PolicyEntry) -> Bool {
        left.level != right.level || left.value?.value != right.value?.value
    }

    /// Reports domains, and keys of one domain, that differ only by case or normalization.
    private mutating func checkSimilarity(_ files: [LintFile]) {
        // Here, and only here, text is compared as String does it: canonically equivalent spellings are one.
        var domains: [String: (key: Key, place: String)] = [:]
        var keys: [String: [String: (key: Key, place: String)]] = [:]
        var seen: Set<[Key]> = []
        for file in files {
            for entry in file.policy.entries {
                let (place, position) = (file.place(entry.origin.position), entry.origin.position)
                let domain = Self.fold(entry.domain)
                if let first = domains[domain] {
                    if first.key != entry.domain, seen.insert([entry.domain]).inserted {
                        report(file, position, "domain", entry.domain, first)
                    }
                } else {
                    domains[domain] = (entry.domain, place)
                }
                let folded = Self.fold(entry.key)
                if let first = keys[domain]?[folded] {
                    if first.key != entry.key, seen.insert([entry.domain, entry.key]).inserted {
                        report(file, position, "key", entry.key, first)
                    }
                } else {
                    keys[domain, default: [:]][folded] = (entry.key, place)
                }
            }
        }
    }

    /// Adds the finding of two similar names.
    private mutating func report(
        _ file: LintFile, _ position: Position, _ noun: String, _ name: Key, _ first: (key: Key, place: String)
    ) {
        findings.append(
            file.warning(
                .similarKeys, at: position,
                "the \(noun) \"\(Printable.escape(name.string))\" differs from \"\(Printable.escape(first.key.string))\""
                    + " at \(first.place) only by case or normalization; to every program they are two"))
    }

    /// A name with ASCII letters in lower case.
    private static func fold(_ key: Key) -> String {
        String(decoding: key.string.utf8.map(ByteSet.lowercase), as: UTF8.self)
    }
}
