import MDPlatform

/// Packs what hosts send, by gzip.
package enum Gzip {
    /// The program.
    private static let program = "/usr/bin/gzip"
    /// How long it may run.
    private static let milliseconds = 60_000

    /// Packs bytes; equal ones become equal.
    package static func pack(_ bytes: [UInt8]) throws(FleetFault) -> [UInt8] {
        do throws(SystemError) {
            // What cannot be packed grows by a few bytes for each 32 KiB.
            let result = try Subprocess.run(
                program, ["-n", "-c"], input: bytes, timeoutMilliseconds: milliseconds,
                limit: bytes.count + bytes.count / 1_024 + 1_024)
            guard result.status == 0 else { throw SystemError(operation: "run", path: program, code: 5) }
            return result.output
        } catch {
            throw FleetFault("\(error)")
        }
    }
}
