import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
package import MDPropertyList

/// Why probably no program reads a domain.
package enum DomainDoubt: Equatable, Sendable {
    /// It differs a little from a domain that programs read.
    case misspelt(String)
    /// No program is known to read it or a similar one.
    case unheard

    /// The clause about some domains.
    package func clause(about domains: [Key]) -> String {
        let names = domains.prefix(8).map { Printable.escape($0.string) }.joined(separator: ", ")
        let more = domains.count > 8 ? " and \(domains.count - 8) more" : ""
        let clause = "no program here is known to read \(names)\(more)"
        if case .misspelt(let near) = self { return "\(clause); \(Printable.escape(near)) is probably meant" }
        return clause
    }
}

/// Reports domains that no program is known to read: each misspelt one, and all others together.
struct LintDomains {
    private(set) var findings: [Diagnostic] = []

    /// - Parameters:
    ///   - files: the files.
    ///   - time: the time of the check.
    ///   - manifests: the descriptions of keys; a domain that has one is known.
    ///   - judge: knows other programs; `nil` to leave them out.
    init(files: [LintFile], time: Timestamp, manifests: ManifestSet, judge: ProgramJudge?) {
        guard let doubt = judge?.doubts() else { return }
        var seen: Set<Key> = []
        var unheard: [(domain: Key, file: LintFile, position: Position)] = []
        for file in files where !file.isOver(at: time) {
            for (domain, position) in LintDomains.places(in: file.policy)
            where seen.insert(domain).inserted && !manifests.describes(domain) {
                guard let doubt = doubt(domain) else { continue }
                if doubt == .unheard {
                    unheard.append((domain, file, position))
                } else {
                    findings.append(file.warning(.unknownDomain, at: position, doubt.clause(about: [domain])))
                }
            }
        }
        guard let first = unheard.first else { return }
        findings.append(
            first.file.warning(
                .unknownDomain, at: first.position, DomainDoubt.unheard.clause(about: unheard.map(\.domain))))
    }

    /// The domains for which a file says something, each with its places.
    private static func places(in policy: PolicyFile) -> [(Key, Position)] {
        policy.entries.map { ($0.domain, $0.origin.position) } + policy.seals.map { ($0.domain, $0.origin.position) }
            + policy.constraints.map { ($0.domain, $0.origin.position) }
    }
}
