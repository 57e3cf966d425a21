import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDPropertyList

/// The members of a line that queries ask about, found without parsing the line: for the many lines that do not match.
///
/// Only what this program writes is understood: one object without blanks between its tokens. Anything else is left to the
/// parser, which decides whether it is a record.
struct LineFields {
    /// The value of each member as JSON text, as a range of the line; `nil` if it has none.
    private(set) var kind: Range<Int>?
    /// The number of the user.
    private(set) var uid: Range<Int>?
    /// The name of the user.
    private(set) var user: Range<Int>?
    /// The domain.
    private(set) var domain: Range<Int>?
    /// The key.
    private(set) var key: Range<Int>?

    /// Finds the members; `nil` for a line that is not as this program writes it.
    ///
    /// Complexity: O(n).
    init?(_ bytes: [UInt8], _ line: Range<Int>) {
        var scanner = PlainScanner(bytes, from: line.lowerBound, to: line.upperBound)
        guard scanner.skip("{") else { return nil }
        let order = RecordMember.order
        var next = 0
        repeat {
            guard let name = scanner.name(), let value = scanner.anyValue() else { return nil }
            // The order counts for nothing, as in the parser, and what is unknown is passed over.
            guard let place = order.place(of: name, from: next) ?? order.place(of: name, from: 0) else { continue }
            next = place
            switch order.members[place] {
            case .kind: kind = value
            case .uid: uid = value
            case .user: user = value
            case .domain: domain = value
            case .key: key = value
            default: break
            }
        } while scanner.skip(",")
        guard scanner.skip("}"), scanner.index == line.upperBound else { return nil }
    }
}

/// What a line must have to be worth parsing, by a query.
struct LineFilter {
    /// The texts of JSON of which one must be the value of `uid` or `user`; `nil` if any may be.
    private var user: (names: [[UInt8]], uid: [UInt8])?
    /// The text of JSON that must be the value of the domain; `nil` if any may be.
    private var domain: [UInt8]?
    /// The same of the key.
    private var key: [UInt8]?
    /// The same of the kind.
    private var kind: [UInt8]?

    /// Makes the filter of a query; `nil` if it would pass every line.
    init?(_ query: AuditQuery) {
        user = query.user.map { user in (([user] + query.aliases).map { LineFilter.json($0) }, Array(user.utf8)) }
        domain = query.domain.map { LineFilter.json($0.string) }
        key = query.key.map { LineFilter.json($0.string) }
        kind = query.kind.map { LineFilter.json($0.rawValue) }
        if user == nil, domain == nil, key == nil, kind == nil { return nil }
    }

    /// Compares a line with the query.
    ///
    /// - Parameters:
    ///   - bytes: lines of the log.
    ///   - line: the place of the line, without its line feed.
    /// - Returns: whether it may match; only the parser can tell.
    func mayMatch(_ bytes: [UInt8], _ line: Range<Int>) -> Bool {
        guard let fields = LineFields(bytes, line) else { return true }
        if let kind, !LineFilter.may(bytes, fields.kind, kind) { return false }
        if let key, !LineFilter.may(bytes, fields.key, key) { return false }
        if let domain, !LineFilter.may(bytes, fields.domain, domain) { return false }
        guard let user else { return true }
        return LineFilter.may(bytes, fields.uid, user.uid)
            || user.names.contains { LineFilter.may(bytes, fields.user, $0) }
    }

    /// Whether a value may be the one that is looked for: it is, or it is written with escapes.
    private static func may(_ line: [UInt8], _ range: Range<Int>?, _ wanted: [UInt8]) -> Bool {
        guard let range else { return false }
        var isEqual = range.count == wanted.count
        var offset = 0
        for index in range {
            if line[index] == UInt8(ascii: "\\") { return true }
            if isEqual, line[index] != wanted[offset] { isEqual = false }
            offset += 1
        }
        return isEqual
    }

    /// A text as JSON.
    private static func json(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(text)
        return writer.utf8
    }
}
