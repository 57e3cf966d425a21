/// One line `key=value` of a keyfile, in its group.
struct KeyfileEntry: Hashable {
    /// The path of the group, without slashes at its ends.
    let group: String
    /// The key.
    let key: String
    /// The value as it stands there.
    let value: String
    /// The line, counted from 1.
    let line: Int
}
