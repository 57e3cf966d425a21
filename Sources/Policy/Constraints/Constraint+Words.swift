import PropertyList

extension Constraint {
    /// The most allowed values that are named.
    private static let listed = 12

    /// What is allowed, in words that follow on "must be": `at most 70`, `from 3 to 70`, `one of a, b`.
    ///
    /// Texts stand in it as they are; whoever prints it escapes it.
    package var words: String {
        var clauses: [String] = []
        switch (minimum, maximum) {
        case (let minimum?, let maximum?):
            clauses.append("from \(Constraint.text(minimum)) to \(Constraint.text(maximum))")
        case (let minimum?, nil): clauses.append("at least \(Constraint.text(minimum))")
        case (nil, let maximum?): clauses.append("at most \(Constraint.text(maximum))")
        case (nil, nil): break
        }
        if let oneOf {
            let names = oneOf.prefix(Constraint.listed).map { Constraint.text($0) }.joined(separator: ", ")
            let rest = oneOf.count > Constraint.listed ? " and \(oneOf.count - Constraint.listed) more" : ""
            clauses.append(oneOf.count == 1 ? names : "one of \(names)\(rest)")
        }
        if let pattern { clauses.append("a text that matches \(pattern.text)") }
        return clauses.joined(separator: " and ")
    }

    /// A value in a sentence: a text as it is, anything else in JSON.
    private static func text(_ value: Value) -> String {
        if case .string(let text) = value { return text.isEmpty ? "\"\"" : text }
        var json = JSONWriter()
        json.value(value)
        return json.text
    }
}
