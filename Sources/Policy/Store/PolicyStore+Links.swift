import Platform
import PropertyList

extension PolicyStore {
    /// The most folders that are watched for the sake of links.
    private static let linkFolderLimit = 256
    /// The most links that one name may lead through, as in the kernel.
    private static let linkLimit = 40

    /// The folders, under the root, of what policy files lead to that are links: a change there changes policy, although
    /// nothing in its own directories does.
    ///
    /// - Parameter set: the policy files.
    /// - Returns: each folder once, in byte order, without those that are watched anyway.
    package func linkFolders(of set: PolicySet) -> [String] {
        var folders: Set<Key> = []
        for file in set.files where file.linkTarget != nil {
            if folders.count >= PolicyStore.linkFolderLimit { break }
            folders.formUnion(linkFolders(of: file).map { Key($0) })
        }
        let known = Set(PolicyStore.watchedFolders.map { Key($0) })
        return folders.subtracting(known).sorted().map(\.string)
    }

    /// The folders, under the root, that the links of a policy file lead into, one after the other; none for what is no link.
    func linkFolders(of file: LoadedFile) -> [String] {
        guard file.linkTarget != nil else { return [] }
        var folders: [String] = []
        var path = file.path
        for _ in 0..<PolicyStore.linkLimit {
            guard let target = try? root.linkTarget(path), target != "/dev/null" else { break }
            let folder = PolicyStore.folder(of: path)
            path = target.utf8.first == UInt8(ascii: "/") ? target : "\(folder)/\(target)"
            folders.append(PolicyStore.folder(of: path))
        }
        return folders
    }

    /// The folder of a path.
    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
        let folder = String(Substring(path.utf8[..<slash]))
        return folder.isEmpty ? "/" : folder
    }
}
