import Policy
import PropertyList

extension JSONWriter {
    /// Writes an array of findings.
    ///
    /// - Parameters:
    ///   - findings: the findings.
    ///   - withFile: whether each names its file; not where they stand inside of a file's own object.
    mutating func findings(_ findings: [Diagnostic], withFile: Bool) {
        beginArray()
        for finding in findings {
            beginObject()
            if withFile { field("file", finding.file) }
            field("line", finding.position.line)
            field("column", finding.position.column)
            if finding.position.isBinary { field("offset", finding.position.offset) }
            field("severity", finding.severity.rawValue)
            field("code", finding.code)
            field("message", finding.message)
            endObject()
        }
        endArray()
    }
}
