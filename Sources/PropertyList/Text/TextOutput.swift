/// Collects the bytes of a text that is written.
struct TextOutput {
    /// What is written so far, as UTF-8.
    private(set) var bytes: [UInt8] = []

    /// Adds a text.
    mutating func write(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Adds a byte.
    mutating func write(_ byte: UInt8) {
        bytes.append(byte)
    }

    /// Adds bytes.
    mutating func write(_ other: some Sequence<UInt8>) {
        bytes.append(contentsOf: other)
    }

    /// Adds a byte a number of times.
    mutating func write(_ byte: UInt8, times: Int) {
        bytes.append(contentsOf: repeatElement(byte, count: times))
    }
}
