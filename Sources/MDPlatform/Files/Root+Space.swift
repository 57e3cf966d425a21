import Glibc

extension Root {
    /// The bytes that the file system of a directory has in all.
    package func fileSystemSize(_ path: String) throws(SystemError) -> Int {
        let directory = try open(path, .directory)
        let raw = directory.raw
        var status = statvfs()
        // The structure lives for the duration of the call, which fills it in.
        try SystemCall.run("read the size of the file system of", display(path)) { unsafe fstatvfs(raw, &status) }
        let (size, overflow) = UInt64(status.f_blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? .max : Int(clamping: size)
    }
}
