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
}
