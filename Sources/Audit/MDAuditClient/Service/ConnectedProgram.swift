/// A program with connections to the audit service, and the version of its engine.
package struct ConnectedProgram: Hashable, Sendable, Comparable {
    /// The version of ManagedDefaults; `nil` if the program did not say it, as those before it was asked for.
    package let engine: String?
    /// The executable, as far as the service knows it, else the number of the process.
    package let name: String
    /// The number of its connections.
    package let count: Int

    /// Makes the description of a program; a line feed in its name becomes a question mark.
    package init(engine: String?, name: String, count: Int) {
        self.name =
            name.isEmpty ? "?" : name.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "?")
        (self.engine, self.count) = (engine, count)
    }

    /// The order of lists: by version, then by name.
    package static func < (left: ConnectedProgram, right: ConnectedProgram) -> Bool {
        (left.engine ?? "", left.name) < (right.engine ?? "", right.name)
    }

    /// The line of an answer: version or `-`, count and name.
    package var line: String { "\(engine ?? "-") \(count) \(name)" }

    /// Parses a line.
    init(line: ArraySlice<UInt8>) throws(ServiceMessageError) {
        guard let text = String(validating: line, as: UTF8.self) else { throw .invalid("it is not UTF-8") }
        let words = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard words.count == 3, !words[2].isEmpty else { throw .invalid("it has a program that is none") }
        engine = words[0] == "-" ? nil : try ServiceProtocol.version(words[0])
        count = try ServiceProtocol.number(words[1], from: 1)
        name = words[2]
    }
}
