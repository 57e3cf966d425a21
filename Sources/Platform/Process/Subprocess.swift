import CPlatform
import Glibc

/// Runs system tools.
package enum Subprocess {
    /// Runs a program and collects what it prints.
    ///
    /// No shell is involved. The program gets a fixed environment (`PATH=/usr/bin:/bin`, `LC_ALL=C`) and none of this
    /// process's descriptors; what it writes to standard error is discarded. It is killed with its children when it takes
    /// too long or prints too much.
    ///
    /// - Parameters:
    ///   - path: the program, as an absolute path.
    ///   - arguments: its command line without its name.
    ///   - input: what it finds on standard input.
    ///   - files: what it finds in the files of ``filePath(_:)``, which have no name elsewhere and cannot be replaced by
    ///     others.
    ///   - variables: what its environment has beside the fixed ones, each as `NAME=VALUE`.
    ///   - timeoutMilliseconds: how long it may take.
    ///   - limit: how many bytes it may print.
    /// - Returns: how it ended, and what it printed.
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
            let status = try Child.wait(for: child, deadline: deadline, shown: path)
            return SubprocessResult(status: status, output: output)
        } catch {
            Child.kill(child)
            throw error
        }
    }

    /// The path under which a program finds the file of an index that it was given.
    package static func filePath(_ index: Int) -> String { "/dev/fd/\(3 + index)" }

    /// What the environment of every program has.
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

    /// Copies of texts as C has them, with an end of the list; whoever asks frees them.
    private static func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        // strdup copies at once; nothing keeps the text that it is given.
        unsafe texts.map { unsafe strdup($0) } + [nil]
    }
}
