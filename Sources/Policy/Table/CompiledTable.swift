package import Platform
package import PropertyList

/// The merged policy of a machine, as it was compiled: a cache that is used instead of the sources exactly while nothing
/// that it was made of has changed.
package struct CompiledTable: Sendable {
    /// The bytes, each of which is checked before it is read.
    let pages: TablePages
    /// Where everything stands.
    let sections: TableSections
    /// The host's name.
    package let host: HostName

    /// Opens the table of a root.
    ///
    /// The result is `nil` where there is none, where it is damaged, not trusted or of another version, or where anything
    /// differs from what it was made of: the sources then answer. Damage of what is read later is found then.
    package init?(root: Root) {
        do {
            let file = try root.openInPlace(String(StorePath.table.dropFirst()))
            guard CompiledTable.isTrusted(file.status, root: root),
                let table = try CompiledTable(checking: try TablePages(file), root: root)
            else { return nil }
            self = table
        } catch {
            // Whatever is wrong with a cache, the sources say what is in force, and whoever may write it writes it anew.
            return nil
        }
    }

    /// Whether there is a table of a root that can be used, down to its last byte.
    package static func isWhole(root: Root) -> Bool {
        guard let table = CompiledTable(root: root) else { return false }
        do {
            try table.pages.requireAll()
            return true
        } catch {
            return false
        }
    }

    /// Reads the header and compares the witnesses.
    ///
    /// The result is `nil` where a witness does not hold any more.
    ///
    /// - Parameters:
    ///   - pages: the whole table.
    ///   - root: whose files the witnesses are about; `nil` asks none of them, for tests of everything else.
    /// - Throws: what is wrong with the table.
    init?(checking pages: TablePages, root: Root?) throws(TableError) {
        self.pages = pages
        let start = TableFormat.generationOffset
        var header = try TableReader(pages, TablePlace(offset: start, length: TableFormat.headerSize - start))
        let generation = try header.long()
        sections = try TableSections(&header)
        var reader = try TableReader(pages, sections[.host].place)
        guard let host = HostName(try reader.text()) else { throw TableError("the host name is none") }
        self.host = host
        guard let root else { return }
        guard sections[.surroundings].count >= WitnessList.directories.count else {
            throw TableError("it has too few witnesses")
        }
        reader = try self.reader(of: .surroundings)
        for index in 0..<sections[.surroundings].count {
            let expected = index < WitnessList.directories.count ? WitnessList.directories[index] : nil
            guard try Witness.stillHolds(&reader, as: expected, root: root) else { return nil }
        }
        let count = sections[.sources].count
        // Asking for the lock costs as much as asking for a few files.
        if count > CompiledTable.fewFiles, WatchedGeneration.isWatched(generation, root: root) { return }
        reader = try self.reader(of: .sources)
        for _ in 0..<count {
            guard try Witness.stillHolds(&reader, as: nil, root: root) else { return nil }
        }
    }

    /// So many policy files are asked about one by one, whether or not a daemon watches them.
    private static let fewFiles = 8

    /// A reader of a section.
    func reader(of section: TableSection) throws(TableError) -> TableReader {
        try TableReader(pages, sections[section].place)
    }

    /// The words of the machine's tags file.
    package func tags() throws(TableError) -> Set<Key> {
        var reader = try reader(of: .tags)
        var tags: Set<Key> = []
        for _ in 0..<sections[.tags].count { tags.insert(Key(try reader.text())) }
        return tags
    }

    /// Whether every file that it was made of is in force as it is, so that there is nothing to say about any.
    package var isSound: Bool { sections[.broken].count == 0 }

    /// The calendars that are in force.
    func calendars() throws(TableError) -> [Key: [Window]] {
        var reader = try reader(of: .calendars)
        var calendars: [Key: [Window]] = [:]
        for _ in 0..<sections[.calendars].count {
            let name = Key(try reader.text())
            var windows: [Window] = []
            for _ in 0..<(try reader.count()) { windows.append(try reader.window()) }
            calendars[name] = windows
        }
        return calendars
    }

    /// Whether only the owner of the root can have written a file or directory.
    static func isTrusted(_ status: FileStatus, root: Root) -> Bool {
        // Stricter than the rule for sources: whatever is unusual is left to them.
        let writable: UInt32 = status.kind == .directory && !root.isSystem ? 0o002 : 0o022
        return status.owner == root.owner && status.mode & writable == 0
    }
}
