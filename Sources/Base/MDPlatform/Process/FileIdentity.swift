import Glibc
import MDCPlatform

extension CurrentThread {
    /// Runs a function while this thread uses files as another user, if the process is root's.
    ///
    /// Root that writes into a folder of another user would follow that user's links with root's rights, and leave files
    /// that the user cannot write. Only this thread's use of files changes, and only until the function returns
    /// (setfsuid(2)). A process of another user, and one whose id is wanted, just runs the function.
    ///
    /// - Parameters:
    ///   - uid: the user.
    ///   - body: the function; it must not start threads that use files.
    /// - Returns: what the function returns.
    /// - Throws: what the function throws; EPERM if the kernel did not change the identity.
    package static func usingFiles<Result: ~Copyable>(
        as uid: UInt32, _ body: () throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        guard CurrentProcess.euid == 0, uid != 0 else { return try body() }
        guard cplatform_use_files_as(uid) == 0 else {
            throw SystemError(operation: "use files as", path: "uid \(uid)", code: EPERM)
        }
        defer { _ = cplatform_use_files_as(0) }
        return try body()
    }
}
