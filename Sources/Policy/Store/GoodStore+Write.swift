import Platform
import PropertyList

extension GoodStore {
    /// Writes a new copy; its name is on disk only after ``sync(root:)``.
    func write(
        _ bytes: [UInt8], digest: Digest, of name: Key, isSigned: Bool = false, root: Root
    ) throws(SystemError) {
        guard let directory else { return }
        let copy = next(digest, of: name, isSigned: isSigned)
        try root.replace("\(directory)/\(copy.fileName)", with: bytes, mode: 0o644, syncsDirectory: false)
    }

    /// The copy that follows those of a file.
    private func next(_ digest: Digest, of name: Key, isSigned: Bool) -> GoodCopy {
        copies[name].map { $0.newest.next(digest: digest, isSigned: isSigned) }
            ?? GoodCopy(name: name, number: 1, digest: digest, isSigned: isSigned)
    }

    /// Waits until the names of new copies are on disk.
    func sync(root: Root) throws(SystemError) {
        if let directory { try root.syncDirectory(directory) }
    }

    /// Removes every copy of a file, or all but the newest.
    func remove(_ name: Key, keepingNewest: Bool = false, root: Root) throws(SystemError) {
        guard let directory, let copies = copies[name] else { return }
        for copy in keepingNewest ? copies.older : copies.all { try root.remove("\(directory)/\(copy.fileName)") }
    }

    /// Removes the copies of `/run` that belong to an earlier boot.
    static func removeEarlierBoots(root: Root) throws(SystemError) {
        guard let current = directory(root: root, place: .run) else { return }
        let parent = "\(StorePath.good)/run"
        for boot in earlierBoots(root: root, parent: parent, current: current) {
            for name in try root.names(in: "\(parent)/\(boot)") { try root.remove("\(parent)/\(boot)/\(name)") }
            try root.removeDirectory("\(parent)/\(boot)")
        }
    }

    /// Whether there are copies of an earlier boot.
    static func hasEarlierBoots(root: Root) -> Bool {
        guard let current = directory(root: root, place: .run) else { return false }
        return !earlierBoots(root: root, parent: "\(StorePath.good)/run", current: current).isEmpty
    }

    /// The directories of earlier boots, by name.
    private static func earlierBoots(root: Root, parent: String, current: String) -> [String] {
        let names = (try? root.trustedDirectory(parent).names()) ?? []
        return names.filter { "\(parent)/\($0)" != current }
    }
}
