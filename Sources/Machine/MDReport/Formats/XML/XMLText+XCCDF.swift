/// What documents of XCCDF 1.2 have in common.
///
/// Source: NIST IR 7275 revision 4
extension XMLText {
    /// An identifier of this program.
    static func id(_ kind: String, _ name: String) -> String { "xccdf_managed-defaults_\(kind)_\(name)" }

    /// Opens a benchmark.
    ///
    /// - Parameters:
    ///   - id: its identifier.
    ///   - title: its title.
    ///   - version: the version of what it checks.
    ///   - time: when it was made, in whole seconds of RFC 3339.
    ///   - program: the version of this program.
    mutating func beginBenchmark(id: String, title: String, version: String, time: String, program: String) {
        begin(
            "Benchmark",
            [
                ("xmlns", "http://checklists.nist.gov/xccdf/1.2"), ("id", id), ("resolved", "1"), ("xml:lang", "en"),
            ])
        element("status", [("date", String(time.prefix(10)))], "accepted")
        element("title", [], title)
        element("description", [], ComplianceReport.limitsOfMethod)
        element("platform", [("idref", "cpe:/o:linux:linux_kernel")])
        element("version", [], version)
        begin("metadata")
        element("dc:creator", [("xmlns:dc", "http://purl.org/dc/elements/1.1/")], "mdefaults \(program)")
        end()
    }

    /// Adds a rule with its identifier, the words for its key, its title, which may be empty, and the controls that ask
    /// for it.
    mutating func rule(id: String, _ words: String, title: String, controls: [String]) {
        begin("Rule", [("id", id), ("selected", "true"), ("severity", "unknown")])
        element("title", [], title.isEmpty ? words : title)
        element("description", [], "\(words) is forced by policy.")
        // Whose controls they are, their names say.
        for control in controls { element("ident", [("system", "urn:managed-defaults:control")], control) }
        check()
        end()
    }

    /// Adds how it was checked: by this program, in no language of checks.
    mutating func check() {
        begin("check", [("system", "urn:managed-defaults:report")])
        element("check-content-ref", [("href", "urn:managed-defaults:policy")])
        end()
    }
}
