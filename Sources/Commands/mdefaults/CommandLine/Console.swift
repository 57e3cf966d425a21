import MDPlatform
import MDTools

/// Buffers standard output, so that a long listing takes few system calls, and writes messages to standard error.
final class Console {
    /// The colour of standard output.
    var ink = Ink.none
    /// The bytes not yet written.
    private var buffer: [UInt8] = []
    /// Why output was lost before a message; the next flush throws it.
    private var lost: Failure?
    /// What is printed, if it is sent in one piece; `nil` if it goes to the standard streams.
    private(set) var captured: (output: [UInt8], messages: [UInt8])?
    /// The size in bytes at which the buffer is written.
    private static let bound = 1 << 16

    /// Makes a console.
    ///
    /// - Parameter isCaptured: whether what is printed is collected, and no question can be asked.
    init(isCaptured: Bool = false) {
        if isCaptured { captured = ([], []) }
    }

    /// Writes a line to standard output.
    func line(_ text: String = "") throws(Failure) {
        try write(Array((text + "\n").utf8))
    }

    /// Writes bytes to standard output unchanged.
    func write(_ bytes: [UInt8]) throws(Failure) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Console.bound { try flush() }
    }

    /// Writes the buffer.
    ///
    /// - Throws: why output was lost, now or before a message.
    func flush() throws(Failure) {
        if let lost {
            self.lost = nil
            throw lost
        }
        defer { buffer.removeAll(keepingCapacity: true) }
        if captured != nil {
            captured?.output += buffer
            return
        }
        do {
            try StandardStream.output.write(buffer)
        } catch {
            throw Failure(code: .inputOutput, message: "\(error.description).")
        }
    }

    /// Writes the buffer; retains an error for the next flush, because a message must not end the work.
    private func flushBeforeMessage() {
        do throws(Failure) {
            try flush()
        } catch {
            lost = error
        }
    }

    /// Writes `mdefaults: …` to standard error, after the output so far.
    func say(_ message: String) {
        sayPlain("mdefaults: \(message)".split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }

    /// Asks on standard error and reads one line of the answer; `nil` at the end of the input.
    func ask(_ question: String) -> String? {
        if captured != nil { return nil }
        flushBeforeMessage()
        try? StandardStream.error.write(Array("\(question) ".utf8))
        return StandardInput.readLine()
    }

    /// Writes lines to standard error, after the output so far; a terminal gets long ones broken between words.
    func sayPlain(_ lines: [String]) {
        flushBeforeMessage()
        if captured != nil {
            captured?.messages += Array(lines.map { $0 + "\n" }.joined().utf8)
            return
        }
        let lines = lines.flatMap { Layout.fold($0, to: Layout.messageWidth) }
        // If standard error is closed, there is no other place for the message.
        try? StandardStream.error.write(Array(lines.map { $0 + "\n" }.joined().utf8))
    }
}

/// Escapes hidden characters of JSON and XML documents if standard output is a terminal.
///
/// Settings come from untrusted places, and control characters could deceive the reader of a terminal. A file or another
/// program gets every byte unchanged.
enum TerminalText {
    /// A JSON document; a terminal gets hidden characters as `\u202e`.
    static func json(_ document: [UInt8]) -> [UInt8] {
        guarded(document) { scalar in
            scalar.utf16.map { "\\u" + padded(String($0, radix: 16)) }.joined()
        }
    }

    /// An XML document; a terminal gets hidden characters as `&#x202e;`.
    static func xml(_ document: [UInt8]) -> [UInt8] {
        guarded(document) { "&#x\(String($0.value, radix: 16));" }
    }

    /// Replaces hidden characters except line ends and tabs if standard output is a terminal.
    private static func guarded(_ document: [UInt8], _ reference: (Unicode.Scalar) -> String) -> [UInt8] {
        guard StandardStream.output.isTerminal, document.contains(where: { $0 >= 0x7f }) else { return document }
        var result: [UInt8] = []
        result.reserveCapacity(document.count)
        for scalar in String(decoding: document, as: UTF8.self).unicodeScalars {
            // Below 0x20, both formats contain only their own layout.
            if scalar.value >= 0x7f, Printable.isHidden(scalar) {
                result += reference(scalar).utf8
            } else {
                result += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        return result
    }

    /// Pads to four hexadecimal digits.
    private static func padded(_ digits: String) -> String {
        String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}
