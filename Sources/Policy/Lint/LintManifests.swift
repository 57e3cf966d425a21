import Platform
import PropertyList

/// What manifests have against the entries of policy files.
struct LintManifests {
    /// What was found.
    private(set) var findings: [Diagnostic] = []

    /// Holds entries to manifests.
    init(files: [LintFile], manifests: ManifestSet) {
        guard !manifests.isEmpty else { return }
        var sensitive: Set<LintName> = []
        for file in files {
            for item in file.policy.metadata where item.metadata.isSensitive {
                sensitive.insert(LintName(domain: item.domain, key: item.key))
            }
        }
        for file in files {
            for entry in file.policy.entries {
                check(entry, of: file, manifests, sensitive)
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

    /// Reports an entry whose value its manifest does not allow, or whose key is probably misspelt.
    private mutating func check(
        _ entry: PolicyEntry, of file: LintFile, _ manifests: ManifestSet, _ sensitive: Set<LintName>
    ) {
        guard let key = manifests.key(domain: entry.domain, key: entry.key) else {
            guard let near = manifests.suggestion(domain: entry.domain, key: entry.key) else { return }
            findings.append(
                file.warning(
                    .outsideManifest, at: entry.origin.position,
                    "the manifest of \(Printable.escape(entry.domain.string)) has no key"
                        + " \"\(Printable.escape(entry.key.string))\"; \(Printable.escape(near)) is probably meant"))
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
        // What a variable stands for is not known here.
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
