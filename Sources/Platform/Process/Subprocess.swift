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
    ///   - timeoutMilliseconds: how long it may take.
    ///   - limit: how many bytes it may print.
    /// - Returns: how it ended, and what it printed.
    /// - Throws: ETIMEDOUT after `timeoutMilliseconds`, EFBIG beyond `limit` bytes, or why it could not be started.
    package static func run(
        _ path: String, _ arguments: [String], input: [UInt8]? = nil, files: [[UInt8]] = [], timeoutMilliseconds: Int,
        limit: Int
    ) throws(SystemError) -> SubprocessResult {
        for text in [path] + arguments { try SystemCall.checkPath(text, "run", shown: path) }
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw SystemError(operation: "run", path: path, code: EINVAL, reason: "the path is not absolute")
        }
        let deadline = Clock.monotonicMicroseconds() + Int64(min(max(timeoutMilliseconds, 0), 3_600_000)) * 1_000
        let pipe = try Pipe(shown: path)
        // Without a standard input there are no files behind it, and the program has nothing to read.
        let inputs = try MemoryFiles(input == nil && files.isEmpty ? [] : [input ?? []] + files, for: path)
        let child = try spawn(path, arguments, output: pipe.writing, inputs: inputs.descriptors)
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

    /// Starts the program.
    private static func spawn(
        _ path: String, _ arguments: [String], output: Int32, inputs: [Int32]
    ) throws(SystemError) -> Int32 {
        // The copies of the texts are freed below, after the only call that reads them; the numbers outlive it too.
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { unsafe free($0) } }
        let child = unsafe cplatform_spawn(path, pointers, output, inputs, Int32(clamping: inputs.count))
        if child < 0 { throw SystemError(operation: "run", path: path, code: errno) }
        return child
    }
}
