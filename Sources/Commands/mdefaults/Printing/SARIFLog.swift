import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// Writes findings as SARIF 2.1.0, the format of code scanning services (OASIS Standard, 27 March 2020).
enum SARIFLog {
    /// The address of the schema of the standard, errata 01.
    private static let schema =
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

    /// The log of some findings, with the rules that they name.
    ///
    /// - Parameters:
    ///   - findings: the findings.
    ///   - version: the version of the program.
    ///   - isComplete: whether everything that was to be checked could be read.
    /// - Returns: the document.
    static func document(_ findings: [Diagnostic], version: String, isComplete: Bool) -> JSONWriter {
        let rules = LintCode.allCases.filter { code in findings.contains { $0.code == code.rawValue } }
        var indices: [String: Int] = [:]
        for (index, rule) in rules.enumerated() { indices[rule.rawValue] = index }
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("$schema", schema)
        json.field("version", "2.1.0")
        json.member("runs")
        json.beginArray()
        json.beginObject()
        writeTool(rules, findings, version: version, &json)
        json.member("invocations")
        json.beginArray()
        json.beginObject()
        json.member("executionSuccessful")
        json.value(.boolean(isComplete))
        json.endObject()
        json.endArray()
        // Columns count Unicode scalars.
        json.field("columnKind", "unicodeCodePoints")
        json.member("results")
        json.beginArray()
        for finding in findings { write(finding, ruleIndex: indices[finding.code], &json) }
        json.endArray()
        json.endObject()
        json.endArray()
        json.endObject()
        return json
    }

    /// Writes the tool and what its rules mean.
    private static func writeTool(
        _ rules: [LintCode], _ findings: [Diagnostic], version: String, _ json: inout JSONWriter
    ) {
        json.member("tool")
        json.beginObject()
        json.member("driver")
        json.beginObject()
        json.field("name", "mdefaults")
        json.field("version", version)
        json.member("rules")
        json.beginArray()
        for rule in rules {
            let (topic, explanation) = rule.explained
            json.beginObject()
            json.field("id", rule.rawValue)
            json.member("shortDescription")
            writeMessage(explanation.summary, &json)
            json.member("help")
            json.beginObject()
            json.field("text", "\(explanation.advice) Example: \(explanation.example)")
            json.field("markdown", "\(explanation.advice)\n\n    \(explanation.example)\n")
            json.endObject()
            json.member("defaultConfiguration")
            json.beginObject()
            let isError = findings.contains { $0.code == rule.rawValue && $0.severity == .error }
            json.field("level", isError ? "error" : "warning")
            json.endObject()
            json.member("properties")
            json.beginObject()
            json.member("tags")
            json.beginArray()
            json.string(topic.rawValue)
            json.endArray()
            json.endObject()
            json.endObject()
        }
        json.endArray()
        json.endObject()
        json.endObject()
    }

    /// Writes one finding.
    private static func write(_ finding: Diagnostic, ruleIndex: Int?, _ json: inout JSONWriter) {
        json.beginObject()
        json.field("ruleId", finding.code)
        if let ruleIndex { json.field("ruleIndex", ruleIndex) }
        json.field("level", finding.severity.rawValue)
        json.member("message")
        writeMessage(finding.message, &json)
        json.member("locations")
        json.beginArray()
        json.beginObject()
        json.member("physicalLocation")
        json.beginObject()
        json.member("artifactLocation")
        json.beginObject()
        json.field("uri", uri(finding.file))
        json.endObject()
        json.member("region")
        json.beginObject()
        if finding.position.isBinary {
            json.field("byteOffset", finding.position.offset)
        } else {
            json.field("startLine", finding.position.line)
            json.field("startColumn", finding.position.column)
        }
        json.endObject()
        json.endObject()
        json.endObject()
        json.endArray()
        json.endObject()
    }

    /// Writes a text as the object that SARIF wants.
    private static func writeMessage(_ text: String, _ json: inout JSONWriter) {
        json.beginObject()
        json.field("text", text)
        json.endObject()
    }

    /// A path as a URI reference: `file:///…` if it is absolute, else relative to the working directory.
    private static func uri(_ path: String) -> String {
        var bytes = Array(path.utf8)
        while bytes.starts(with: "./".utf8) { bytes.removeFirst(2) }
        var uri: [UInt8] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                uri.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                uri += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        let text = String(decoding: uri, as: UTF8.self)
        return bytes.first == UInt8(ascii: "/") ? "file://\(text)" : text
    }
}
