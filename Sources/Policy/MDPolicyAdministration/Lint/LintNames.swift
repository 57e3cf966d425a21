import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// The domains and keys of several files, as numbers.
///
/// Most keys are in one file only and need no comparison; the others are found by their numbers.
struct LintNames {
    /// A place of a name.
    struct Place {
        /// The index of the file.
        let file: Int
        let position: Position
    }

    private(set) var numbers: NameIndex
    /// The number of each entry, file by file.
    private(set) var entries: [Int32] = []
    /// The number of each constraint, file by file.
    private(set) var constraints: [Int32] = []
    /// The number of entries and constraints of each name.
    private(set) var counts: [Int32] = []
    /// The first place of each name.
    private(set) var places: [Place] = []
    /// The first place of each domain.
    private(set) var domainPlaces: [Place] = []

    /// Numbers the names of files, which are in order of application.
    init(_ files: [LintFile]) {
        let count = files.reduce(0) { $0 + $1.policy.entries.count }
        numbers = NameIndex(minimumCapacity: count)
        entries.reserveCapacity(count)
        counts.reserveCapacity(count)
        places.reserveCapacity(count)
        for (index, file) in files.enumerated() {
            let policy = file.policy
            let own = policy.entries
            // A loop over the entries themselves would copy each.
            for place in own.indices {
                let number = add(own[place].domain, own[place].key, index, own[place].origin)
                entries.append(Int32(truncatingIfNeeded: number))
                counts[number] += 1
            }
            for item in policy.seals { _ = add(item.domain, index, item.origin) }
            for item in policy.constraints {
                let number = add(item.domain, item.key, index, item.origin)
                constraints.append(Int32(truncatingIfNeeded: number))
                counts[number] += 1
            }
            for item in policy.combine { _ = add(item.domain, item.key, index, item.origin) }
            for item in policy.waivers { _ = add(item.domain, item.key, index, item.origin) }
            for item in policy.metadata { _ = add(item.domain, item.key, index, item.origin) }
        }
    }

    /// The number of a key; `nil` if no file has it.
    func number(_ domain: Key, _ key: Key) -> Int? { numbers.find(domain, key) }

    private mutating func add(_ domain: Key, _ file: Int, _ origin: Origin) -> Int {
        let number = numbers.number(ofDomain: domain)
        if number == domainPlaces.count { domainPlaces.append(Place(file: file, position: origin.position)) }
        return number
    }

    private mutating func add(_ domain: Key, _ key: Key, _ file: Int, _ origin: Origin) -> Int {
        let number = numbers.number(of: key, inDomain: add(domain, file, origin))
        if number == places.count {
            places.append(Place(file: file, position: origin.position))
            counts.append(0)
        }
        return number
    }
}

/// Finds domains, and keys of one domain, that differ only by case or normalization.
struct LintSimilarity {
    private(set) var findings: [Diagnostic] = []

    /// A domain and key, equal for all spellings of either.
    private struct FoldedName: Hashable {
        let domain: Int
        /// The folded key, compared as `String` compares.
        let key: String
    }

    init(files: [LintFile], names: LintNames) {
        let (domains, keys) = (names.numbers.domains, names.numbers.names)
        // ASCII needs no normalization, so no new strings are made.
        let isPlain =
            domains.allSatisfy { LintSimilarity.isASCII($0) } && keys.allSatisfy { LintSimilarity.isASCII($0.key) }
        var table = HashIndex(minimumCapacity: isPlain ? domains.count : 0)
        var folded: [String: Int] = [:]
        /// The first domain of the same spelling, for each domain.
        var first: [Int] = []
        for (number, domain) in domains.enumerated() {
            let other: Int?
            if isPlain {
                other = table.number(hash: domain.quickHash(ignoringCase: true), orAdd: number) {
                    domains[$0].isSameIgnoringCase(as: domain)
                }
            } else {
                let text = LintSimilarity.fold(domain)
                other = folded[text]
                if other == nil { folded[text] = number }
            }
            first.append(other ?? number)
            guard let other else { continue }
            report(
                files, names.domainPlaces[number], "domain", domain, domains[other], names.domainPlaces[other])
        }
        table = HashIndex(minimumCapacity: isPlain ? keys.count : 0)
        var foldedKeys: [FoldedName: Int] = [:]
        for (number, name) in keys.enumerated() {
            let domain = first[name.domain]
            let other: Int?
            if isPlain {
                let hash = name.key.quickHash(in: UInt64(domain) + 1, ignoringCase: true)
                other = table.number(hash: hash, orAdd: number) {
                    first[keys[$0].domain] == domain && keys[$0].key.isSameIgnoringCase(as: name.key)
                }
            } else {
                let text = FoldedName(domain: domain, key: LintSimilarity.fold(name.key))
                other = foldedKeys[text]
                if other == nil { foldedKeys[text] = number }
            }
            // The same key in two spellings of a domain is reported for the domain.
            guard let other, keys[other].key != name.key else { continue }
            report(files, names.places[number], "key", name.key, keys[other].key, names.places[other])
        }
    }

    private mutating func report(
        _ files: [LintFile], _ place: LintNames.Place, _ noun: String, _ name: Key, _ first: Key,
        _ firstPlace: LintNames.Place
    ) {
        let shown = files[firstPlace.file].place(firstPlace.position)
        findings.append(
            files[place.file].warning(
                .similarKeys, at: place.position,
                "the \(noun) \"\(Printable.escape(name.string))\" differs from \"\(Printable.escape(first.string))\""
                    + " at \(shown) only by case or normalization; to every program they are two"))
    }

    /// Whether a name is ASCII.
    private static func isASCII(_ key: Key) -> Bool { key.string.utf8.allSatisfy { $0 < 0x80 } }

    /// A name in lower case.
    ///
    /// Only here names are compared as `String` compares: canonically equivalent spellings are equal.
    private static func fold(_ key: Key) -> String { key.string.lowercased() }
}
