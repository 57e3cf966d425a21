package import MDAuditLog
import MDCare
package import MDPlatform
package import MDPropertyList

/// What changed since an earlier report of the same machine.
package struct ReportBaseline: Sendable {
    /// A key of a user that is not as it was.
    package struct Difference: Hashable, Sendable {
        /// How it differs; the raw value is printed in reports.
        package enum Kind: String, Sendable, CaseIterable {
            /// It was met, and is not any more.
            case lost = "not met any more"
            /// It is required and was not.
            case added = "newly required"
            /// It was required and is not.
            case removed = "not required any more"
            /// It is required to have another value.
            case changed = "another value"
            /// It was not met, and is now.
            case gained = "met now"
        }

        package let kind: Kind
        package let user: Key
        package let domain: Key
        package let key: Key
    }

    /// The host of the earlier report.
    package let host: String
    /// Whether it is of another machine.
    package let isOfOtherMachine: Bool
    /// The head of the audit log that it has seen; `nil` if it says none.
    package let head: Checkpoint?
    /// The id of the earlier report.
    package let id: String
    /// When it was made.
    package let generated: Timestamp
    /// The digest of its bytes.
    package let digest: Digest
    package let attempts: Int
    package let policyDigest: String
    /// The differences, the worst kind first.
    package let differences: [Difference]
    /// The number of differences of a kind.
    package func count(_ kind: Difference.Kind) -> Int { differences.count { $0.kind == kind } }

    /// A key of a user.
    private struct Place: Hashable {
        let user: Key
        let domain: Key
        let key: Key
    }

    /// What was said of it.
    private struct State: Equatable {
        let isMet: Bool
        let value: Digest
    }

    /// Compares a report with an earlier one.
    ///
    /// - Parameters:
    ///   - bytes: the earlier report as JSON.
    ///   - report: the report as JSON, which is how both are compared.
    ///   - host: the name of its host.
    ///   - machine: the id of its machine; `nil` if it has none.
    ///   - isOtherMachine: whether the earlier one may be of another machine.
    /// - Throws: what is wrong with the earlier one.
    package init(
        _ bytes: [UInt8], comparedWith report: [UInt8], of host: String, _ machine: String?, isOtherMachine: Bool
    ) throws(ReportFault) {
        let earlier = try MachineReport(reading: bytes)
        if earlier.verdict == .asIf { throw ReportFault("it is as if at another time, and has no result") }
        (self.host, head) = (earlier.host, earlier.head)
        // Copies of a disk have one id, so that both count.
        isOfOtherMachine = Key(earlier.host) != Key(host) || Key(earlier.machine) != Key(machine ?? "")
        if isOfOtherMachine, !isOtherMachine {
            let what = Key(earlier.host) == Key(host) ? "of a machine with another id" : "of \(earlier.host)"
            throw ReportFault("it is \(what), and this is \(host); with --other-machine both are compared")
        }
        (id, generated, digest) = (earlier.id, earlier.generated, SHA256.hash(bytes))
        (attempts, policyDigest) = (earlier.attempts, earlier.policyDigest)
        let (old, new) = (try ReportBaseline.keys(bytes), try ReportBaseline.keys(report))
        var differences: [Difference] = []
        func add(_ kind: Difference.Kind, _ place: Place) {
            differences.append(Difference(kind: kind, user: place.user, domain: place.domain, key: place.key))
        }
        for (place, state) in new {
            guard let before = old[place] else {
                add(.added, place)
                continue
            }
            if before.isMet != state.isMet { add(state.isMet ? .gained : .lost, place) }
            if before.value != state.value { add(.changed, place) }
        }
        for place in old.keys where new[place] == nil { add(.removed, place) }
        let order = Difference.Kind.allCases
        self.differences = differences.sorted { left, right in
            if left.kind != right.kind {
                return (order.firstIndex(of: left.kind) ?? 0) < (order.firstIndex(of: right.kind) ?? 0)
            }
            if left.user != right.user { return left.user < right.user }
            return left.domain == right.domain ? left.key < right.key : left.domain < right.domain
        }
    }

    /// The most keys of all users that are compared.
    private static let limit = 5_000_000

    /// Reads the keys of a report.
    private static func keys(_ bytes: [UInt8]) throws(ReportFault) -> [Place: State] {
        var keys: [Place: State] = [:]
        try ReportCursor.read(bytes) { cursor throws(ReportFault) in
            try cursor.object { cursor, name throws(ReportFault) in
                guard name == "keys" else { return try cursor.skip() }
                try cursor.array { cursor throws(ReportFault) in
                    var (user, domain, key, isMet) = ("", "", "", false)
                    var value = SHA256.hash([])
                    try cursor.object { cursor, name throws(ReportFault) in
                        switch name {
                        case "user": user = try cursor.string()
                        case "domain": domain = try cursor.string()
                        case "key": key = try cursor.string()
                        case "state": isMet = try cursor.string(limit: 64) == RequirementState.met.rawValue
                        case "value": value = try cursor.digest()
                        default: try cursor.skip()
                        }
                    }
                    guard keys.count < limit else { throw cursor.fault("it has more keys than can be compared") }
                    keys[Place(user: Key(user), domain: Key(domain), key: Key(key))] = State(
                        isMet: isMet, value: value)
                }
            }
        }
        return keys
    }
}
