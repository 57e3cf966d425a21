import MDAuditRecord
import MDPlatform
import MDPropertyList

/// Something that records can have in common and that queries ask for, as a number.
///
/// Two terms may have one number; what is found under it is therefore compared with the query.
struct IndexTerm: Hashable, Comparable {
    /// The field of a term.
    enum Field: UInt8 {
        /// The number of the user, in decimal.
        case uid = 1
        /// The name of the user.
        case user
        /// The domain.
        case domain
        /// The key.
        case key
        /// The kind, but for `override`, which most records have.
        case kind
    }

    /// The number.
    let number: UInt64

    /// The bucket of the index that has the term.
    var bucket: Int { Int(number >> 56) }

    /// Makes the term of a number.
    init(number: UInt64) { self.number = number }

    /// Makes the term of a text in a field (FNV-1a, with its bits mixed).
    init(_ field: Field, _ text: some Sequence<UInt8>) {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        hash = (hash ^ UInt64(field.rawValue)) &* 0x100_0000_01b3
        for byte in text { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        // The upper bits choose the bucket, and the last bytes hardly reach them.
        hash ^= hash >> 32
        hash = hash &* 0x9e37_79b9_7f4a_7c15
        number = hash ^ hash >> 29
    }

    /// Orders by number.
    static func < (left: IndexTerm, right: IndexTerm) -> Bool { left.number < right.number }

    /// The terms of a record.
    static func terms(of record: AuditRecord) -> [IndexTerm] {
        var terms: [IndexTerm] = []
        if let uid = record.uid { terms.append(IndexTerm(.uid, String(uid).utf8)) }
        if let user = record.user { terms.append(IndexTerm(.user, user.utf8)) }
        if let domain = record.domain { terms.append(IndexTerm(.domain, domain.string.utf8)) }
        if let key = record.key { terms.append(IndexTerm(.key, key.string.utf8)) }
        if record.kind != .override { terms.append(IndexTerm(.kind, record.kind.rawValue.utf8)) }
        return terms
    }

    /// The terms of a query: of each group a record has at least one.
    ///
    /// None if the index cannot narrow the query.
    static func groups(of query: AuditQuery) -> [[IndexTerm]] {
        var groups: [[IndexTerm]] = []
        if let user = query.user {
            groups.append(
                [IndexTerm(.uid, user.utf8), IndexTerm(.user, user.utf8)]
                    + query.aliases.map { IndexTerm(.user, $0.utf8) }
                    + query.people.map { IndexTerm(.uid, String($0.uid).utf8) })
        }
        if let domain = query.domain { groups.append([IndexTerm(.domain, domain.string.utf8)]) }
        if let key = query.key { groups.append([IndexTerm(.key, key.string.utf8)]) }
        if let kind = query.kind, kind != .override { groups.append([IndexTerm(.kind, kind.rawValue.utf8)]) }
        return groups
    }
}
