import MDPlatform

/// Runs `openssl` on contents that stand in no file.
enum OpenSSL {
    private static let program = "/usr/bin/openssl"
    /// The most bytes that it prints.
    private static let limit = 1 << 22
    /// How long it may run.
    private static let milliseconds = 60_000

    /// Runs it.
    ///
    /// - Parameters:
    ///   - what: what it does, for the error: `make a key`.
    ///   - arguments: the command line; contents stand at ``Subprocess/filePath(_:)``.
    ///   - files: the contents.
    /// - Returns: what it printed.
    /// - Throws: if it could not be run, or refused.
    static func run(_ what: String, _ arguments: [String], files: [[UInt8]] = []) throws(FleetFault) -> [UInt8] {
        let result: SubprocessResult
        do throws(SystemError) {
            result = try Subprocess.run(
                program, arguments, files: files, timeoutMilliseconds: milliseconds, limit: limit)
        } catch {
            throw FleetFault("\(error)")
        }
        guard result.status == 0, !result.output.isEmpty else {
            throw FleetFault("the program openssl could not \(what)")
        }
        return result.output
    }

    /// Makes a private key on the curve P-256, in PEM.
    static func makeKey() throws(FleetFault) -> [UInt8] {
        try run("make a key", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"])
    }
}
