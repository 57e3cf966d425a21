package import Platform
package import PropertyList

/// What a file of temporary policy says of itself in the field `Temporary`: what made it, when it ends, who asked for it
/// and why.
package struct Temporary: Hashable, Sendable {
    /// What made the file; the raw value is the word of the policy file.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// `policy exam`: a file of a set.
        case exam
        /// `policy grant`: an exception for one user and one key.
        case grant
    }

    /// What made the file.
    package let kind: Kind
    /// The set that an exam's file comes from; `nil` for a grant.
    package let set: Key?
    /// When the file ends; `nil` where only the next boot ends it.
    package let until: Timestamp?
    /// Who asked for it; empty where the file does not say.
    package let by: String
    /// Why; empty where the file does not say.
    package let reason: String
    /// The digest of the set's file that an exam's file was made of, where given.
    package let digest: Digest?
    /// The place of the field in the file.
    package let position: Position

    /// Makes the field.
    package init(
        kind: Kind, set: Key? = nil, until: Timestamp? = nil, by: String = "", reason: String = "",
        digest: Digest? = nil, position: Position = .start
    ) {
        self.kind = kind
        self.set = set
        self.until = until
        self.by = by
        self.reason = reason
        self.digest = digest
        self.position = position
    }
}

extension PolicyFile {
    /// Whether `policy grant` made the file: it counts as ended while the clock cannot be trusted.
    package var isGrant: Bool { temporary?.kind == .grant }

    /// The set of the exam that the file belongs to; `nil` for any other file.
    package var examSet: Key? { temporary?.kind == .exam ? temporary?.set : nil }

    /// The target with the end that `Temporary` gives the file, unless the target ends earlier.
    static func target(_ target: Target?, endingWith temporary: Temporary?) -> Target? {
        guard let end = temporary?.until else { return target }
        return Target(
            include: target?.include ?? Target.Clauses(), except: target?.except ?? Target.Clauses(),
            schedule: target?.schedule, notBefore: target?.notBefore, notAfter: min(target?.notAfter ?? end, end))
    }
}
