import MDPlatform
import MDPropertyList

/// The content of a domain's file when it was last read or written.
///
/// As long as the file has not changed, it is neither parsed nor encoded again.
struct CachedDomain {
    /// The minimum age of a file's newest time when it is read, in nanoseconds, so that every later write changes that
    /// time.
    ///
    /// Kernels move these times in steps of at most 10 ms.
    private static let steps: Int64 = 20_000_000
    /// The same for file systems that store times in whole or even seconds.
    private static let wholeSeconds: Int64 = 2_100_000_000

    /// The file to write, under the root; if the domain's file is a link, the target of the link.
    var target: String
    /// The state of every file that was inspected, by its own path; `nil` if there is none.
    var states: [(path: String, status: FileStatus?)]
    /// Whether the same states mean the same content.
    var isReliable: Bool
    /// The values.
    var values: [Key: Value] = [:]
    /// The file that they were read from, under the root, and its encoding; `nil` if there is none.
    var source: (path: String, format: Format)?
    /// The file's text if it is XML of the usual layout.
    var text: XMLDictionaryText?
    /// The damaged file in the domain's place, or `nil`.
    var damage: Damage?

    /// A damaged file.
    struct Damage {
        /// The file's own path, under the root.
        let path: String
        /// What is wrong with it.
        let error: PropertyListError
    }

    /// The changes that a writer makes, without those that are stored already.
    func changes(by body: ([Key: Value]) -> DomainChange) -> [Key: Value?] {
        body(values).effective(on: values)
    }

    /// Whether every later write is sure to change the times of a file that was read at a moment.
    ///
    /// - Parameters:
    ///   - status: the state in which it was read.
    ///   - moment: a time before the reading, in nanoseconds since 1970.
    /// - Returns: `false` if this is unknown.
    static func isReliable(_ status: FileStatus, readAt moment: Int64) -> Bool {
        let newest = max(status.modified, status.changed)
        let isCoarse = newest % 1_000_000_000 == 0
        let (age, overflow) = moment.subtractingReportingOverflow(newest)
        return !overflow && age > (isCoarse ? wholeSeconds : steps)
    }
}

/// What a writer changes in a domain.
enum DomainChange {
    /// These keys get other values; `nil` removes one.
    case partial([Key: Value?])
    /// The domain has exactly these values afterwards.
    case whole([Key: Value])

    /// The keys whose values differ from the stored ones.
    ///
    /// Complexity: O(changes), and O(stored) too for a whole domain.
    func effective(on stored: [Key: Value]) -> [Key: Value?] {
        switch self {
        case .partial(let changes):
            return changes.filter { key, value in
                switch (value, stored[key]) {
                case (nil, nil): false
                case (let value?, let stored?): !value.isIdentical(to: stored)
                default: true
                }
            }
        case .whole(let values):
            var changes: [Key: Value?] = [:]
            for (key, value) in values where stored[key].map({ value.isIdentical(to: $0) }) != true {
                changes[key] = .some(value)
            }
            for key in stored.keys where values[key] == nil { changes[key] = .some(nil) }
            return changes
        }
    }
}

/// How a domain differs from what was cached of it.
enum RefreshResult {
    /// The domain has not changed.
    case unchanged
    /// Others gave these keys other values; `nil` if they removed one.
    case changed([Key: Value?])
    /// The domain was read again; the value is what was cached before, if anything.
    case replaced([Key: Value]?)

    /// Returns what others changed; everything if nothing was cached before.
    ///
    /// - Parameter values: the values that are cached now.
    /// - Returns: the keys and their new values.
    func foreign(in values: [Key: Value]) -> [Key: Value?] {
        switch self {
        case .unchanged: [:]
        case .changed(let changes): changes
        case .replaced(nil): values.mapValues(Optional.some)
        case .replaced(let known?): DomainChange.whole(values).effective(on: known)
        }
    }

    /// Whether a reader has not seen all of the values yet.
    ///
    /// - Parameter values: the values that are cached now.
    /// - Returns: `false` if a file was written again with the same values.
    func isNew(in values: [Key: Value]) -> Bool {
        switch self {
        case .unchanged: false
        case .changed(let changes): !changes.isEmpty
        case .replaced(let known): known.map { !Value.areIdentical($0, values) } ?? true
        }
    }
}
