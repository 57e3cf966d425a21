import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPolicyCore

/// Finds the records of a log that match a query, by the indexes of its segments where they can be relied on.
///
/// Where an index vouches for all lines, those that cannot match are not parsed. A segment without a good index is parsed
/// whole; a question makes none. Memory grows with no number but the query's limit.
struct LogSearch {
    /// The root that the log belongs to.
    private let root: Root
    /// The files of the log.
    private let files: LogFiles
    /// The conditions.
    private let query: AuditQuery
    /// What a line must have; `nil` if any line may match.
    private let filter: LineFilter?
    /// What the index is asked for.
    private let terms: [[IndexTerm]]
    /// The keys whose values are hidden.
    private let secrets: ManifestSecrets
    /// The lines that are not records.
    private var result = AuditQueryResult()

    /// Gets each record that matches, with its line.
    typealias Body = (AuditRecord, ArraySlice<UInt8>) -> Void

    /// Makes a search.
    init(root: Root, files: LogFiles, query: AuditQuery, hiding secrets: ManifestSecrets) {
        (self.root, self.files, self.query, self.secrets) = (root, files, query, secrets)
        filter = LineFilter(query)
        terms = IndexTerm.groups(of: query)
    }

    /// Passes on each record that matches, oldest first.
    ///
    /// With a limit the newest segments are read first, and those before only if records are missing.
    ///
    /// - Returns: the lines of what was read that are not records.
    mutating func run(_ body: Body) throws(SystemError) -> AuditQueryResult {
        let log = try LogFiles.ifPresent { () throws(SystemError) in try ReadFile(root: root, path: files.log) }
        var segments = try LogParts(root: root, files: files).segments(before: try log?.status(), in: root)
        if let after = query.after {
            // What a later segment begins after, the earlier ones have all.
            let begun = segments.lastIndex { $0.first <= after + 1 } ?? 0
            segments.removeFirst(begun)
        }
        guard let limit = query.limit.map({ max($0, 0) }) else {
            for segment in segments { try search(segment, body) }
            if let log { try scan(log, files.log, by: filter, body) }
            return result
        }
        var found: [[(record: AuditRecord, line: [UInt8])]] = []
        var missing = limit
        /// Collects the newest records of a part.
        func collect(_ search: (Body) throws(SystemError) -> Void) throws(SystemError) {
            var newest: [(record: AuditRecord, line: [UInt8])] = []
            try search { record, line in
                newest.append((record, Array(line)))
                // Cutting down at twice the limit makes the cost of a record constant.
                if newest.count / 2 > missing { newest.removeFirst(newest.count - missing) }
            }
            found.append(newest.suffix(missing))
            missing -= min(newest.count, missing)
        }
        if let log { try collect { body throws(SystemError) in try scan(log, files.log, by: filter, body) } }
        while missing > 0, let segment = segments.popLast() {
            try collect { body throws(SystemError) in try search(segment, body) }
        }
        for part in found.reversed() {
            for entry in part { body(entry.record, entry.line[...]) }
        }
        return result
    }

    /// Searches one segment.
    private mutating func search(_ segment: LogParts.Segment, _ body: Body) throws(SystemError) {
        let file = try LogFiles.ifPresent { () throws(SystemError) in try ReadFile(root: root, path: segment.path) }
        // One that was just deleted is not missed.
        guard let file else { return }
        guard let index = SegmentIndex(root: root, path: segment.path, segment: file) else {
            return try scan(file, segment.path, by: nil, body)
        }
        // Lines that are not records are to be named, whatever is looked for.
        if index.problems == 0 {
            guard let times = index.times, query.since.map({ $0 <= times.upperBound }) ?? true,
                query.until.map({ $0 >= times.lowerBound }) ?? true
            else { return }
            if !terms.isEmpty {
                guard let offsets = index.offsets(terms) else {
                    return try scan(file, segment.path, by: nil, body)
                }
                return try read(offsets, in: file, segment.path, body)
            }
        }
        try scan(file, segment.path, by: index.problems == 0 ? filter : nil, body)
    }

    /// Reads the lines at some offsets.
    private mutating func read(
        _ offsets: [Int], in file: borrowing ReadFile, _ path: String, _ body: Body
    ) throws(SystemError) {
        var bad: [(offset: Int, message: String)] = []
        try FileLines.forEach(at: offsets, in: file) { line, offset in
            do throws(AuditError) {
                let record = try AuditRecord(line: line)
                pass(record, line, body)
            } catch {
                bad.append((offset, error.description))
            }
        }
        for (offset, message) in bad {
            result.addProblem(line: try FileLines.number(of: offset, in: file), file: path, message)
        }
    }

    /// Reads all lines of a file.
    private mutating func scan(
        _ file: borrowing ReadFile, _ path: String, by filter: LineFilter?, _ body: Body
    ) throws(SystemError) {
        var number = 0
        let torn = try FileLines.forEach(in: file) { bytes, place, length, _ in
            number += 1
            if let filter, length < AuditRecord.longestLine, !filter.mayMatch(bytes, place) { return }
            let line = bytes[place]
            if let record = parse(line, length, number, path) { pass(record, line, body) }
        }
        if torn > 0 {
            result.addProblem(line: number + 1, file: path, "the line does not end, as a crash leaves it behind")
        }
    }

    /// Passes on a record with its line if it matches, without values that are to be hidden.
    private func pass(_ record: AuditRecord, _ line: ArraySlice<UInt8>, _ body: Body) {
        guard query.matches(record) else { return }
        var shown = record
        if secrets.hideValues(of: &shown) { body(shown, shown.encoded()[...]) } else { body(record, line) }
    }

    /// Parses a line; `nil` if it is not a record, which is noted.
    private mutating func parse(
        _ line: ArraySlice<UInt8>, _ length: Int, _ number: Int, _ path: String
    ) -> AuditRecord? {
        if length >= AuditRecord.longestLine {
            result.addProblem(line: number, file: path, "the line has \(length) bytes, more than a record can have")
            return nil
        }
        do throws(AuditError) {
            let record = try AuditRecord(line: line)
            if record.seq == 0 { result.addProblem(line: number, file: path, "the field \"seq\" is missing") }
            return record
        } catch {
            result.addProblem(line: number, file: path, error.description)
            return nil
        }
    }
}
