/// Collects the bytes of an output text.
struct TextOutput {
    /// The text so far, as UTF-8.
    private(set) var bytes: [UInt8] = []

    /// Adds a text.
    mutating func write(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Adds a byte.
    mutating func write(_ byte: UInt8) {
        bytes.append(byte)
    }

    /// Adds repeated bytes.
    mutating func write(_ byte: UInt8, times: Int) {
        bytes.append(contentsOf: repeatElement(byte, count: times))
    }
}

/// The path from the root to the value that is being written, for error messages.
struct ValuePath {
    /// A step down.
    private enum Step {
        /// To the value of a key.
        case key(Key)
        /// To an element of an array, counted from 0.
        case index(Int)
    }

    /// The steps so far.
    private var steps: [Step] = []

    /// Goes to the value of a key.
    mutating func enter(key: Key) {
        steps.append(.key(key))
    }

    /// Goes to an element of an array.
    mutating func enter(index: Int) {
        steps.append(.index(index))
    }

    /// Goes back up.
    mutating func leave() {
        _ = steps.popLast()
    }

    /// An error at this path, for values without a position in a file.
    func error(_ code: PropertyListError.Code, _ message: String) -> PropertyListError {
        let names = steps.prefix(8).map { step in
            switch step {
            case .key(let key): Excerpt.quote(key.string)
            case .index(let index): "element \(index)"
            }
        }
        guard !names.isEmpty else { return PropertyListError(code, message, at: .start) }
        let way = names.joined(separator: ", ") + (steps.count > names.count ? ", …" : "")
        return PropertyListError(code, "\(message) (in \(way))", at: .start)
    }
}
