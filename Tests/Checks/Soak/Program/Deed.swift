/// What one thread did with one key, and when.
struct Deed: Equatable {
    /// What was done.
    enum Kind: UInt8 {
        /// A value was read; 0 for none.
        case read
        /// A value was set that no other thread sets; 0 where the key was removed.
        case write
    }

    /// What was done.
    var kind: Kind
    /// The process.
    var process: Int
    /// The key, in one of the domains.
    var key: Int
    /// The value: a number that is written once; 0 for none.
    var value: Int64
    /// When it began, in microseconds of the machine's clock that never goes back.
    var begin: Int64
    /// When it had ended.
    var end: Int64

    /// The words of a line.
    var line: String { "\(kind.rawValue) \(process) \(key) \(value) \(begin) \(end)" }

    /// Describes an operation.
    init(_ kind: Kind, process: Int, key: Int, value: Int64, begin: Int64, end: Int64) {
        self.kind = kind
        self.process = process
        self.key = key
        self.value = value
        self.begin = begin
        self.end = end
    }

    /// Reads a line; `nil` for any other text.
    init?(line: Substring) {
        let numbers = line.split(separator: " ").compactMap { Int64($0) }
        guard numbers.count == 6, let kind = UInt8(exactly: numbers[0]).flatMap(Kind.init(rawValue:)) else {
            return nil
        }
        self.init(
            kind, process: Int(numbers[1]), key: Int(numbers[2]), value: numbers[3], begin: numbers[4], end: numbers[5])
    }
}
