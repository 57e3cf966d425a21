/// A word of a JSON text and the place where it begins.
struct JSONToken {
    /// What a token is.
    enum Kind {
        /// `{`
        case beginObject
        /// `}`
        case endObject
        /// `[`
        case beginArray
        /// `]`
        case endArray
        /// `:`
        case colon
        /// `,`
        case comma
        /// A string, its escapes resolved.
        case string(String)
        /// A number without fraction and exponent.
        case integer(Integer)
        /// A number with a fraction or an exponent; always finite.
        case real(Double)
        /// `true` or `false`.
        case boolean(Bool)
        /// `null`
        case null
        /// Nothing is left.
        case end
    }

    /// What the token is.
    let kind: Kind
    /// The offset of its first byte.
    let offset: Int
}
