package import MDPlatform
package import MDPropertyList

/// A user's home, where programs keep what the user has stored.
///
/// It is read with the rights of that user. Nothing in it is trusted: every file is bounded.
package struct UserStore: Sendable {
    private let root: Root
    /// The home, under the root.
    private let home: String
    /// The most folders of profiles of one program that are looked at.
    private static let folderLimit = 64

    package init(home: String, in root: Root) {
        (self.home, self.root) = (home, root)
    }

    /// The path of a file, under the root.
    func path(_ name: String) -> String { "\(home)/\(name)" }

    /// A file that is read for stored values.
    struct File {
        /// The path, under the root.
        let path: String
        let bytes: [UInt8]
    }

    /// Reads a regular file; `nil` if it is missing, or if a program would not read it.
    func file(_ name: String, limit: Int = PlainJSON.sizeLimit) -> File? {
        (try? root.read(path(name), limit: limit)).map { File(path: path(name), bytes: $0.bytes) }
    }

    /// Reads the files of a name in the folders of a folder, as programs with several profiles have them.
    func files(named name: String, inFoldersOf folder: String) -> [File] {
        let names = ((try? root.names(in: path(folder))) ?? []).sorted { Key($0) < Key($1) }
        let found = names.lazy.compactMap { file("\(folder)/\($0)/\(name)") }
        return Array(found.prefix(UserStore.folderLimit))
    }
}

/// What a user has stored in a program's own store for a key that policy locks.
package struct StoredSetting: Sendable {
    package let domain: Key
    /// The key of the entry that hides it; of a sealed domain the key that is stored.
    package let key: Key
    package let value: Value
    /// The path of the file, under the root.
    package let file: String
    /// Whether it is what policy says, so that nothing is hidden.
    package let isEqual: Bool

    init(_ entry: ProgramEntry, key: Key? = nil, value: Value, file: String, isEqual: Bool) {
        (domain, self.key, self.value, self.file) = (entry.domain, key ?? entry.key, value, file)
        self.isEqual = isEqual
    }

    /// A value that is compared with that of the entry.
    init(_ entry: ProgramEntry, value: Value, file: String) {
        let isEqual = if case .forced(let forced) = entry.level { forced == value } else { false }
        self.init(entry, value: value, file: file, isEqual: isEqual)
    }
}
