import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
package import MDPropertyList
import MDTools

/// Checks the entries of policy files against manifests.
struct LintManifests {
    private(set) var findings: [Diagnostic] = []

    /// Knows other programs; `nil` to leave them out.
    private let judge: ProgramJudge?

    /// Checks the entries of files against manifests.
    init(files: [LintFile], manifests: ManifestSet, judge: ProgramJudge?) {
        self.judge = judge
        guard !manifests.isEmpty else { return }
        var sensitive: Set<LintName> = []
        for file in files {
            for item in file.policy.metadata where item.metadata.isSensitive {
                sensitive.insert(LintName(domain: item.domain, key: item.key))
            }
        }
        var meant: Set<LintName> = []
        for entry in files.lazy.flatMap(\.policy.entries) where manifests.describes(entry.domain) {
            meant.insert(LintName(domain: entry.domain, key: entry.key))
        }
        for file in files {
            for entry in file.policy.entries {
                check(entry, of: file, manifests, sensitive, meant)
            }
            for item in file.policy.constraints {
                guard let key = manifests.key(domain: item.domain, key: item.key), key.isApart(from: item.constraint)
                else { continue }
                findings.append(
                    file.warning(
                        .outsideManifest, at: item.origin.position,
                        "by the manifest of \(Printable.escape(item.domain.string)), no value is allowed that this constraint"
                            + " of \"\(Printable.escape(item.key.string))\" allows"))
            }
        }
    }

    /// Reports an entry whose value its manifest does not allow, or whose key is unknown or probably misspelt.
    private mutating func check(
        _ entry: PolicyEntry, of file: LintFile, _ manifests: ManifestSet, _ sensitive: Set<LintName>,
        _ meant: Set<LintName>
    ) {
        guard let key = manifests.key(domain: entry.domain, key: entry.key) else {
            // A key that has an entry of its own is meant there, and this one is another.
            let near = manifests.suggestion(domain: entry.domain, key: entry.key).flatMap { near in
                meant.contains(LintName(domain: entry.domain, key: Key(near))) ? nil : near
            }
            guard
                let consequence = near.map({ "\(Printable.escape($0)) is probably meant" })
                    ?? self.consequence(ofUnknown: entry, manifests)
            else { return }
            findings.append(
                file.warning(
                    .outsideManifest, at: entry.origin.position,
                    "the manifest of \(Printable.escape(entry.domain.string)) has no key"
                        + " \"\(Printable.escape(entry.key.string))\"; \(consequence)"))
            return
        }
        if let since = key.deprecation, entry.level != .absent {
            let version = since.isEmpty ? "" : " since version \(Printable.escape(since))"
            findings.append(
                file.warning(
                    .deprecated, at: entry.origin.position,
                    "by the manifest of \(Printable.escape(entry.domain.string)),"
                        + " \"\(Printable.escape(entry.key.string))\" is deprecated\(version)"))
        }
        // The value of a variable is not known here.
        guard let value = entry.value?.value, !entry.hasVariables, let objection = key.objection(to: value) else {
            return
        }
        let isSensitive = sensitive.contains(LintName(domain: entry.domain, key: entry.key))
        let words = isSensitive ? "must be another value" : objection
        findings.append(
            file.warning(
                .outsideManifest, at: entry.origin.position,
                "by the manifest of \(Printable.escape(entry.domain.string)),"
                    + " \"\(Printable.escape(entry.key.string))\" \(words)"))
    }
}

extension LintManifests {
    /// The effect of a key that the manifest of another program lacks; `nil` where the key is not a finding.
    ///
    /// The key may be newer than the manifest, but for one that a program made of all its keys. Firefox's profiles write
    /// a member of a key behind two underscores.
    private func consequence(ofUnknown entry: PolicyEntry, _ manifests: ManifestSet) -> String? {
        if manifests.isWhole(entry.domain) {
            let names = manifests.names(in: entry.domain).map(\.string)
            let near = Suggestion.nearest(to: entry.key.string, among: names)
            return "by its word, the program reads no other keys"
                + (near.map { ", and \(Printable.escape($0)) is near" } ?? "")
        }
        guard let judge, judge.takes(entry.domain), manifests.describes(entry.domain) else { return nil }
        let outer = TextSearch.parts(of: entry.key.string, separatedBy: "__").first.map { Key($0) }
        if let outer, manifests.key(domain: entry.domain, key: outer) != nil { return nil }
        return "it is written all the same"
    }
}

extension Value {
    /// The value in JSON, short enough for a message.
    var lintText: String {
        var writer = JSONWriter()
        writer.value(self)
        let scalars = writer.text.unicodeScalars
        let shown = scalars.count > 80 ? String(String.UnicodeScalarView(scalars.prefix(80))) + "…" : writer.text
        return Printable.escape(shown)
    }
}

