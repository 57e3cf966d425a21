import Glibc
import MDCPlatform

/// Runs system tools.
package enum Subprocess {
    /// Runs a program and collects its output.
    ///
    /// No shell is involved. The program gets a fixed environment (`PATH=/usr/bin:/bin`, `LC_ALL=C`) and none of this
    /// process's descriptors; its standard error is discarded. It is killed with its children when it exceeds its time
    /// or its output.
    ///
    /// - Parameters:
    ///   - path: the program, as an absolute path.
    ///   - arguments: its command line without its name.
    ///   - input: the content of its standard input.
    ///   - files: the contents of the files at ``filePath(_:)``, which have no other name and cannot be replaced by
    ///     others.
    ///   - variables: additional environment variables, each as `NAME=VALUE`.
    ///   - timeoutMilliseconds: how long it may run.
    ///   - limit: how many bytes it may print.
    /// - Returns: its exit code and its output.
    /// - Throws: ETIMEDOUT after `timeoutMilliseconds`, EFBIG beyond `limit` bytes, or why it could not be started.
    package static func run(
        _ path: String, _ arguments: [String], input: [UInt8]? = nil, files: [[UInt8]] = [],
        variables: [String] = [], timeoutMilliseconds: Int, limit: Int
    ) throws(SystemError) -> SubprocessResult {
        for text in [path] + arguments + variables { try SystemCall.checkPath(text, "run", shown: path) }
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw SystemError(operation: "run", path: path, code: EINVAL, reason: "the path is not absolute")
        }
        let deadline = Clock.monotonicMicroseconds() + Int64(min(max(timeoutMilliseconds, 0), 3_600_000)) * 1_000
        let pipe = try Pipe(shown: path)
        // Without a standard input there are no files behind it, and the program has nothing to read.
        let inputs = try MemoryFiles(input == nil && files.isEmpty ? [] : [input ?? []] + files, for: path)
        let child = try spawn(path, arguments, variables, output: pipe.writing, inputs: inputs.descriptors)
        pipe.closeWriting()
        do {
            let output = try pipe.readAll(limit: limit, deadline: deadline, operation: "run", shown: path)
            var cost: Int64 = 0
            let status = try Child.wait(for: child, deadline: deadline, shown: path, cost: &cost)
            return SubprocessResult(status: status, output: output, cost: cost)
        } catch {
            Child.kill(child)
            throw error
        }
    }

    /// The path under which a program finds the file of an index that it was given.
    package static func filePath(_ index: Int) -> String { "/dev/fd/\(3 + index)" }

    /// The environment of every program.
    private static let environment = ["PATH=/usr/bin:/bin", "LC_ALL=C"]

    /// Starts the program.
    private static func spawn(
        _ path: String, _ arguments: [String], _ variables: [String], output: Int32, inputs: [Int32]
    ) throws(SystemError) -> Int32 {
        // The copies of the texts are freed below, after the only call that reads them; the numbers outlive it too.
        let words = unsafe copies([path] + arguments)
        let environment = unsafe copies(environment + variables)
        defer { unsafe (words + environment).forEach { unsafe free($0) } }
        let child = unsafe cplatform_spawn(path, words, environment, output, inputs, Int32(clamping: inputs.count))
        if child < 0 { throw SystemError(operation: "run", path: path, code: errno) }
        return child
    }

    /// Copies strings to a C array that ends with a null pointer; the caller frees them.
    package static func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        // strdup copies at once; nothing stores the pointer that it is given.
        unsafe texts.map { unsafe strdup($0) } + [nil]
    }
}

/// How a program ended, and what it printed.
package struct SubprocessResult: Hashable, Sendable {
    /// The exit code; `nil` if a signal ended the program, or if the application ignores SIGCHLD.
    package let status: Int32?
    /// All bytes that it wrote to standard output.
    package let output: [UInt8]
    /// How long it used a processor, with the children that it waited for, in microseconds.
    package let cost: Int64
}

/// Files without names that hold what a program is given, closed with their value.
final class MemoryFiles {
    /// The descriptors, in order.
    private(set) var descriptors: [Int32] = []

    /// Makes a file of each content; none of the descriptors is one that the program will use.
    ///
    /// - Throws: why a file could not be made, in the name of the program.
    init(_ contents: [[UInt8]], for program: String) throws(SystemError) {
        let lowest = Int32(clamping: 3 + contents.count)
        for content in contents {
            // The buffer is valid for the duration of the call, which does not store a pointer to it.
            let file = try SystemCall.run("make a file for", program) {
                unsafe content.withUnsafeBytes { buffer in
                    unsafe cplatform_memory_file(buffer.baseAddress, buffer.count, lowest)
                }
            }
            descriptors.append(file)
        }
    }

    deinit {
        for descriptor in descriptors { _ = close(descriptor) }
    }
}
