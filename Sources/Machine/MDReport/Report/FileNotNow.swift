package import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList
import MDTools

/// A policy file in force that applies to no user now, and to some at other times.
package struct FileNotNow: Sendable {
    /// The path beneath the root.
    package let path: String
    /// When it applies, in words.
    package let reason: String
    /// When it next begins to apply; `nil` if it never does.
    package let next: Timestamp?
    /// The different keys that it forces, makes absent or constrains, and the domains that it seals.
    package let keys: Int

    /// The files among those of a machine, in their order.
    ///
    /// - Parameters:
    ///   - files: the policy files.
    ///   - resultants: what policy leaves for each user.
    /// - Returns: those that only the time keeps from applying, and that apply to no user.
    static func all(_ files: [PolicyFileState], _ resultants: [ResultantSet]) -> [FileNotNow] {
        var (applied, skipped): (Set<Key>, [Key: SkippedFile]) = ([], [:])
        for resultant in resultants {
            for file in resultant.applied { applied.insert(Key(file.file)) }
            for file in resultant.skipped where file.isTimed { skipped[Key(file.file)] = file }
        }
        return files.compactMap { file in
            let path = Key(file.path)
            guard let policy = file.policy, !applied.contains(path), let item = skipped[path] else { return nil }
            return FileNotNow(
                path: file.path, reason: item.reason, next: item.nextChange, keys: FileNotNow.keys(of: policy))
        }
    }

    private static func keys(of policy: PolicyFile) -> Int {
        var keys: [Key: Set<Key>] = [:]
        for entry in policy.entries where entry.level.isForcing && !entry.origin.source.isExpanded {
            keys[entry.domain, default: []].insert(entry.key)
        }
        for entry in policy.constraints where !entry.origin.source.isExpanded {
            keys[entry.domain, default: []].insert(entry.key)
        }
        return keys.values.reduce(policy.seals.count) { $0 + $1.count }
    }
}

extension ComplianceReport {
    /// How many files apply to no user now, with their keys; empty if there are none.
    var notNow: String {
        guard !filesNotNow.isEmpty else { return "" }
        let keys = Plural.count(filesNotNow.reduce(0) { $0 + $1.keys }, "key")
        return ", \(filesNotNow.count) at other times only (\(keys), not counted here)"
    }
}
