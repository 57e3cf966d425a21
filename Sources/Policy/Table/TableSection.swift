/// The sections of a compiled table, in the order in which the header points at them.
enum TableSection: Int, CaseIterable {
    /// What the kernel said of everything but the policy files: pieces of no fixed size.
    case surroundings
    /// What the kernel said of the policy files, in the same shape.
    case sources
    /// Offset and length of the head of each policy file, and of the places of the groups that it has a part in, eight
    /// bytes each, in order of application.
    case files
    /// The slots in which groups are found by their hash, a power of two of them: upper half of the hash, offset and
    /// length of the group, twelve bytes each; a length of zero is an empty slot.
    case slots
    /// Offset and length of each group that says what people are told, eight bytes each.
    case described
    /// The calendars.
    case calendars
    /// The host's name.
    case host
    /// The words of the machine's tags file.
    case tags
    /// The slots in which domains are found by their hash, shaped like those of groups; the piece that one points at is
    /// all groups of the domain, one behind the other.
    case domains
    /// Without content: its count is 0 if every file is in force as it is, else 1.
    case broken
}
