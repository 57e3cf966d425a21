import MDPlatform

/// Copies of folders of the demo, as a disk is copied.
enum DemoCopy {
    /// The most bytes of a file.
    private static let limit = 16 << 20

    /// Copies a folder into another one, with permission bits; what is only in the other one stays.
    static func copy(_ folder: String, of root: Root, to target: String, of other: Root) throws(SystemError) {
        try other.createDirectory(target, mode: 0o755)
        for name in try root.names(in: folder) {
            let (from, to) = ("\(folder)/\(name)", "\(target)/\(name)")
            let status = try root.status(from, followingLinks: false)
            switch status.kind {
            case .directory: try copy(from, of: root, to: to, of: other)
            case .regular:
                try other.replace(
                    to, with: try root.read(from, limit: limit).bytes, mode: status.mode & 0o777, durable: false)
            default: break
            }
        }
    }

    /// Removes a folder with everything in it.
    static func remove(_ folder: String, of root: Root) throws(SystemError) {
        for name in try root.names(in: folder) {
            let path = "\(folder)/\(name)"
            if try root.status(path, followingLinks: false).kind == .directory {
                try remove(path, of: root)
            } else {
                try root.remove(path)
            }
        }
        try root.removeDirectory(folder)
    }
}
