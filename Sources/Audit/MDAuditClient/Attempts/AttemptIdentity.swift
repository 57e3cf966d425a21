package import MDAuditRecord
import MDPropertyList

/// What makes two attempts equal: sender, user, process, domain, key, value, way and outcome, as a fingerprint.
///
/// The fingerprint has 128 bits and a key that differs in each process, so that no sender can make two attempts that have
/// the same one.
package struct AttemptIdentity: Hashable, Sendable {
    /// Two keyed hashes of the fields.
    private let words: (Int, Int)

    /// Takes the fingerprint of a record.
    ///
    /// - Parameters:
    ///   - attempt: the record.
    ///   - sender: the process that made it, if one process reports for several.
    package init(_ attempt: AuditRecord, of sender: Int) {
        var fields = Fields(beginOf: attempt, of: sender)
        fields.add(attempt.via.map { Array($0.rawValue.utf8)[...] })
        fields.add(attempt.outcome.map { Array($0.rawValue.utf8)[...] })
        fields.add(attempt.domain.map { Array($0.string.utf8)[...] })
        fields.add(attempt.key.map { Array($0.string.utf8)[...] })
        fields.add(attempt.tried?.json[...])
        words = fields.words
    }

    /// Takes the fingerprint of a line that does not become a record.
    ///
    /// - Parameters:
    ///   - begin: the fields that all attempts of the process share.
    ///   - fields: the places of way, outcome, domain, key and value in the line, in this order; `nil` for one that is
    ///     absent.
    ///   - line: the line.
    package init(_ begin: Fields, _ fields: InlineArray<5, Range<Int>?>, in line: [UInt8]) {
        var all = begin
        for index in fields.indices { all.add(fields[index].map { line[$0] }) }
        words = all.words
    }

    /// Whether two attempts are equal.
    package static func == (left: AttemptIdentity, right: AttemptIdentity) -> Bool { left.words == right.words }

    /// Feeds one of the hashes.
    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }

    /// The first fields of an attempt.
    package struct Fields: Sendable {
        /// The hashes so far.
        private var (one, two) = (Hasher(), Hasher())

        /// Selects the fields that all attempts of a process share: kind, source, user and process.
        package init(beginOf attempt: AuditRecord, of sender: Int) {
            // What follows is fed to both, so they must differ in the first word.
            one.combine(1)
            two.combine(2)
            add(sender)
            add(Array(attempt.kind.rawValue.utf8)[...])
            add(attempt.src.map { Array($0.rawValue.utf8)[...] })
            add(attempt.uid.map { Int($0) })
            add(attempt.pid.map { Int($0) })
            add(attempt.start.map { Int(truncatingIfNeeded: $0) })
        }

        /// Adds bytes, with their number, so that no two lists of fields are alike.
        fileprivate mutating func add(_ bytes: ArraySlice<UInt8>?) {
            add(bytes?.count)
            guard let bytes else { return }
            // The pointer is used inside the closure only, for the bytes of the array.
            unsafe bytes.withUnsafeBytes {
                unsafe one.combine(bytes: $0)
                unsafe two.combine(bytes: $0)
            }
        }

        /// Adds a number.
        private mutating func add(_ number: Int?) {
            one.combine(number)
            two.combine(number)
        }

        /// The fingerprint of all fields.
        fileprivate var words: (Int, Int) { (one.finalize(), two.finalize()) }
    }
}
