import MDTestSupport

extension TemporaryFolder {
    /// Writes a file, and returns its path.
    func write(_ bytes: [UInt8], as name: String) throws -> String {
        try write(name, bytes)
        return self(name)
    }
}