extension ManifestKey {
    /// Why the manifest does not allow a value, as a clause that follows the key: `must be at most 600, and is 700`.
    ///
    /// An unknown key in a dictionary is allowed, because manifests are seldom complete. Values of sensitive keys are
    /// not shown.
    ///
    /// Complexity: O(size of the value) times the number of kinds of elements that an array may have.
    package func objection(to value: Value) -> String? {
        if let type, !type.fits(value) { return "must be \(type.words), not \(value.noun)" }
        if let minimum, Self.isLess(value, minimum) { return "must be at least \(text(minimum))\(found(value))" }
        if let maximum, Self.isLess(maximum, value) { return "must be at most \(text(maximum))\(found(value))" }
        if let objection = contentObjection(to: value) { return objection }
        guard isScalar(value) else { return nil }
        if let oneOf, !oneOf.contains(value) {
            let words = oneOf.prefix(12).map { text($0) }.joined(separator: ", ")
            return "must be one of \(words)\(oneOf.count > 12 ? ", …" : "")\(found(value))"
        }
        if let pattern, case .string(let string) = value, !pattern.matches(string) {
            return "must match \(Printable.escape(format.isEmpty ? pattern.text : format))\(found(value))"
        }
        return nil
    }

    /// Whether a constraint and the manifest certainly allow no common value.
    func isApart(from constraint: Constraint) -> Bool {
        if let values = constraint.oneOf { return values.allSatisfy { objection(to: $0) != nil } }
        if let own = maximum, let other = constraint.minimum, Self.isLess(own, other) { return true }
        if let own = minimum, let other = constraint.maximum, Self.isLess(other, own) { return true }
        return false
    }

    /// Why the manifest does not allow the content of an array or a dictionary.
    private func contentObjection(to value: Value) -> String? {
        switch value {
        case .array(let elements) where !subkeys.isEmpty:
            for (index, element) in elements.enumerated() {
                let objection =
                    if case .dictionary(let entries) = element, isListOfKeys {
                        dictionaryObjection(to: entries)
                    } else {
                        Self.objection(of: subkeys, to: element)
                    }
                if let objection { return "[\(index)] \(objection)" }
            }
            return nil
        case .dictionary(let entries) where !subkeys.isEmpty:
            return dictionaryObjection(to: entries)
        default: return nil
        }
    }

    /// Whether the subkeys of an array are the keys of its dictionaries, without a description of the dictionary
    /// itself.
    private var isListOfKeys: Bool {
        subkeys.count > 1 && subkeys.allSatisfy { !$0.name.string.isEmpty && $0.type != nil && $0.type != .dictionary }
    }

    /// Why none of several descriptions allows a value; `nil` if one of them does.
    private static func objection(of kinds: [ManifestKey], to value: Value) -> String? {
        var first: String?
        for kind in kinds {
            guard let objection = kind.objection(to: value) else { return nil }
            first = first ?? objection
        }
        return first
    }

    /// Why the manifest does not allow the content of a dictionary.
    private func dictionaryObjection(to entries: [Key: Value]) -> String? {
        let anyValue = subkeys.first { $0.name == "{{value}}" }
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            var known = subkeys.filter { $0.name == key }
            if known.isEmpty, let anyValue { known = [anyValue] }
            if let objection = Self.objection(of: known, to: value) { return "\(Self.dotted(key))\(objection)" }
        }
        let missing = subkeys.first { $0.isRequired && !Self.isPlaceholder($0.name) && entries[$0.name] == nil }
        return missing.map { "must have the key \(Printable.escape($0.name.string))" }
    }

    /// A key in the path to the invalid value, followed by a blank.
    private static func dotted(_ key: Key) -> String { ".\(Printable.escape(key.string)) " }

    /// Whether a name is a placeholder for any key.
    private static func isPlaceholder(_ name: Key) -> Bool { name.string.utf8.starts(with: "{{".utf8) }

    /// Whether a value has no elements; the allowed values of an array apply to its elements.
    private func isScalar(_ value: Value) -> Bool {
        switch value {
        case .array, .dictionary: false
        default: true
        }
    }

    /// Whether one value is less than another; false if they cannot be compared.
    private static func isLess(_ left: Value, _ right: Value) -> Bool {
        if case (.date(let left), .date(let right)) = (left, right) { return left < right }
        return Constraint.isLess(left, right)
    }

    /// The actual value as a clause; empty if the key is sensitive.
    private func found(_ value: Value) -> String { isSensitive ? "" : ", and is \(text(value))" }

    /// A value in JSON, short enough for a message.
    private func text(_ value: Value) -> String { value.lintText }
}
