import Platform

/// Paths as the caller writes them, on the running system.
enum CallerPath {
    /// A path from `/` on; what does not begin with a slash begins where the caller stands.
    static func absolute(_ word: String) throws(SystemError) -> String {
        if word.hasPrefix("/") { return word }
        let name = word.hasPrefix("./") ? String(word.dropFirst(2)) : word
        return try Root.system.linkTarget("/proc/self/cwd") + "/" + name
    }

    /// The most links that stand for one file, as in the kernel.
    private static let maximumLinks = 40

    /// The path of the file that a path's last link leads to in the end; the path itself where it is no link.
    ///
    /// A file is replaced where it is, so that the link stays.
    ///
    /// - Throws: ELOOP where there are too many links.
    static func followingLast(_ path: String, in root: Root) throws(SystemError) -> String {
        var path = path
        for _ in 0..<maximumLinks {
            do throws(SystemError) {
                guard try root.status(path, followingLinks: false).kind == .link else { return path }
                let target = try root.linkTarget(path)
                path = target.hasPrefix("/") ? target : split(path).folder + "/" + target
            } catch {
                if error.isMissing { return path }
                throw error
            }
        }
        throw SystemError(operation: "open", path: root.display(path), code: 40)
    }

    /// Folder and name of a path.
    static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let folder = String(path[..<slash])
        return (folder.isEmpty ? "/" : folder, String(path[path.utf8.index(after: slash)...]))
    }
}
