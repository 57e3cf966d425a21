/// A file that only the owner of the root could have written.
package struct TrustedFile: Sendable {
    /// The whole content.
    package let bytes: [UInt8]
    /// What the kernel said before and after reading.
    package let status: FileStatus
    /// What is allowed and yet worth saying, as whole sentences.
    package let warnings: [String]

    /// Describes a file that was read.
    package init(bytes: [UInt8], status: FileStatus, warnings: [String]) {
        self.bytes = bytes
        self.status = status
        self.warnings = warnings
    }
}
