import MDPlatform

/// Paths as the caller writes them, on the running system.
enum CallerPath {
    /// Makes a path absolute; a relative one begins in the working directory.
    static func absolute(_ word: String) throws(SystemError) -> String {
        if word.hasPrefix("/") { return word }
        let name = word.hasPrefix("./") ? String(word.dropFirst(2)) : word
        return try Root.system.linkTarget("/proc/self/cwd") + "/" + name
    }

    /// Makes a word of the command line an absolute path.
    static func given(_ word: String) throws(Failure) -> String {
        do throws(SystemError) {
            return try absolute(word)
        } catch {
            throw .of(error)
        }
    }

    /// The most links in a row that are followed, as in the kernel.
    private static let maximumLinks = 40

    /// Follows the last component of a path while it is a link, for reading; a file that is written is a ``CallerFile``.
    ///
    /// - Returns: the path of the file; the path itself if it is not a link.
    /// - Throws: ELOOP for too many links.
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

    /// Splits a path into folder and name.
    static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let folder = String(path[..<slash])
        return (folder.isEmpty ? "/" : folder, String(path[path.utf8.index(after: slash)...]))
    }
}
