/// A file of one of Xfce's channels in which others have properties too: those of policy come last, because the last of a
/// name counts, between two comments.
enum ChannelFile {
    /// The last tag.
    private static let end = Array("</channel>".utf8)
    /// The comments.
    private static let comments = ["<!-- ManagedDefaults: from here -->\n", "<!-- ManagedDefaults: to here -->"]

    /// The file with the properties of policy.
    ///
    /// - Parameters:
    ///   - lines: the properties.
    ///   - opening: how the file begins if others have none.
    ///   - theirs: what others have; empty if they have nothing.
    /// - Returns: its bytes.
    static func whole(_ lines: [String], opening: String, beside theirs: [UInt8]) -> [UInt8] {
        let block = Array((comments[0] + lines.map { $0 + "\n" }.joined() + comments[1]).utf8)
        guard let place = last(end, in: theirs) else { return Array(opening.utf8) + block + end + [0x0a] }
        return theirs[..<place] + block + theirs[place...]
    }

    /// What others have in a file; empty if that is nothing.
    ///
    /// - Returns: `nil` for a damaged file, which is not what others want.
    static func foreign(in bytes: [UInt8], opening: String) -> [UInt8]? {
        let theirs = withoutPolicy(bytes)
        if last(end, in: theirs) == nil { return nil }
        return theirs == Array(opening.utf8) + end + [0x0a] ? [] : theirs
    }

    /// A file without the properties of policy.
    static func withoutPolicy(_ bytes: [UInt8]) -> [UInt8] {
        let (begin, end) = (Array(comments[0].utf8), Array(comments[1].utf8))
        guard let first = last(begin, in: bytes), let final = last(end, in: bytes), first < final else { return bytes }
        return Array(bytes[..<first] + bytes[(final + end.count)...])
    }

    /// The last place of a text.
    private static func last(_ text: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= text.count else { return nil }
        return (0...(bytes.count - text.count)).last { bytes[$0...].starts(with: text) }
    }
}
