import Foundation

/// The place of the folders that tests make.
///
/// It is `TMPDIR` if that is set. Otherwise it is memory (`/dev/shm`) if programs can run there and there is room:
/// a disk waits for each of the many writes that a program has confirmed.
///
/// A run of the tests has a folder of its own, locked as long as its process lives. A killed process cannot remove
/// its folder; the next run does, because the lock is free then.
package enum Scratch {
    /// The folder in which runs make their folders.
    package static let base: String = {
        if let folder = ProcessInfo.processInfo.environment["TMPDIR"], !folder.isEmpty { return resolved(folder) }
        return isUsable(memory) ? memory : disk
    }()

    /// The folder of this run.
    package static let folder: String = {
        sweep()
        atexit { Scratch.remove(Scratch.folder) }
        return lockedFolder()
    }()

    /// A place on a disk, for what memory cannot show.
    package static let disk = resolved("/tmp")

    /// File system in memory.
    private static let memory = "/dev/shm"
    /// How names of runs begin.
    private static let prefix = "md-"
    /// The length of the paths of locked folders if the base allows it, so that what is wrapped by width is the same.
    private static let length = 17

    /// Makes a folder with a unique name in the folder of this run.
    ///
    /// - Parameter base: a folder to make it in instead.
    /// - Returns: its path.
    package static func makeFolder(in base: String? = nil) -> String { make(in: base ?? folder, digits: 6) }

    /// Makes a folder with a path of 17 characters (`/dev/shm/md-ABCDE`), locked by this process.
    package static func lockedFolder() -> String {
        let room = length - base.utf8.count - 1 - prefix.utf8.count
        let path = make(in: base, named: prefix, digits: max(5, room))
        // Never closed: the lock ends with the process.
        let raw = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        _ = flock(raw, LOCK_EX | LOCK_NB)
        return path
    }

    /// Removes a folder and what is in it, whatever modes a test left behind.
    package static func remove(_ path: String) {
        let manager = FileManager.default
        if (try? manager.removeItem(atPath: path)) != nil || access(path, F_OK) != 0 { return }
        chmod(path, 0o700)
        for case let name as String in manager.enumerator(atPath: path) ?? .init() {
            var status = stat()
            if lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                chmod("\(path)/\(name)", 0o700)
            }
        }
        try? manager.removeItem(atPath: path)
    }

    /// Makes a folder with a random name that nothing has yet.
    private static func make(in base: String, named prefix: String = "", digits: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        while true {
            let name = prefix + String((0..<digits).map { _ in letters[Int.random(in: letters.indices)] })
            if mkdir("\(base)/\(name)", 0o755) == 0 {
                // The mask of the process may have taken bits away.
                chmod("\(base)/\(name)", 0o755)
                return "\(base)/\(name)"
            }
            guard errno == EEXIST else { fatalError("\(base)/\(name): \(String(cString: strerror(errno)))") }
        }
    }

    /// Removes what killed runs left behind.
    private static func sweep() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let raw = open("\(base)/\(name)", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard raw >= 0 else { continue }
            defer { close(raw) }
            var status = stat()
            // A new folder may not be locked yet.
            guard fstat(raw, &status) == 0, status.st_uid == geteuid(), time(nil) - status.st_mtim.tv_sec > 60,
                flock(raw, LOCK_EX | LOCK_NB) == 0
            else { continue }
            remove("\(base)/\(name)")
        }
    }

    /// Whether files can be made there, programs run there, and a gigabyte is free.
    private static func isUsable(_ folder: String) -> Bool {
        var status = statvfs()
        guard access(folder, W_OK | X_OK) == 0, statvfs(folder, &status) == 0 else { return false }
        // 8 is ST_NOEXEC, which Swift does not import.
        return status.f_flag & 8 == 0 && UInt64(status.f_bavail) * UInt64(status.f_frsize) > 1 << 30
    }

    /// A path without links in it.
    private static func resolved(_ folder: String) -> String {
        guard let path = realpath(folder, nil) else { return folder }
        defer { free(path) }
        return String(cString: path)
    }
}
