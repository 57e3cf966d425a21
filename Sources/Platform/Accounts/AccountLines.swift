/// Finds the lines of a file of users or groups.
struct AccountLines {
    /// The bytes of the file.
    private let bytes: [UInt8]
    /// Where the next line begins.
    private var start = 0
    /// The number of the last line that was found; 1 is the first.
    private(set) var number = 0

    /// Begins at the first line.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next line, without its end; `nil` at the end of the bytes.
    mutating func next() -> Range<Int>? {
        guard start < bytes.count else { return nil }
        var end = start
        while end < bytes.count, bytes[end] != 0x0a { end += 1 }
        defer { start = end + 1 }
        number += 1
        return start..<end
    }
}
