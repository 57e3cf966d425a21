import Platform
import PropertyList

extension ProfileParser {
    /// What is probably meant where a field at the top is missing, and what takes the file otherwise.
    func missingHint(for name: String, among root: [Node.Entry]) -> String {
        let misspelt = misspeltHint(for: name, among: root)
        if !misspelt.isEmpty { return misspelt }
        if reading.isFragment { return "; this is a fragment, which mdefaults policy convert takes" }
        if ProfileParser.field(ProfileField.applicationData, of: root) != nil {
            return "; this is an export of MCX, which mdefaults policy convert takes"
        }
        let isPlain = !root.isEmpty && !root.contains { $0.key.string.utf8.starts(with: "Payload".utf8) }
        guard isPlain else { return "" }
        return "; if it is the content of one domain, mdefaults policy convert --from plist --domain NAME takes it"
    }

    /// Which field is probably meant where one is missing.
    func misspeltHint(for name: String, among fields: [Node.Entry]) -> String {
        let other = fields.prefix(PolicyParser.findingLimit).first {
            Suggestion.nearest(to: $0.key.string, among: [name]) != nil
        }
        return other.map { "; \"\(Printable.escape($0.key.string))\" is probably meant to be it" } ?? ""
    }
}
