/// How a program ended, and what it printed.
package struct SubprocessResult: Hashable, Sendable {
    /// The exit code; `nil` where a signal ended the program, or the application around forbids to know.
    package let status: Int32?
    /// All bytes that it wrote to standard output.
    package let output: [UInt8]
}
