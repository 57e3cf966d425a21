package import MDAuditLog
package import MDAuditRecord
package import MDPlatform
package import MDPolicyCore
package import MDPropertyList

/// The times of a record that a time span is compared with.
///
/// A record is of the time when it was written, by the clock of the log's writer: no sender decides in which period its
/// attempts are found. The service's own counts and gaps are of the whole time that they are about.
package struct RecordTimes {
    /// The earliest and the latest time; `nil` if there is none.
    let (oldest, newest): (Timestamp?, Timestamp?)

    /// Makes the times of a record.
    package init(_ record: AuditRecord) {
        self.init(record.time, record.first, record.last, isOfSender: record.src?.isOfSender ?? false)
    }

    /// Makes the times of a record that has some fields.
    init(_ time: Timestamp?, _ first: Timestamp?, _ last: Timestamp?, isOfSender: Bool) {
        (oldest, newest) = isOfSender ? (time, time) : (first ?? time, last ?? time)
    }
}

/// Conditions on audit records; one that is `nil` matches every record.
package struct AuditQuery: Hashable, Sendable {
    /// The earliest time, inclusive.
    package var since: Timestamp?
    /// The latest time, inclusive.
    package var until: Timestamp?
    /// The name of the user, or the uid in decimal.
    package var user: String?
    /// The pseudonyms of the user in records.
    package var aliases: [String] = []
    /// The uids that the user of that name has or had in the register of people, for records without a name.
    package var people: [PeopleRegister.Row] = []
    /// The domain of the key.
    package var domain: Key?
    /// The forced key.
    package var key: Key?
    /// The event that the record is about.
    package var kind: RecordKind?
    /// The name of the host.
    package var host: String?
    /// The number of the record after which the records begin.
    package var after: Int?
    /// The most records in a result, which has the newest.
    package var limit: Int?

    /// Makes a query.
    package init(
        since: Timestamp? = nil, until: Timestamp? = nil, user: String? = nil, domain: Key? = nil, key: Key? = nil,
        kind: RecordKind? = nil, host: String? = nil, after: Int? = nil, limit: Int? = nil
    ) {
        (self.since, self.until, self.user) = (since, until, user)
        (self.domain, self.key, self.kind) = (domain, key, kind)
        (self.host, self.after, self.limit) = (host, after, limit)
    }

    /// Whether a name is the user's or a pseudonym of theirs.
    private func isAlias(_ name: String?) -> Bool {
        guard let name, !aliases.isEmpty else { return false }
        return aliases.contains { Key($0) == Key(name) }
    }

    /// Whether a record without a name is of the user by the register of people.
    private func isPerson(_ record: AuditRecord) -> Bool {
        guard !people.isEmpty, record.user == nil, let uid = record.uid, let time = record.time else { return false }
        return people.contains { $0.uid == uid && $0.holds(at: time) }
    }

    /// Whether a record is of the time span.
    ///
    /// - Parameter times: the times of the record.
    /// - Returns: whether any of what it counts may be of the time span.
    package func covers(_ times: RecordTimes) -> Bool {
        if let since {
            guard let newest = times.newest, newest >= since else { return false }
        }
        if let until {
            guard let oldest = times.oldest, oldest <= until else { return false }
        }
        return true
    }

    /// Whether all records of some times may be of the time span.
    ///
    /// - Parameter times: the earliest and the latest time of records that count; `nil` if there are none.
    /// - Returns: `true` if all may, `false` if none may; `nil` if it depends on the record.
    package func coversAll(_ times: ClosedRange<Timestamp>?) -> Bool? {
        guard let times else { return false }
        if let since, times.upperBound < since { return false }
        if let until, times.lowerBound > until { return false }
        let isWithin = since.map { $0 <= times.lowerBound } ?? true && until.map { $0 >= times.upperBound } ?? true
        return isWithin ? true : nil
    }

    /// Whether a record matches, apart from the limit.
    ///
    package func matches(_ record: AuditRecord) -> Bool {
        guard covers(RecordTimes(record)) else { return false }
        if let after, record.seq <= after { return false }
        if let user {
            let isNamed = record.user.map { Key($0) == Key(user) } ?? false
            guard isNamed || record.uid.map(String.init) == user || isAlias(record.user) || isPerson(record) else {
                return false
            }
        }
        if let domain, record.domain != domain { return false }
        if let key, record.key != key { return false }
        if let kind, record.kind != kind { return false }
        if let host, record.host.map({ Key($0) }) != Key(host) { return false }
        return true
    }
}

