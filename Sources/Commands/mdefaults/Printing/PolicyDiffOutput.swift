import MDPlatform
import MDPolicyAdministration
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// Differences between two policies, for people and for programs.
struct PolicyDiffOutput {
    /// The root that the paths of the first policy belong to.
    let before: Root
    /// The root that the paths of the second policy belong to.
    let after: Root

    /// The lines of a difference.
    func lines(_ difference: PolicyDifference) -> [String] {
        let key = difference.key.map { " " + Printable.escape($0.string) } ?? ""
        let name = Printable.escape(difference.domain.string) + key
        var lines: [String] = []
        switch difference.change {
        case .added: lines.append("+ \(name)")
        case .removed: lines.append("- \(name)")
        case .changed: lines.append("~ \(name)")
        }
        if let statement = difference.before { lines += self.lines(statement, "  - ", before) }
        if let statement = difference.after { lines += self.lines(statement, "  + ", after) }
        return lines
    }

    /// The lines of one side.
    private func lines(_ statement: PolicyStatement, _ mark: String, _ root: Root) -> [String] {
        var lines = [mark + statement.kind.rawValue]
        if statement.isSensitive, statement.value != nil || statement.constraint != nil {
            lines[0] += " (sensitive)"
        } else if let value = statement.value {
            lines[0] += " = \(ValueText.line(value))"
        } else if let constraint = statement.constraint {
            lines[0] += " \(Printable.escape(constraint.words))"
        }
        // `refuse` is the default.
        if statement.onOverride == .shadow { lines[0] += ", shadow" }
        if let occasion = statement.occasion { lines[0] += ", \(Printable.escape(occasion.words))" }
        return lines.flatMap { Layout.fold($0) } + statement.origins.flatMap { $0.lines(in: root, indent: 6) }
    }

    /// The JSON document.
    func document(_ differences: [PolicyDifference]) -> JSONWriter {
        var json = JSONWriter(pretty: true)
        write(differences, to: &json)
        return json
    }

    /// Writes an array of differences.
    func write(_ differences: [PolicyDifference], to json: inout JSONWriter) {
        json.beginArray()
        for difference in differences {
            json.beginObject()
            json.field("domain", difference.domain.string)
            json.field("key", difference.key?.string)
            json.field("change", difference.change.rawValue)
            write(difference.before, as: "before", before, to: &json)
            write(difference.after, as: "after", after, to: &json)
            json.endObject()
        }
        json.endArray()
    }

    /// Writes one side as a member.
    private func write(
        _ statement: PolicyStatement?, as name: String, _ root: Root, to json: inout JSONWriter
    ) {
        guard let statement else { return }
        json.member(name)
        json.beginObject()
        json.field("level", statement.kind.rawValue)
        if statement.isSensitive {
            json.field("sensitive", true)
        } else {
            json.field("value", statement.value)
            if let constraint = statement.constraint {
                json.member("constraint")
                json.beginObject()
                json.field("Minimum", constraint.minimum)
                json.field("Maximum", constraint.maximum)
                json.field("OneOf", constraint.oneOf.map { Value.array($0) })
                json.field("Pattern", constraint.pattern?.text)
                json.endObject()
            }
        }
        json.field("onOverride", statement.onOverride?.rawValue)
        json.field("occasion", statement.occasion?.words)
        json.member("origins")
        json.beginArray()
        for origin in statement.origins { json.originObject(origin, in: root) }
        json.endArray()
        json.endObject()
    }
}
