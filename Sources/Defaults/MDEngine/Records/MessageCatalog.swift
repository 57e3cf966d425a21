package import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// The few sentences that a user without rights reads when policy decides, in the language of the process's locale.
///
/// English and German are built in. Another language is a ``MessageFile``; a text that it lacks is the English one.
package struct MessageCatalog: Sendable {
    /// The names of the texts.
    enum Name: String, CaseIterable, Sendable {
        /// A write to a forced key.
        case forced
        /// A write to a key that policy keeps without a value.
        case absent
        /// A value that a constraint does not allow.
        case constrained
        /// The person or office to ask, as the end of a sentence.
        case ask
        /// A key with a title.
        case titled
        /// A key without a title.
        case untitled
        /// Values between two bounds.
        case range
        /// Values from a bound on.
        case atLeast
        /// Values up to a bound.
        case atMost
        /// A list of values.
        case oneOf
        /// How many values a list leaves out.
        case more
        /// Texts that match a pattern.
        case pattern
        /// Between two conditions.
        case and
        /// The place of a value that is not shown.
        case hidden
    }

    static let english: [Name: String] = [
        .forced: "%name% is set by policy and cannot be changed here%ask%.",
        .absent: "%name% is kept without a value by policy%ask%.",
        .constrained: "%name% must be %what%, by policy%ask%.",
        .ask: "; to have it changed, ask: %contact%", .titled: "“%title%” (%key%)", .untitled: "%key% of %domain%",
        .range: "from %first% to %last%", .atLeast: "at least %first%", .atMost: "at most %last%",
        .oneOf: "one of %list%", .more: " and %count% more", .pattern: "a text that matches %pattern%", .and: " and ",
        .hidden: "what the policy says",
    ]
    private static let german: [Name: String] = [
        .forced: "%name% ist durch eine Richtlinie festgelegt und lässt sich hier nicht ändern%ask%.",
        .absent: "%name% hat durch eine Richtlinie keinen Wert%ask%.",
        .constrained: "%name% ist durch eine Richtlinie begrenzt: %what%%ask%.",
        .ask: "; wer es ändern kann: %contact%", .titled: "„%title%“ (%key%)", .untitled: "%key% von %domain%",
        .range: "%first% bis %last%", .atLeast: "mindestens %first%", .atMost: "höchstens %last%",
        .oneOf: "eines von %list%", .more: " und %count% weitere", .pattern: "ein Text nach dem Muster %pattern%",
        .and: " und ", .hidden: "was die Richtlinie sagt",
    ]

    /// The texts of the language.
    private let texts: [Name: String]

    /// The texts of the locale of this process, once read.
    ///
    /// Behind a lock of ours: a child of fork(2) would wait for ever for a constant that another thread was making.
    private static let read = Guarded<MessageCatalog?>(resettable: nil)

    /// The texts of the locale of this process; the environment decides nothing but the language.
    package static var current: MessageCatalog {
        if let known = read.read({ $0 }) { return known }
        let new = MessageCatalog(locale: Environment.values(of: ["LC_ALL", "LC_MESSAGES", "LANG"]), root: .system)
        return read.withLock { read in
            let used = read ?? new
            read = used
            return used
        }
    }

    /// Chooses the texts.
    ///
    /// - Parameters:
    ///   - variables: the variables of the locale, by name.
    ///   - root: where the files of further languages are.
    package init(locale variables: [String: String], root: Root) {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        let locale = names.lazy.compactMap { variables[$0] }.first { !$0.isEmpty } ?? ""
        let language = locale.utf8.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        let code = String(Substring(language))
        switch code {
        case _ where !MessageFile.isLanguage(code), "en": texts = MessageCatalog.english
        case "de": texts = MessageCatalog.german
        default: texts = MessageCatalog.english.merging(MessageFile(language: code, in: root).texts) { $1 }
        }
    }

    /// A text with its variables replaced; what is put in is never looked at again.
    private func fill(_ name: Name, _ values: [(name: String, text: String)]) -> String {
        let parts = (texts[name] ?? "").utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        var result = ""
        for (index, part) in parts.enumerated() {
            let word = String(Substring(part))
            // Every other part is the name of a variable.
            result += index % 2 == 0 ? word : values.first { $0.name == word }?.text ?? ""
        }
        return result
    }
}

extension MessageCatalog {
    /// The sentence about a forced or absent key.
    func refusal(of entry: ResolvedEntry) -> String {
        sentence(
            entry.level == .absent ? .absent : .forced, entry.key, entry.domain, entry.metadata, contact: entry.contact)
    }

    /// The sentence about a value that a constraint does not allow.
    func refusal(of constraint: ResolvedConstraint) -> String {
        let metadata = constraint.metadata
        return sentence(
            .constrained, constraint.entry.key, constraint.entry.domain, metadata, contact: constraint.contact,
            what: metadata.isSensitive ? fill(.hidden, []) : words(constraint.entry.constraint))
    }

    private func sentence(
        _ name: Name, _ key: Key, _ domain: Key, _ metadata: KeyMetadata, contact: String, what: String = ""
    ) -> String {
        let shown = fill(
            metadata.title.isEmpty ? .untitled : .titled,
            [
                ("title", Printable.escape(metadata.title)), ("key", Printable.escape(key.string)),
                ("domain", Printable.escape(domain.string)),
            ])
        let ask = contact.isEmpty ? "" : fill(.ask, [("contact", Printable.escape(contact))])
        return fill(name, [("name", shown), ("what", what), ("ask", ask)])
    }

    /// The most values of a list.
    private static let listed = 12

    /// What a constraint allows.
    private func words(_ constraint: Constraint) -> String {
        func text(_ value: Value) -> String { Printable.escape(Constraint.text(value)) }
        var clauses: [String] = []
        switch (constraint.minimum, constraint.maximum) {
        case (let minimum?, let maximum?):
            clauses.append(fill(.range, [("first", text(minimum)), ("last", text(maximum))]))
        case (let minimum?, nil): clauses.append(fill(.atLeast, [("first", text(minimum))]))
        case (nil, let maximum?): clauses.append(fill(.atMost, [("last", text(maximum))]))
        case (nil, nil): break
        }
        if let oneOf = constraint.oneOf {
            let names = oneOf.prefix(MessageCatalog.listed).map(text).joined(separator: ", ")
            let left = oneOf.count - MessageCatalog.listed
            let list = names + (left > 0 ? fill(.more, [("count", "\(left)")]) : "")
            clauses.append(oneOf.count == 1 ? names : fill(.oneOf, [("list", list)]))
        }
        if let pattern = constraint.pattern {
            clauses.append(fill(.pattern, [("pattern", Printable.escape(pattern.text))]))
        }
        return clauses.joined(separator: fill(.and, []))
    }
}
