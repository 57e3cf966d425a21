import Glibc
package import MDPlatform

/// Runs programs that talk to the person at the terminal: an editor.
package enum TerminalProgram {
    /// Runs a command with this process's streams and environment, and waits for its end.
    ///
    /// - Parameters:
    ///   - command: the program with options, as a shell reads it.
    ///   - arguments: further arguments, which no shell reads.
    /// - Returns: its exit code; `nil` if a signal ended it.
    /// - Throws: why it could not be started.
    package static func run(_ command: String, _ arguments: [String]) throws(SystemError) -> Int32? {
        for text in [command] + arguments { try SystemCall.checkPath(text, "run", shown: command) }
        // The copies of the texts are freed below, after the only call that reads them.
        let words = unsafe Subprocess.copies(["/bin/sh", "-c", "\(command) \"$@\"", "sh"] + arguments)
        defer { unsafe words.forEach { unsafe free($0) } }
        var child: pid_t = 0
        // Nothing else in this process changes the environment while the call copies it.
        let code = unsafe posix_spawn(&child, "/bin/sh", nil, nil, words, environ)
        guard code == 0 else { throw SystemError(operation: "run", path: command, code: code) }
        var status: Int32 = 0
        // The kernel writes the status during the call.
        while unsafe waitpid(child, &status, 0) < 0 {
            if errno != EINTR { throw SystemError(operation: "wait for", path: command, code: errno) }
        }
        return status & 0x7f == 0 ? status >> 8 & 0xff : nil
    }
}

extension StandardInput {
    /// Whether a person can answer.
    package static var isTerminal: Bool { isatty(0) == 1 }

    /// Reads one line, without its end; `nil` at the end of the input.
    ///
    /// Single bytes are read, so that what follows stays for others. A line has at most 4,096 bytes.
    package static func readLine() -> String? {
        var line: [UInt8] = []
        while line.count < 4_096 {
            var byte: UInt8 = 0
            // The call writes one byte at most.
            let count = unsafe read(0, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
            if byte == 0x0a { break }
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }
}
