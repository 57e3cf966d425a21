import Platform
import PropertyList

extension GoodStore {
    /// Writes a new copy, and removes those that it replaces once it is on disk.
    func write(
        _ bytes: [UInt8], digest: Digest, of name: Key, isSigned: Bool = false, root: Root
    ) throws(SystemError) {
        guard let directory else { return }
        let old = copies[name] ?? []
        let first = GoodCopy(name: name, number: 1, digest: digest, isSigned: isSigned)
        let copy = old.first.map { $0.next(digest: digest, isSigned: isSigned) } ?? first
        try root.replace("\(directory)/\(copy.fileName)", with: bytes, mode: 0o644)
        for superseded in old where superseded.fileName != copy.fileName {
            try root.remove("\(directory)/\(superseded.fileName)")
        }
    }

    /// Removes every copy of a file, or all but the newest.
    func remove(_ name: Key, keepingNewest: Bool = false, root: Root) throws(SystemError) {
        guard let directory, let copies = copies[name] else { return }
        for copy in copies.dropFirst(keepingNewest ? 1 : 0) { try root.remove("\(directory)/\(copy.fileName)") }
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
