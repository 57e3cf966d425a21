import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPrograms
import MDPropertyList

/// Reports that a domain or a key is unknown: "not forced" for a misspelt name would be the wrong comfort.
enum NameCheck {
    /// What is known of names.
    private struct Known {
        var domains: Set<Key> = []
        var keys: Set<Key> = []
        /// Whether every key of the domain is known, as in a sealed one.
        var isOpen = false
    }

    /// The sentence about a name that no policy, manifest or stored file has; `nil` if one has it, or that is unknown.
    ///
    /// Reads the user's files, so it is called with the user's ids.
    static func sentence(about key: Key, in domain: Key, _ session: UserSession) -> String? {
        let known = known(domain, session)
        let (shownKey, shownDomain) = (Printable.escape(key.string), Printable.escape(domain.string))
        guard known.domains.contains(domain) else {
            let near = nearest(to: domain, among: known.domains)
            return "No policy, manifest or stored file knows the domain \(shownDomain)\(near)."
        }
        if known.isOpen || known.keys.contains(key) { return nil }
        return "No policy, manifest or stored file knows the key \(shownKey) of \(shownDomain)"
            + "\(nearest(to: key, among: known.keys))."
    }

    /// The end of a sentence with the known name that is nearest.
    private static func nearest(to name: Key, among known: Set<Key>) -> String {
        let near = Suggestion.nearest(to: name.string, among: known.sorted().map(\.string))
        return near.map { "; \(Printable.escape($0)) is near" } ?? ""
    }

    /// Collects what policy, manifests, programs and the user's files know.
    private static func known(_ domain: Key, _ session: UserSession) -> Known {
        var known = Known(domains: [DomainName.global])
        let asked: Set<Key> = [domain, DomainName.global]
        for policy in session.machine.policies.files.compactMap(\.policy) {
            known.domains.formUnion(policy.domains)
            for (domain, key) in policy.names where asked.contains(domain) { known.keys.insert(key) }
            if policy.seals.contains(where: { asked.contains($0.domain) }) { known.isOpen = true }
        }
        let manifests = ManifestSet(root: session.machine.root)
        known.domains.formUnion(manifests.domains)
        for domain in asked { known.keys.formUnion(manifests.names(in: domain)) }
        // Which keys a program of this catalog obeys, the program decides.
        if !ProgramCatalog.programs(taking: domain).isEmpty || domain == CommonSettings.domain {
            known.domains.insert(domain)
            known.isOpen = true
        }
        if let stored = try? session.preferences.domains(host: .anyHost) { known.domains.formUnion(stored) }
        if let stored = try? session.preferences.domains(host: .thisHost) { known.domains.formUnion(stored) }
        if let shared = try? session.shared.domains() { known.domains.formUnion(shared) }
        let search = session.searchList(application: domain, scope: .anyHost)
        for layer in search.layers where asked.contains(layer.domain) {
            known.keys.formUnion(layer.values.keys)
            known.keys.formUnion(layer.entries.keys)
            if layer.failure != nil { known.isOpen = true }
        }
        return known
    }
}
