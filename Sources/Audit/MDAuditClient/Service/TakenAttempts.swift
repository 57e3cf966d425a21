import MDAuditRecord
import MDPlatform

/// The number of attempts that the audit service took over from each connection.
///
/// It is in a file that everybody may read and that survives a kill of the service. A connection whose service has gone
/// does not know how many attempts that service had read. The next service accounts for the taken attempts, and the
/// sender for those that were sent and not taken: so each attempt counts once.
package enum TakenAttempts {
    /// The path of the file, under the root.
    package static let path = "/run/mdefaultsd/taken"
    /// The most connections that it has numbers of.
    package static let capacity = 2_048
    /// The words of a connection: two that only a process with its name can find, and the number of attempts.
    package static let width = 4
    /// The place of the number among them.
    package static let number = 2
    /// The range of names: random numbers that every program represents exactly.
    package static let names = 1...AuditRecord.largestNumber

    /// The words by which the connection of a name is found; the name cannot be computed from them.
    package static func mark(of name: Int) -> (Int64, Int64) {
        let bytes = SHA256.hash(Array("managed-defaults/connection\n\(name)\n".utf8)).bytes
        let words = [bytes[..<8], bytes[8..<16]].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        return (Int64(bitPattern: words[0]), Int64(bitPattern: words[1]))
    }

    /// The number of attempts that were taken from the connection of a name; `nil` if the file does not say.
    static func count(ofConnection name: Int, root: Root) -> Int? {
        let size = capacity * width * MemoryLayout<Int64>.size
        guard let bytes = try? root.read(path, limit: size).bytes else { return nil }
        let mark = mark(of: name)
        /// A word of the file.
        func word(_ index: Int) -> Int64? {
            let start = index * 8
            guard start + 8 <= bytes.count else { return nil }
            let little = bytes[start..<(start + 8)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Int64(bitPattern: UInt64(littleEndian: little))
        }
        for place in 0..<capacity {
            guard let first = word(place * width) else { return nil }
            if first == mark.0, word(place * width + 1) == mark.1, let count = word(place * width + number) {
                return Int(exactly: max(count, 0))
            }
        }
        return nil
    }
}
