/// Writes a table for spreadsheets: RFC 4180, UTF-8.
///
/// A cell that a spreadsheet would take for a formula begins with an apostrophe.
///
/// Source: <https://www.rfc-editor.org/rfc/rfc4180>, <https://owasp.org/www-community/attacks/CSV_Injection>
enum CSVTable {
    /// A line of cells, with CR LF.
    static func line(_ cells: [String]) -> String {
        cells.map(cell).joined(separator: ",") + "\r\n"
    }

    /// A cell: quoted if it has to be, and never a formula.
    static func cell(_ text: String) -> String {
        var text = text
        if let first = text.unicodeScalars.first, ["=", "+", "-", "@", "\t", "\r"].contains(first) {
            text = "'" + text
        }
        let isQuoted = text.unicodeScalars.contains { ["\"", ",", "\r", "\n"].contains($0) }
        guard isQuoted else { return text }
        var quoted = ""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append("\"") }
            quoted.unicodeScalars.append(scalar)
        }
        return "\"\(quoted)\""
    }
}
