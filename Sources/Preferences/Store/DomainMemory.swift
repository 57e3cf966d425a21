import Platform
import PropertyList

/// What the file of a domain held when it was last read or written.
///
/// While the file has not changed since, it is neither parsed nor encoded anew.
struct DomainMemory {
    /// How old the newest time of a file must be when it is read, in nanoseconds, for its times to change with every
    /// later write.
    ///
    /// Kernels move these times in steps of at most 10 ms.
    private static let steps: Int64 = 20_000_000
    /// The same for file systems that keep whole seconds, or even ones.
    private static let wholeSeconds: Int64 = 2_100_000_000

    /// The file to write, under the root; a link's target where a link stands in the domain's place.
    var target: String
    /// The state of every file that was looked at, by its own path; `nil` where there is none.
    var states: [(path: String, status: FileStatus?)]
    /// Whether the same states mean the same content.
    var isCertain: Bool
    /// The values.
    var values: [Key: Value] = [:]
    /// The file that they were read from, under the root, and its encoding; `nil` where there is none.
    var source: (path: String, format: Format)?
    /// The file's text, where it is XML of the usual layout.
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

    /// What a writer changes in the domain, as far as it is not stored already.
    func changes(by body: ([Key: Value]) -> DomainChange) -> [Key: Value?] {
        body(values).effective(on: values)
    }

    /// Whether a file that was read at a moment has other times after every later write.
    ///
    /// - Parameters:
    ///   - status: the state in which it was read.
    ///   - moment: a time before the reading, in nanoseconds since 1970.
    /// - Returns: `false` where it cannot be told.
    static func isCertain(_ status: FileStatus, readAt moment: Int64) -> Bool {
        let newest = max(status.modified, status.changed)
        let isCoarse = newest % 1_000_000_000 == 0
        let (age, overflow) = moment.subtractingReportingOverflow(newest)
        return !overflow && age > (isCoarse ? wholeSeconds : steps)
    }
}
