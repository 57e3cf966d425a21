/// The verbs of one subject on one screen: grouped by what people want, with examples.
struct HelpGroup {
    /// A part of the screen.
    struct Section {
        let title: String
        /// The second words of the verbs.
        let verbs: [String]
        /// Verbs that fewer people need, in one line.
        var others: [String] = []
        let examples: [String]
    }

    /// The first word of the verbs.
    let name: String
    let summary: String
    let parts: [Section]

    /// The groups that have a screen of their own.
    static let all = [
        HelpGroup(
            name: "policy", summary: "what is forced here, for whom, and how to change it",
            parts: [
                Section(
                    title: "look", verbs: ["lint", "list", "diff", "history"],
                    others: ["show", "digest", "facts", "schema"],
                    examples: ["policy lint new-policies --strict", "policy diff new-policies"]),
                Section(
                    title: "change", verbs: ["new", "edit", "install", "rollback", "apply"],
                    others: ["convert", "forget"],
                    examples: ["policy install new-policies --reason \"new term\"", "policy rollback --dry-run"]),
                Section(
                    title: "for a while", verbs: ["exam", "grant"],
                    examples: [
                        "policy exam start maths --for 90m",
                        "policy grant --for 2h --user alice --reason thesis DOMAIN KEY",
                    ]),
            ])
    ]

    /// The lines, at most 80 columns wide.
    var lines: [String] {
        var lines = ["mdefaults \(name) VERB …: \(summary)"]
        for part in parts {
            lines.append("\(part.title)")
            for word in part.verbs {
                guard let verb = Verbs.all.first(where: { $0.name == [name, word] }) else { continue }
                lines.append(Layout.pad("  \(word)", to: 12) + verb.summary)
            }
            if !part.others.isEmpty { lines.append("  also: \(part.others.joined(separator: ", "))") }
            for example in part.examples { lines.append("    mdefaults \(example)") }
        }
        return lines + ["mdefaults help \(name) VERB explains one."]
    }
}
