import Glibc
import MDCPlatform

extension Root {
    /// The bytes that the file system of a directory has in all.
    package func fileSystemSize(_ path: String) throws(SystemError) -> Int {
        try fileSystemBytes(path) { $0.f_blocks }
    }

    /// The bytes of the file system of a directory that processes without privileges can still fill.
    package func freeSpace(_ path: String) throws(SystemError) -> Int {
        try fileSystemBytes(path) { $0.f_bavail }
    }

    /// Waits until everything that was written to the file system of a directory is on disk.
    ///
    /// One call for many files costs less than one for each.
    package func syncFileSystem(_ path: String) throws(SystemError) {
        let directory = try open(path, .directory)
        let raw = directory.raw
        try SystemCall.run("sync the file system of", display(path)) { cplatform_sync_file_system(raw) }
    }

    /// The bytes of a number of blocks of the file system of a directory.
    private func fileSystemBytes(_ path: String, _ blocks: (statvfs) -> fsblkcnt_t) throws(SystemError) -> Int {
        let directory = try open(path, .directory)
        let raw = directory.raw
        var status = statvfs()
        // The structure lives for the duration of the call, which fills it in.
        try SystemCall.run("read the size of the file system of", display(path)) { unsafe fstatvfs(raw, &status) }
        let (size, overflow) = UInt64(blocks(status)).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? .max : Int(clamping: size)
    }
}
