/// Numbers with their noun.
package enum Plural {
    /// A number and its noun: `1 key`, `2 keys`.
    ///
    /// - Parameters:
    ///   - number: the number.
    ///   - one: the singular.
    ///   - many: the plural; `nil` for the singular with an `s`.
    /// - Returns: both.
    package static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")"
    }

    /// Words with `and` before the last one: `a, b and c`; of many, the first three and the number of the others.
    ///
    /// - Parameters:
    ///   - words: the words.
    ///   - noun: the singular of what they name, for the number of the others.
    /// - Returns: the list.
    package static func list(_ words: [String], _ noun: String) -> String {
        var words = words
        if words.count > 4 { words[3...] = [count(words.count - 3, "more \(noun)")] }
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and \(last)"
    }
}
