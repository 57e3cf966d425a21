import MDPlatform
import MDPolicyCore
import MDPolicyModel
package import MDPropertyList

/// The highest `Version` that was ever recorded of each identifier, also of one whose files are gone.
///
/// If policy must be signed, a file below it is refused: an old signature stays good, so it alone would let an old file
/// come back. A missing `Version`, and one below 0, counts as 0.
package struct VersionFloors: Hashable, Sendable {
    /// The most identifiers that are retained; those of files in force are retained in any case.
    ///
    /// Only files that the machine recorded fill it, which are signed if signatures are required. Of the identifiers
    /// beyond it, whose files are all gone, the last ones in byte order are forgotten.
    static let limit = 4_096

    /// The numbers above 0, by identifier.
    package private(set) var numbers: [Key: UInt64] = [:]

    /// The number of a policy file.
    private static func number(of policy: PolicyFile) -> UInt64 { policy.version?.uint64 ?? 0 }

    /// Adds a line of the policy record; returns false if the identifier is there already, or the number is 0.
    mutating func add(_ number: UInt64, for identifier: Key) -> Bool {
        number > 0 && numbers.updateValue(number, forKey: identifier) == nil
    }

    /// The numbers after policy was recorded.
    ///
    /// - Parameters:
    ///   - policies: the files that are in force.
    ///   - released: the digests of those that a rollback put in force; the numbers of their identifiers become those of
    ///     the files, even if these are lower.
    /// - Returns: the numbers.
    func following(_ policies: [PolicyFile], releasing released: Set<Digest> = []) -> VersionFloors {
        var highest: [Key: UInt64] = [:]
        var isReleased: Set<Key> = []
        for policy in policies {
            let (identifier, number) = (Key(policy.identifier), VersionFloors.number(of: policy))
            // Most files of most machines have none.
            guard number > 0 || numbers[identifier] != nil else { continue }
            highest[identifier] = max(highest[identifier] ?? 0, number)
            if released.contains(policy.digest) { isReleased.insert(identifier) }
        }
        var result = self
        for (identifier, number) in highest {
            let floor = isReleased.contains(identifier) ? 0 : numbers[identifier] ?? 0
            let kept = max(floor, number)
            result.numbers[identifier] = kept > 0 ? kept : nil
        }
        let excess = result.numbers.count - VersionFloors.limit
        guard excess > 0 else { return result }
        for identifier in result.numbers.keys.filter({ highest[$0] == nil }).sorted().suffix(excess) {
            result.numbers[identifier] = nil
        }
        return result
    }

    /// Why a file is refused for its `Version`; `nil` if it is not.
    ///
    /// - Parameters:
    ///   - policy: the file.
    ///   - copy: what was recorded under its name, which a record of an earlier engine has no number of.
    /// - Returns: the reason and its place.
    func objection(to policy: PolicyFile, copy: PolicyFile? = nil) -> SignatureFinding? {
        let identifier = Key(policy.identifier)
        let copied = copy.map { Key($0.identifier) == identifier ? VersionFloors.number(of: $0) : 0 } ?? 0
        let floor = max(numbers[identifier] ?? 0, copied)
        guard VersionFloors.number(of: policy) < floor else { return nil }
        let reason =
            policy.version.map {
                "its Version \($0) is lower than \(floor), the highest that was recorded of \(policy.identifier)"
            } ?? "it has no Version, and the highest that was recorded of \(policy.identifier) is \(floor)"
        return SignatureFinding(
            state: .refused(reason), code: .oldVersion,
            position: policy.version == nil ? policy.identifierPosition : policy.versionPosition)
    }
}

extension PolicyRecord {
    /// Why a file is older than what was recorded of its identifier; `nil` if it is not.
    ///
    /// Bytes that are in force already are no step back.
    ///
    /// - Parameters:
    ///   - policy: the file.
    ///   - entry: what is recorded under its name.
    ///   - copies: the recorded copies.
    /// - Returns: the reason and its place.
    func objection(to policy: PolicyFile, after entry: Entry?, _ copies: RecordedCopies) -> SignatureFinding? {
        guard let digest = entry?.digest else { return versions.objection(to: policy) }
        guard digest != policy.digest else { return nil }
        return versions.objection(to: policy, copy: try? copies.policy(digest, path: policy.path))
    }
}

extension PolicyScan {
    /// The changes of policy files that go back and lower the highest recorded `Version`, in order of application.
    var loweredVersions: [PolicyChange] {
        let before = inspection.record.versions.numbers
        var seen: Set<Key> = []
        return (etc.sorted + run.sorted).compactMap { file in
            guard let policy = file.policy, let old = before[Key(policy.identifier)],
                case let new = record.versions.numbers[Key(policy.identifier)] ?? 0, new < old,
                seen.insert(Key(policy.identifier)).inserted
            else { return nil }
            return PolicyChange(
                path: file.path, from: policy.digest, to: policy.digest,
                note: "going back lowers the highest recorded Version of \(policy.identifier) from \(old) to \(new)")
        }
    }
}
