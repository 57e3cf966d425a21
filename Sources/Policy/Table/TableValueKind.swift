/// The kinds of value in a compiled table, by the byte that stands for them.
enum TableValueKind: UInt8 {
    /// Text.
    case string = 1
    /// A truth value.
    case boolean
    /// A whole number.
    case integer
    /// A floating-point number.
    case real
    /// A point in time.
    case date
    /// Bytes.
    case data
    /// An ordered list.
    case array
    /// A dictionary.
    case dictionary
}
