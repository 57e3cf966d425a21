import Platform

/// Gathers standard output and writes it whole, so that a long listing takes few system calls.
final class Console {
    /// The bytes not yet written.
    private var buffer: [UInt8] = []
    /// Why output was lost on the way to a message; the next flush throws it.
    private var lost: Failure?
    /// The size from which on the buffer is written.
    private static let bound = 1 << 16

    /// Writes a line to standard output.
    func line(_ text: String = "") throws(Failure) {
        try write(Array((text + "\n").utf8))
    }

    /// Writes bytes to standard output as they are.
    func write(_ bytes: [UInt8]) throws(Failure) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Console.bound { try flush() }
    }

    /// Writes what is gathered.
    ///
    /// - Throws: why output was lost, now or before a message.
    func flush() throws(Failure) {
        if let lost {
            self.lost = nil
            throw lost
        }
        defer { buffer.removeAll(keepingCapacity: true) }
        do {
            try StandardStream.output.write(buffer)
        } catch {
            throw Failure(code: .inputOutput, message: "\(error.description).")
        }
    }

    /// Writes what is gathered; a failure is kept for the next flush, because a message must not end the work.
    private func flushBeforeMessage() {
        do throws(Failure) {
            try flush()
        } catch {
            lost = error
        }
    }

    /// Says something on standard error, as `mdefaults: …`, after the output so far.
    func say(_ message: String) {
        flushBeforeMessage()
        // Where standard error is closed there is nobody to tell.
        try? StandardStream.error.write(Array("mdefaults: \(message)\n".utf8))
    }

    /// Says lines on standard error as they are.
    func sayPlain(_ lines: [String]) {
        flushBeforeMessage()
        // Where standard error is closed there is nobody to tell.
        try? StandardStream.error.write(Array(lines.map { $0 + "\n" }.joined().utf8))
    }
}
