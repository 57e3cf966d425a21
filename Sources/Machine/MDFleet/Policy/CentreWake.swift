package import MDPlatform

/// Wakes the hosts that wait for a new snapshot, where the centre has a web server.
package enum CentreWake {
    /// The program, and how long it may take.
    private static let program = "/usr/bin/curl"
    private static let seconds = 5

    /// Tells the web server of a centre that something was published.
    ///
    /// - Parameters:
    ///   - root: the centre.
    ///   - number: what was published.
    /// - Throws: why hosts were not woken; they look for themselves each minute.
    package static func send(_ root: Root, _ number: SnapshotNumber) throws(FleetFault) {
        guard let address = try CentreConfiguration.read(root)?.wake else { return }
        let options = [
            "--disable", "--silent", "--fail", "--proto", "=http,https", "--max-time", "\(seconds)", "--data",
            "\(number)",
            "--output", "/dev/null", "--", address,
        ]
        do throws(SystemError) {
            let result = try Subprocess.run(
                program, options, timeoutMilliseconds: (seconds + 1) * 1_000, limit: 4_096)
            guard result.status == 0 else { throw SystemError(operation: "reach", path: address, code: 111) }
        } catch {
            throw FleetFault("\(error)")
        }
    }
}
