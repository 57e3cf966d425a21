/// The members of a record's line: the cases have the names and the order of the line.
///
/// Nothing else says them. ``AuditRecord`` encodes and parses by a switch over the cases, so that a new one does not
/// compile before it is written and read; the scanners, the audit service and the readers of the log take names, order
/// and bytes from here.
package enum RecordMember: String, LineMember {
    case v, seq, time, boot, mono, kind, src, host, uid, user, auid, session, pid, start, exe, unit
    case via, domain, key, forced, tried, policy, outcome, count, first, last, note

    /// The members in the order of the line.
    package static let order = MemberOrder<RecordMember>()
}

/// The members of a record's `policy`, in their order.
package enum PolicyMember: String, LineMember {
    case id, file, line, sha256

    /// The members in their order.
    package static let order = MemberOrder<PolicyMember>()
}

/// A member of an object in a record's line; its name has at most eight characters of ASCII.
package protocol LineMember: RawRepresentable, CaseIterable, Equatable, Sendable where RawValue == String {}

extension LineMember {
    /// The bytes from the comma before the member up to its value: `,"uid":`.
    package var bytes: [UInt8] { Array(",\"\(rawValue)\":".utf8) }

    /// The letters of the name as one number, the last one lowest, as ``PlainScanner/name()`` reads them.
    fileprivate var letters: UInt64 { rawValue.utf8.reduce(0) { $0 << 8 | UInt64($1) } }
}

/// The members of an object in their order.
package struct MemberOrder<Name: LineMember>: Sendable {
    /// The members.
    package let members: [Name]
    /// The letters of their names.
    @usableFromInline let letters: [UInt64]

    /// Takes the order of the cases.
    fileprivate init() {
        members = Array(Name.allCases)
        letters = members.map(\.letters)
    }

    /// Finds a member by the letters of its name.
    ///
    /// - Parameters:
    ///   - name: the letters.
    ///   - start: the place to search from; after the member that was read last in a line whose members are in order.
    /// - Returns: its place; `nil` if no member from there on has the name.
    @inlinable
    @inline(__always)
    package func place(of name: UInt64, from start: Int) -> Int? {
        var place = start
        while place < letters.count {
            if letters[place] == name { return place }
            place += 1
        }
        return nil
    }

    /// The members from one to another.
    func members(from first: Name, to last: Name) -> ArraySlice<Name> {
        guard let start = members.firstIndex(of: first), let end = members.firstIndex(of: last), start <= end else {
            return []
        }
        return members[start...end]
    }
}

extension AuditRecord {
    /// The beginning of every line of the log, up to the number: `{"v":1,"seq":`.
    package static let lineHead =
        [UInt8(ascii: "{")] + RecordMember.v.bytes.dropFirst() + Array("\(formatVersion)".utf8) + RecordMember.seq.bytes
}
