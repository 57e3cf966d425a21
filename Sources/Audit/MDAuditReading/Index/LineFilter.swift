import MDAuditRecord
import MDPlatform
import MDPropertyList

/// What a line must have to be worth parsing, by a query: for the many lines that do not match.
///
/// Only lines as this program writes them are understood: one object without blanks between its tokens. Anything else is
/// left to the parser, which decides whether it is a record.
struct LineFilter {
    /// For each condition, the members by their places in ``RecordMember/order``, and JSON texts; a line must have one
    /// of these texts.
    private let conditions: [[(place: Int, text: [UInt8])]]
    /// The places of all those members, as bits.
    private let places: Int

    /// Makes the filter of a query; `nil` if it would pass every line.
    init?(_ query: AuditQuery) {
        /// A member with a text.
        func member(_ member: RecordMember, _ text: String) -> [(place: Int, text: [UInt8])] {
            var writer = JSONWriter()
            writer.string(text)
            return RecordMember.order.members.firstIndex(of: member).map { [($0, writer.utf8)] } ?? []
        }
        conditions = [
            query.kind.map { member(.kind, $0.rawValue) },
            query.key.map { member(.key, $0.string) },
            query.domain.map { member(.domain, $0.string) },
            query.user.map { user in
                let numbers = ([user] + query.people.map { "\($0.uid)" }).flatMap { number in
                    member(.uid, number).map { ($0.place, Array(number.utf8)) }
                }
                return ([user] + query.aliases).flatMap { member(.user, $0) } + numbers
            },
        ].compactMap { $0 }
        places = conditions.joined().reduce(0) { $0 | 1 << $1.place }
        if conditions.isEmpty { return nil }
    }

    /// Compares a line with the query.
    ///
    /// Complexity: O(n).
    ///
    /// - Parameters:
    ///   - bytes: lines of the log.
    ///   - line: the place of the line, without its line feed.
    /// - Returns: whether it may match; only the parser can tell.
    func mayMatch(_ bytes: [UInt8], _ line: Range<Int>) -> Bool {
        var scanner = PlainScanner(bytes, from: line.lowerBound, to: line.upperBound)
        guard scanner.skip("{") else { return true }
        let order = RecordMember.order
        // The number of a condition is that of its bit.
        var (next, met) = (0, 0)
        repeat {
            guard let name = scanner.name(), let value = scanner.anyValue() else { return true }
            // The order counts for nothing, as in the parser, and what is unknown is passed over.
            guard let place = order.place(of: name, from: next) ?? order.place(of: name, from: 0) else { continue }
            next = place
            if places & 1 << place == 0 { continue }
            for (number, condition) in conditions.enumerated() {
                for wanted in condition where wanted.place == place && LineFilter.may(bytes, value, wanted.text) {
                    met |= 1 << number
                }
            }
        } while scanner.skip(",")
        guard scanner.skip("}"), scanner.index == line.upperBound else { return true }
        return met == (1 << conditions.count) - 1
    }

    /// Whether a value may be the one that is looked for: it is, or it is written with escapes.
    private static func may(_ line: [UInt8], _ range: Range<Int>, _ wanted: [UInt8]) -> Bool {
        line[range].elementsEqual(wanted) || line[range].contains(UInt8(ascii: "\\"))
    }
}