/// The records that match a query, and the lines of the log that are not records.
package struct AuditQueryResult: Hashable, Sendable {
    /// A line that is not a record.
    package struct Problem: Hashable, Sendable {
        /// The line, counted from 1.
        package let line: Int
        /// The file, as a path under the root.
        package let file: String
        /// What is wrong, without a full stop.
        package let message: String

        /// Makes a problem.
        package init(line: Int, file: String = AuditLog.path, message: String) {
            self.line = line
            self.file = file
            self.message = message
        }
    }

    /// The most problems that are listed; more are only counted.
    static let problemLimit = 100

    /// The records, oldest first.
    package internal(set) var records: [AuditRecord] = []
    /// The first problems, in the order of the lines.
    package internal(set) var problems: [Problem] = []
    /// The number of problems.
    package internal(set) var problemCount = 0

    /// Makes an empty result.
    package init() {}

    /// Adds a problem.
    mutating func addProblem(line: Int, file: String, _ message: String) {
        problemCount += 1
        guard problems.count < AuditQueryResult.problemLimit else { return }
        problems.append(Problem(line: line, file: file, message: message))
    }
}

extension AuditLog {
    /// The name of the log, as its checkpoint has it; `nil` if there is none or it cannot be read.
    package var name: String? {
        guard let text = try? root.read(LogFiles.current.checkpoint, limit: Checkpoint.longestText).bytes else {
            return nil
        }
        return Checkpoint(text: text)?.origin
    }

    /// Reads the records that match, without a lock and without checking the log against its checkpoint.
    ///
    /// A line that is not a record is a problem; the other lines are read nevertheless. A log that does not exist is
    /// empty. A limit bounds the memory.
    ///
    /// - Parameters:
    ///   - query: the conditions.
    ///   - secrets: the keys whose values are hidden; none by default, to compare records.
    /// - Returns: the records, and the lines that are not records.
    /// - Throws: `system` if the log exists and cannot be read.
    package func records(
        matching query: AuditQuery = AuditQuery(), hiding secrets: ManifestSecrets = ManifestSecrets()
    ) throws(AuditError) -> AuditQueryResult {
        var found: [AuditRecord] = []
        var result = try forEachEntry(matching: query, hiding: secrets) { record, _ in found.append(record) }
        result.records = found
        return result
    }

    /// Passes on each record that matches with its line, oldest first, in memory that grows with the query's limit only.
    ///
    /// With a limit the log is read from its newest segment back until there are enough records.
    ///
    /// - Parameters:
    ///   - query: the conditions.
    ///   - secrets: the keys whose values are hidden; the line of a record that has one is composed again.
    ///   - body: gets each record.
    /// - Returns: the lines that are not records, of what was read; it holds no records itself.
    /// - Throws: `system` if the log exists and cannot be read.
    @discardableResult
    package func forEachEntry(
        matching query: AuditQuery, hiding secrets: ManifestSecrets,
        _ body: (AuditRecord, ArraySlice<UInt8>) -> Void
    ) throws(AuditError) -> AuditQueryResult {
        do throws(SystemError) {
            var search = LogSearch(root: root, files: .current, query: query, hiding: secrets)
            return try search.run(body)
        } catch {
            throw .system(error)
        }
    }

    /// Passes on each record of the log as it is stored, oldest first, in bounded memory.
    ///
    /// - Returns: the lines that are not records; it holds no records itself.
    /// - Throws: `system` if the log exists and cannot be read.
    @discardableResult
    package func forEachRecord(_ body: (AuditRecord) -> Void) throws(AuditError) -> AuditQueryResult {
        try forEachEntry(matching: AuditQuery(), hiding: ManifestSecrets()) { record, _ in body(record) }
    }
}
