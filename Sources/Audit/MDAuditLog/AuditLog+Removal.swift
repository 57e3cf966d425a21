package import MDAuditRecord
package import MDPlatform

extension AuditLog {
    /// Removes the log with its keys and everything beside it, for a disk that becomes the image of other machines.
    ///
    /// Files are removed as the owner of their folder, so that a link that the owner makes leads nowhere else.
    ///
    /// - Returns: whether there was one.
    /// - Throws: `busy` while another process writes it, as the audit service does; `system` if a file stays.
    package func remove() throws(AuditError) -> Bool {
        do throws(SystemError) {
            guard root.mayExist(LogFiles.directory) else { return false }
            let owner = try root.status(LogFiles.directory, followingLinks: true).owner
            return try CurrentThread.usingFiles(as: owner) { () throws(SystemError) in
                let lock = try root.lockInTurn(LogFiles.lock, owner: nil, seconds: 1)
                defer { withExtendedLifetime(lock) {} }
                return try root.removeContents(of: LogFiles.directory)
            }
        } catch {
            throw error.isTimeout ? .busy(path: root.display(AuditLog.path)) : .system(error)
        }
    }
}

extension Root {
    /// Removes everything in a folder.
    ///
    /// - Returns: whether there was anything.
    package func removeContents(of folder: String, depth: Int = 0) throws(SystemError) -> Bool {
        let names = try names(in: folder)
        for name in names {
            let path = "\(folder)/\(name)"
            if depth < 8, try status(path, followingLinks: false).kind == .directory {
                _ = try removeContents(of: path, depth: depth + 1)
                try removeDirectory(path)
            } else {
                try remove(path)
            }
        }
        return !names.isEmpty
    }
}
