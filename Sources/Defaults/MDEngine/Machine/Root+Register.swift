package import MDPlatform
package import MDPolicyModel

extension Root {
    /// Reads a register of the machine: a file that only root writes, and that is not there before the first entry.
    ///
    /// - Parameters:
    ///   - path: the path of the register.
    ///   - limit: the most bytes that it may have.
    /// - Returns: its bytes; `nil` if there is none.
    /// - Throws: why it cannot be read or is not trusted, as a clause.
    package func register(at path: String, limit: Int) throws(StoredFileError) -> [UInt8]? {
        do throws(TrustError) {
            return try readTrusted(path, limit: limit).bytes
        } catch {
            guard error.isMissing else { throw StoredFileError(error.description) }
            return nil
        }
    }
}
