package import MDEngine
package import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPrograms
package import MDPropertyList

/// Reports that a domain or a key is unknown: "not forced" for a misspelt name would be the wrong comfort.
package enum NameCheck {
    /// What is known of names.
    fileprivate struct Known {
        var domains: Set<Key> = []
        var keys: Set<Key> = []
        /// Whether every key of the domain is known, as in a sealed one.
        var isOpen = false
    }

    /// The sentence about a name that no policy, manifest or stored file has; `nil` if one has it, or that is unknown.
    ///
    /// Reads the user's files, so it is called with the user's ids.
    package static func sentence(about key: Key, in domain: Key, _ session: UserSession) -> String? {
        var known = known(domain, session.machine.policies.files.compactMap(\.policy), session.machine)
        known.add(session, of: domain)
        return sentence(about: key, in: domain, known, "No policy, manifest or stored file")
    }

    /// The sentence about a name that no policy, except grants, and no manifest or program has; `nil` if one has it.
    ///
    /// - Parameters:
    ///   - key: the key; `nil` for the domain alone.
    ///   - domain: the domain.
    ///   - machine: the machine.
    /// - Returns: the sentence.
    package static func sentence(about key: Key?, in domain: Key, _ machine: PolicyInForce) -> String? {
        let policies = machine.policies.files.compactMap(\.policy).filter { !$0.isGrant }
        return sentence(about: key, in: domain, known(domain, policies, machine), "No policy, manifest or program")
    }

    /// The sentences about domains of policy that no program is known to read; without a machine only those that are near a
    /// well-known one, which takes no look at any file.
    package static func sentences(about domains: [Key], on root: Root?) -> [String] {
        let known = KnownDomains(root: root)
        let doubts = Set(domains).sorted().compactMap { domain in known.doubt(about: domain).map { (domain, $0) } }
        let unheard = doubts.filter { $0.1 == .unheard }.map(\.0)
        var clauses = doubts.filter { $0.1 != .unheard }.map { $0.1.clause(about: [$0.0]) }
        if !unheard.isEmpty { clauses.append(DomainDoubt.unheard.clause(about: unheard)) }
        return clauses.map { "\($0.prefix(1).uppercased())\($0.dropFirst())." }
    }

    private static func sentence(about key: Key?, in domain: Key, _ known: Known, _ subject: String) -> String? {
        let shownDomain = Printable.escape(domain.string)
        guard known.domains.contains(domain) else {
            return "\(subject) knows the domain \(shownDomain)\(nearest(to: domain, among: known.domains))."
        }
        guard let key, !known.isOpen, !known.keys.contains(key) else { return nil }
        return "\(subject) knows the key \(Printable.escape(key.string)) of \(shownDomain)"
            + "\(nearest(to: key, among: known.keys))."
    }

    /// The end of a sentence with the known name that is nearest.
    private static func nearest(to name: Key, among known: Set<Key>) -> String {
        let near = Suggestion.nearest(to: name.string, among: known.sorted().map(\.string))
        return near.map { "; \(Printable.escape($0)) is near" } ?? ""
    }

    /// Collects what policy files, manifests and programs know.
    private static func known(_ domain: Key, _ policies: [PolicyFile], _ machine: PolicyInForce) -> Known {
        var known = Known(domains: [DomainName.global])
        let asked: Set<Key> = [domain, DomainName.global]
        for policy in policies {
            known.domains.formUnion(policy.domains)
            for (domain, key) in policy.names where asked.contains(domain) { known.keys.insert(key) }
            if policy.seals.contains(where: { asked.contains($0.domain) }) { known.isOpen = true }
        }
        let manifests = ManifestSet(root: machine.root)
        known.domains.formUnion(manifests.domains)
        for domain in asked { known.keys.formUnion(manifests.names(in: domain)) }
        known.domains.formUnion(ProgramCatalog.all.flatMap(\.domains))
        // Which keys a program of this catalog obeys, the program decides.
        if !ProgramCatalog.programs(taking: domain).isEmpty {
            known.domains.insert(domain)
            known.isOpen = true
        }
        known.domains.insert(CommonSettings.domain)
        if domain == CommonSettings.domain {
            known.keys.formUnion((try? CommonSettings(root: machine.root).keys) ?? [])
        }
        return known
    }
}

extension NameCheck.Known {
    /// Adds what the user's files know.
    fileprivate mutating func add(_ session: UserSession, of domain: Key) {
        if let stored = try? session.preferences.domains(host: .anyHost) { domains.formUnion(stored) }
        if let stored = try? session.preferences.domains(host: .thisHost) { domains.formUnion(stored) }
        if let shared = try? session.shared.domains() { domains.formUnion(shared) }
        let search = session.searchList(application: domain, scope: .anyHost)
        for layer in search.layers where layer.domain == domain || layer.domain == DomainName.global {
            keys.formUnion(layer.values.keys)
            keys.formUnion(layer.entries.keys)
            if layer.failure != nil { isOpen = true }
        }
    }
}
