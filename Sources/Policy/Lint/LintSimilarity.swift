import Platform
import PropertyList

/// Domains, and keys of one domain, that differ only by case or normalization.
struct LintSimilarity {
    /// What was found.
    private(set) var findings: [Diagnostic] = []

    /// A key in a domain, with every spelling of either counting as one.
    private struct FoldedName: Hashable {
        /// The first domain of this spelling.
        let domain: Int
        /// The key; two that `String` holds to be equal are.
        let key: String
    }

    /// Compares the names of files.
    init(files: [LintFile], names: LintNames) {
        let (domains, keys) = (names.numbers.domains, names.numbers.names)
        // Where all is ASCII, there is no normalization, and nothing to make new texts for.
        let isPlain =
            domains.allSatisfy { LintSimilarity.isASCII($0) } && keys.allSatisfy { LintSimilarity.isASCII($0.key) }
        var table = NumberTable(minimumCapacity: isPlain ? domains.count : 0)
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
        table = NumberTable(minimumCapacity: isPlain ? keys.count : 0)
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
            // The same key in two spellings of a domain is said of the domain.
            guard let other, keys[other].key != name.key else { continue }
            report(files, names.places[number], "key", name.key, keys[other].key, names.places[other])
        }
    }

    /// Adds the finding of two similar names.
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

    /// Whether a name has nothing but ASCII.
    private static func isASCII(_ key: Key) -> Bool { key.string.utf8.allSatisfy { $0 < 0x80 } }

    /// A name in lower case.
    ///
    /// Here, and only here, texts are then compared as `String` does it: canonically equivalent spellings are one.
    private static func fold(_ key: Key) -> String { key.string.lowercased() }
}
