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

    /// Whether nothing is left of the material without the files that may be meant for others.
    ///
    /// - Parameter isNothing: whether that is so of some material.
    /// - Returns: whether there are such files, and all of it comes from them.
    func isOnlyOthers(where isNothing: (KeyMaterial) -> Bool) -> Bool {
        !isNothing(self) && isNothing(part { !$0.mayBeOthers })
    }

    /// The places of the files among candidates.
    private static func hidden<Item>(_ candidates: [Candidate<Item>]) -> [Int] {
        candidates.lazy.filter(\.file.isHidden).map(\.file.index)
    }

    /// The material of those files that are beyond doubt, and of one other.
    private func only(_ index: Int?) -> KeyMaterial { part { !$0.isHidden || $0.index == index } }

    /// The material of some of the files.
    private func part(_ takesPart: (StandingFile) -> Bool) -> KeyMaterial {
        var material = KeyMaterial(domain: domain, key: key)
        material.entries = entries.filter { takesPart($0.file) }
        material.recommended = recommended.filter { takesPart($0.file) }
        material.setOnce = setOnce.filter { takesPart($0.file) }
        material.constraints = constraints.filter { takesPart($0.file) }
        material.operators = operators.filter { takesPart($0.file) }
        material.seals = seals.filter { takesPart($0.file) }
        material.waivers = waivers
        material.metadata = metadata
        return material
    }
}
