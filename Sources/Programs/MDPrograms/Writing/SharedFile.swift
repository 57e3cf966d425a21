import MDPropertyList

/// A file that others may write into too: what is theirs, and what it becomes with ours.
struct SharedFile {
    /// What is wanted of the file.
    let content: ProgramFile.Content

    /// What others have in a file that was changed since it was written.
    ///
    /// - Parameters:
    ///   - current: the file as it is.
    ///   - written: the file as it was written last; `nil` if it never was, or that is unknown.
    ///   - original: what others had then.
    /// - Returns: the file without what was ours; `nil` if the file does not parse.
    func foreign(in current: [UInt8], written: [UInt8]?, original: [UInt8]?) -> [UInt8]? {
        switch content {
        case .bytes, .rules, .channel(_, _, isShared: false): return nil
        case .channel(let opening, _, _): return ChannelFile.foreign(in: current, opening: opening)
        case .block:
            if let theirs = SharedFile.withoutBlock(current) { return theirs }
            fallthrough
        case .lines, .profile:
            let theirs = Set(SharedFile.lines(original ?? []))
            let ours = Set(SharedFile.lines(written ?? [])).subtracting(theirs)
            return SharedFile.text(SharedFile.lines(current).filter { !ours.contains($0) })
        case .items(let items, let group, let key):
            let list = KeyFileList(group: group, key: key)
            let theirs = list.items(in: original ?? [])
            let last = list.items(in: written ?? [])
            return list.removing((items + last).filter { !theirs.contains($0) }, from: current)
        case .members(let path, _):
            guard var members = try? PlainJSON.object(current) else { return nil }
            let before = (try? PlainJSON.object(original ?? [])) ?? [:]
            let last = (try? PlainJSON.object(written ?? [])) ?? [:]
            let theirs = SharedFile.object(at: path[...], of: before)
            let ours = SharedFile.object(at: path[...], of: last).filter { theirs[$0.key] != $0.value }
            members = SharedFile.changing(members, at: path[...]) { object in
                for name in ours.keys { object[name] = theirs[name] }
            }
            return PlainJSON.encode(.dictionary(members))
        }
    }

    /// The file with ours.
    ///
    /// - Parameter foreign: what others have in it; `nil` if there is nothing.
    /// - Returns: its bytes; `nil` if it cannot be written as JSON.
    func whole(with foreign: [UInt8]?) -> [UInt8]? {
        switch content {
        case .bytes(let bytes): return bytes
        case .rules(let rules): return rules.bytes
        case .block(let lines):
            let theirs = foreign ?? []
            let isEnded = theirs.isEmpty || theirs.last == 0x0a
            let text = [SharedFile.begin + (isEnded ? [] : SharedFile.unended)] + lines.map { Array($0.utf8) }
            return theirs + (isEnded ? [] : [0x0a]) + SharedFile.text(text + [SharedFile.end])
        case .channel(let opening, let lines, let isShared):
            return ChannelFile.whole(lines, opening: opening, beside: isShared ? foreign ?? [] : [])
        case .lines(let first, let last):
            let ours = [first, last].map { $0.map { Array($0.utf8) } }
            return SharedFile.text(ours[0] + SharedFile.lines(foreign ?? []) + ours[1])
        case .items(let items, let group, let key):
            return KeyFileList(group: group, key: key).adding(items, to: foreign ?? [])
        case .profile(let database, let hidden):
            let theirs = foreign.map { SharedFile.lines($0).map { String(decoding: $0, as: UTF8.self) } } ?? hidden
            return SharedFile.text(DconfProfile(theirs).lines(with: database).map { Array($0.utf8) })
        case .members(let path, let ours):
            let members = foreign.flatMap { try? PlainJSON.object($0) } ?? [:]
            return PlainJSON.encode(
                .dictionary(
                    SharedFile.changing(members, at: path[...]) { object in object.merge(ours) { $1 } }))
        }
    }

    /// The object at a path of names; an empty one if there is none.
    static func object(at path: ArraySlice<Key>, of members: [Key: Value]) -> [Key: Value] {
        guard let name = path.first else { return members }
        guard case .dictionary(let inner) = members[name] else { return [:] }
        return object(at: path.dropFirst(), of: inner)
    }

    /// Members in which the object at a path is changed; an empty one is not made for nothing.
    static func changing(
        _ members: [Key: Value], at path: ArraySlice<Key>, _ change: (inout [Key: Value]) -> Void
    ) -> [Key: Value] {
        var members = members
        guard let name = path.first else {
            change(&members)
            return members
        }
        var inner: [Key: Value] = [:]
        if case .dictionary(let present) = members[name] { inner = present }
        members[name] = .dictionary(changing(inner, at: path.dropFirst(), change))
        return members
    }

    /// The comment before a block.
    private static let begin = Array(ProgramFile.blockBegin.utf8)
    /// What the comment has besides where others' last line has no end.
    private static let unended = Array(", after a line without an end".utf8)
    /// The comment after it.
    private static let end = Array("# ManagedDefaults: to here".utf8)

    /// A file without its block; `nil` if it has not exactly one.
    private static func withoutBlock(_ bytes: [UInt8]) -> [UInt8]? {
        let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
        let first = lines.indices.filter { lines[$0].starts(with: begin) }
        let last = lines.indices.filter { lines[$0].elementsEqual(end) }
        guard first.count == 1, last.count == 1, first[0] < last[0] else { return nil }
        let before = Array(lines[..<first[0]].joined(separator: [0x0a]))
        let after = Array(lines[(last[0] + 1)...].joined(separator: [0x0a]))
        if after.isEmpty, lines[first[0]].elementsEqual(begin + unended) { return before }
        return before + (first[0] == 0 ? [] : [0x0a]) + after
    }

    private static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        bytes.split(separator: 0x0a, omittingEmptySubsequences: true).map(Array.init)
    }

    private static func text(_ lines: [[UInt8]]) -> [UInt8] { lines.flatMap { $0 + [0x0a] } }
}
