import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

@testable import MDEngine

/// Entries of policy for tests.
enum Sample {
    /// A forced or absent entry.
    static func entry(_ domain: Key, _ key: Key, _ value: Value?, onOverride: OverrideMode = .refuse) -> ResolvedEntry {
        ResolvedEntry(
            level: value == nil ? .absent : .forced, domain: domain, key: key, value: value,
            origin: Origin(
                policy: "org.example.test", file: "/etc/managed-defaults/policies.d/10-test.json", position: .start),
            onOverride: onOverride, contact: "Room 12", fileDigest: SHA256.hash([]))
    }

    /// A forced layer.
    static func forced(_ domain: Key, _ entries: [Key: Value?]) -> SearchLayer {
        SearchLayer(
            .forced, domain: domain,
            entries: Dictionary(uniqueKeysWithValues: entries.map { ($0.key, entry(domain, $0.key, $0.value)) }))
    }
}

/// A counter that tables are built of.
final class Box: Sendable {
    /// The number.
    private let counter = Guarded(0)

    /// Counts, and makes a cell's readers ask again.
    func increment(_ cell: SnapshotCell) {
        counter.withLock { counter in
            counter += 1
            cell.invalidate()
        }
    }

    /// A cell of tables with the number.
    func cell() -> SnapshotCell {
        SnapshotCell { generation in
            self.counter.withLock { counter in
                let layer = SearchLayer(.application, domain: "app", values: ["Counter": .integer(counter)])
                return (LookupIndex([layer]), generation())
            }
        }
    }
}
