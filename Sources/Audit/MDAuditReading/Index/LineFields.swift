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
    init?(_ line: Span<UInt8>) {
        guard line.count > 2, line[0] == UInt8(ascii: "{") else { return nil }
        var index = 1
        while true {
            guard let name = LineFields.string(line, at: index), !name.isEscaped, name.end < line.count - 1,
                line[name.end] == UInt8(ascii: ":"), let end = LineFields.value(line, at: name.end + 1),
                end < line.count
            else { return nil }
            take(line, index + 1..<name.end - 1, name.end + 1..<end)
            if line[end] == UInt8(ascii: "}") {
                guard end == line.count - 1 else { return nil }
                return
            }
            guard line[end] == UInt8(ascii: ",") else { return nil }
            index = end + 1
        }
    }

    /// Notes the value of a member.
    private mutating func take(_ line: Span<UInt8>, _ name: Range<Int>, _ value: Range<Int>) {
        guard name.count <= 6 else { return }
        var letters: UInt64 = 0
        for index in name { letters = letters << 8 | UInt64(line[index]) }
        switch letters {
        // The letters of each name, the last one lowest.
        case 0x7569_64: uid = value
        case 0x6b65_79: key = value
        case 0x6b69_6e64: kind = value
        case 0x7573_6572: user = value
        case 0x646f_6d61_696e: domain = value
        default: break
        }
    }

    /// The end of a string that begins here, and whether it has a backslash; `nil` if there is none.
    private static func string(_ line: Span<UInt8>, at start: Int) -> (end: Int, isEscaped: Bool)? {
        guard start < line.count, line[start] == UInt8(ascii: "\"") else { return nil }
        var (index, isEscaped) = (start + 1, false)
        while index < line.count {
            let byte = line[index]
            if byte == UInt8(ascii: "\"") { return (index + 1, isEscaped) }
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                index += 1
            }
            index += 1
        }
        return nil
    }

    /// The end of a value that begins here; `nil` if there is none.
    private static func value(_ line: Span<UInt8>, at start: Int) -> Int? {
        guard start < line.count else { return nil }
        switch line[start] {
        case UInt8(ascii: "\""): return string(line, at: start)?.end
        case UInt8(ascii: "{"), UInt8(ascii: "["): return container(line, at: start)
        default:
            var index = start
            while index < line.count, isPlain(line[index]) { index += 1 }
            return index > start ? index : nil
        }
    }

    /// Whether a byte can be part of a number or of a word.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"),
            UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// The end of an object or array that begins here; `nil` if there is none.
    private static func container(_ line: Span<UInt8>, at start: Int) -> Int? {
        var (index, depth) = (start, 0)
        while index < line.count {
            switch line[index] {
            case UInt8(ascii: "\""):
                guard let end = string(line, at: index)?.end else { return nil }
                index = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return index + 1 }
            case 0...0x20: return nil
            default: break
            }
            index += 1
        }
        return nil
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

    /// Whether a line may match; only the parser can tell.
    func mayMatch(_ line: Span<UInt8>) -> Bool {
        guard let fields = LineFields(line) else { return true }
        if let kind, !LineFilter.may(line, fields.kind, kind) { return false }
        if let key, !LineFilter.may(line, fields.key, key) { return false }
        if let domain, !LineFilter.may(line, fields.domain, domain) { return false }
        guard let user else { return true }
        return LineFilter.may(line, fields.uid, user.uid)
            || user.names.contains { LineFilter.may(line, fields.user, $0) }
    }

    /// Whether a value may be the one that is looked for: it is, or it is written with escapes.
    private static func may(_ line: Span<UInt8>, _ range: Range<Int>?, _ wanted: [UInt8]) -> Bool {
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
