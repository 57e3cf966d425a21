/// Which entries of a key compete with each other; the raw value is the byte in a compiled table.
enum GroupKind: UInt8 {
    /// Forced and absent ones.
    case forced = 1
    /// Recommended ones.
    case recommended
}
