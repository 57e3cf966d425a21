/// The way from the root to a value that is being written, for the message of what cannot be written.
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

    /// A mistake in the value, which has keys instead of a place in a file.
    func mistake(_ code: PropertyListError.Code, _ message: String) -> PropertyListError {
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
