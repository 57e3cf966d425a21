package import MDPlatform

/// The right to be the only one that sends for a machine.
package struct HostLock {
    private let lock: FileLock

    /// Waits some seconds for another that sends.
    package init(of root: Root) throws(FleetFault) {
        do throws(SystemError) {
            try root.createDirectory(FleetState.folder, mode: 0o755)
            lock = try root.lock("\(FleetState.folder)/lock")
        } catch {
            throw FleetFault(error.isTimeout ? "another fleet run has not ended" : "\(error)")
        }
    }
}
