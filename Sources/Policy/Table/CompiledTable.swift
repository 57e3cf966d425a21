package import Platform
package import PropertyList

/// The merged policy of a machine, as it was compiled: a cache that is used instead of the sources exactly while nothing
/// that it was made of has changed.
package struct CompiledTable: Sendable {
    /// The whole table; its checksum has been checked.
    let bytes: [UInt8]
    /// Where everything stands.
    let sections: TableSections
    /// The host's name.
    package let host: HostName

    /// Opens the table of a root.
    ///
    /// The result is `nil` where there is none, where it is damaged, not trusted or of another version, or where anything
    /// differs from what it was made of: the sources then answer.
    package init?(root: Root) {
        do {
            let path = String(StorePath.table.dropFirst())
            let file = try root.readInPlace(path, limit: TableFormat.sizeLimit)
            guard CompiledTable.isTrusted(file.status, root: root) else { return nil }
            guard let table = try CompiledTable(checking: file.bytes, root: root) else { return nil }
            self = table
        } catch {
            // Whatever is wrong with a cache, the sources say what is in force, and whoever may write it writes it anew.
            return nil
        }
    }

    /// Reads the header and compares the witnesses.
    ///
    /// The result is `nil` where a witness does not hold any more.
    ///
    /// - Parameters:
    ///   - bytes: the whole table.
    ///   - root: whose files the witnesses are about; `nil` asks none of them, for tests of everything else.
    /// - Throws: what is wrong with the table.
    init?(checking bytes: [UInt8], root: Root?) throws(TableError) {
        var header = try CompiledTable.header(of: bytes)
        self.bytes = bytes
        sections = try TableSections(&header)
        let place = sections[.host].place
        var reader = try TableReader(bytes, at: place.offset, length: place.length)
        guard let host = HostName(try reader.text()) else { throw TableError("the host name is none") }
        self.host = host
        guard let root else { return }
        guard sections[.surroundings].count >= WitnessList.directories.count else {
            throw TableError("it has too few witnesses")
        }
        for section in [TableSection.surroundings, .sources] {
            var reader = try self.reader(of: section)
            for index in 0..<sections[section].count {
                let isFixed = section == .surroundings && index < WitnessList.directories.count
                let expected = isFixed ? WitnessList.directories[index] : nil
                guard try Witness.stillHolds(&reader, as: expected, root: root) else { return nil }
            }
        }
    }

    /// A reader of a section.
    func reader(of section: TableSection) throws(TableError) -> TableReader {
        let place = sections[section].place
        return try TableReader(bytes, at: place.offset, length: place.length)
    }

    /// The words of the machine's tags file.
    package func tags() throws(TableError) -> Set<Key> {
        var reader = try reader(of: .tags)
        var tags: Set<Key> = []
        for _ in 0..<sections[.tags].count { tags.insert(Key(try reader.text())) }
        return tags
    }

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

    /// Checks everything that says whether the bytes are a whole table of this version.
    ///
    /// - Returns: a reader behind the checksum.
    static func header(of bytes: [UInt8]) throws(TableError) -> TableReader {
        guard bytes.starts(with: TableFormat.magic) else { throw TableError("it is no compiled table") }
        var header = try TableReader(bytes, at: TableFormat.magic.count)
        guard try header.word() == TableFormat.version else { throw TableError("it is of another version") }
        guard Int(try header.word()) == bytes.count, bytes.count >= TableFormat.headerSize else {
            throw TableError("it is not whole")
        }
        guard try header.long() == TableFormat.checksum(bytes) else { throw TableError("its checksum does not match") }
        return header
    }

    /// Whether only the owner of the root can have written a file or directory.
    static func isTrusted(_ status: FileStatus, root: Root) -> Bool {
        // Stricter than the rule for sources: whatever is unusual is left to them.
        let writable: UInt32 = status.kind == .directory && !root.isSystem ? 0o002 : 0o022
        return status.owner == root.owner && status.mode & writable == 0
    }
}
