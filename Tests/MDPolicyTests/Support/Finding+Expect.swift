import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import Testing

extension Finding {
    /// Parses a marked JSON policy, and compares all findings and whether there is a file with the expectation.
    static func expect(
        _ marked: String, _ findings: [Finding], loads: Bool, refusing refused: RefusedFields = .current,
        location: SourceLocation
    ) {
        let source = MarkedSource(marked)
        let result = PolicyFile.parse(bytes: Array(source.text.utf8), path: "/p.json", refusing: refused)
        let expected = findings.map { finding in
            Diagnostic(
                file: "/p.json", position: source.places[finding.mark] ?? .start, severity: finding.severity,
                code: finding.code, message: finding.message
            ).description
        }
        #expect(result.diagnostics.map(\.description) == expected, sourceLocation: location)
        #expect((result.file != nil) == loads, sourceLocation: location)
    }
}
