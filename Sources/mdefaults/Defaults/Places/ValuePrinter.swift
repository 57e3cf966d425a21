import Platform
import PropertyList

/// Prints values on standard output.
enum ValuePrinter {
    /// Prints a value as `defaults` does, or as JSON.
    ///
    /// A string is printed byte for byte for programs; on a terminal its control characters are escaped, because
    /// settings come from anywhere.
    static func print(_ value: Value, _ context: Context) throws(Failure) {
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.value(value)
            return try context.print(json)
        }
        guard case .string(let text) = value else {
            return try context.console.line(OpenStepWriter.description(of: value))
        }
        guard StandardStream.output.isTerminal else { return try context.console.line(text) }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        try context.console.line(lines.map { Printable.escape(String($0)) }.joined(separator: "\n"))
    }
}
