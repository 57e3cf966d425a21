import PropertyList

/// What the files may come to of which nobody can tell whether they are meant for the subject.
extension KeyMaterial {
    /// Whether such a file has a part in what the key is forced to.
    var hasHiddenRules: Bool {
        entries.contains(where: \.file.isHidden) || constraints.contains(where: \.file.isHidden)
            || operators.contains(where: \.file.isHidden) || seals.contains(where: \.file.isHidden)
    }

    /// Whether such a file says how entries are joined: which ones are then depends on each of the others.
    var mayJoinOtherwise: Bool { operators.contains(where: \.file.isHidden) && remaining(entries).count > 1 }

    /// The material if none of these files were meant for the subject, and if each one alone were.
    ///
    /// More is not needed. Where an entry is chosen, that of several files is that of one of them; where entries are joined, one
    /// file that makes no difference alone makes none beside others either.
    ///
    /// - Complexity: O(n²) of the number of files that say something of the key.
    var possibilities: [KeyMaterial] {
        var hidden: Set<Int> = []
        for list in [entries, recommended, setOnce] { hidden.formUnion(KeyMaterial.hidden(list)) }
        hidden.formUnion(KeyMaterial.hidden(constraints))
        hidden.formUnion(KeyMaterial.hidden(operators))
        hidden.formUnion(KeyMaterial.hidden(seals))
        return [only(nil)] + hidden.sorted().map { only($0) }
    }

    /// The places of the files among candidates.
    private static func hidden<Item>(_ candidates: [Candidate<Item>]) -> [Int] {
        candidates.lazy.filter(\.file.isHidden).map(\.file.index)
    }

    /// The material of those files that are beyond doubt, and of one other.
    private func only(_ index: Int?) -> KeyMaterial {
        /// Those of some candidates that take part.
        func part<Item>(_ candidates: [Candidate<Item>]) -> [Candidate<Item>] {
            candidates.filter { !$0.file.isHidden || $0.file.index == index }
        }
        var material = KeyMaterial(domain: domain, key: key)
        material.entries = part(entries)
        material.recommended = part(recommended)
        material.setOnce = part(setOnce)
        material.constraints = part(constraints)
        material.operators = part(operators)
        material.seals = part(seals)
        material.waivers = waivers
        material.metadata = metadata
        return material
    }
}
