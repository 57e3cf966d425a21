import Platform
import PropertyList

/// What several paths name is checked once.
extension LintInput {
    /// What all paths of a folder have in common.
    static func identity(ofFolder folder: String) -> Key {
        let status = try? Root.system.status(path(folder.isEmpty ? "." : folder), followingLinks: true)
        return Key(status.map { "\($0.device)/\($0.inode)" } ?? folder)
    }

    /// The named files without those that were named before, and without those that are checked with the folder that they
    /// lie in.
    ///
    /// Of a folder with other files only what is policy is checked, and of what is named everything.
    func unseen(_ named: [String]) -> [String] {
        if named.isEmpty || named.count == 1 && sets.isEmpty { return named }
        var known: [Key: Bool] = [:]
        for set in sets {
            guard let first = set.paths.first else { continue }
            let folder = LintInput.identity(ofFolder: LintInput.folder(of: first))
            for path in set.paths { known[LintInput.identity(path, in: folder)] = set.isNamed }
        }
        return named.filter { path in
            let folder = LintInput.identity(ofFolder: LintInput.folder(of: path))
            guard let isNamed = known.updateValue(true, forKey: LintInput.identity(path, in: folder)) else {
                return true
            }
            return !isNamed && !LintInput.isPolicy(path)
        }
    }

    /// What all paths of a file have in common that lead to one name in one folder.
    private static func identity(_ path: String, in folder: Key) -> Key { Key("\(folder.string)/\(name(of: path))") }
}
