import Platform
import Policy
import Preferences
package import PropertyList

extension UserSession {
    /// Explains what an application finds under a key, place by place.
    ///
    /// The places are those of ``search(application:suites:arguments:registration:)``, the ones without anything
    /// included.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - application: the application's domain; NSGlobalDomain has no other domain around it.
    ///   - suites: the suites, last added first.
    /// - Returns: the places, and who wins.
    package func explain(_ key: Key, in application: Key, suites: [Key] = []) -> Explanation {
        let isGlobal = application == DomainName.global
        let named = ([application] + suites).filter { $0 != DomainName.global }
        let domains = named + [DomainName.global]
        var layers: [ExplainedLayer] = []
        for kind in LayerKind.allCases {
            switch kind {
            case .forced:
                layers += domains.map { domain in
                    ExplainedLayer(
                        kind, domain: domain, entries: resultant.forced[domain], key: key,
                        seal: DomainSeal(of: domain, in: resultant))
                }
            case .recommended:
                layers += domains.map { ExplainedLayer(kind, domain: $0, entries: resultant.recommended[$0], key: key) }
            // What users have stored on another host is not known here.
            case _ where machine.facts != nil: continue
            case .applicationHost where !isGlobal: layers.append(stored(kind, application, .thisHost, key))
            case .application where !isGlobal: layers.append(stored(kind, application, .anyHost, key))
            case .suite:
                for suite in suites where suite != DomainName.global {
                    layers.append(stored(kind, suite, .thisHost, key))
                    layers.append(stored(kind, suite, .anyHost, key))
                }
            case .globalHost: layers.append(stored(kind, DomainName.global, .thisHost, key))
            case .global: layers.append(stored(kind, DomainName.global, .anyHost, key))
            case .applicationAllUsers where !isGlobal: layers.append(allUsers(kind, application, key))
            case .globalAllUsers: layers.append(allUsers(kind, DomainName.global, key))
            case .applicationHost, .application, .applicationAllUsers, .argument, .language, .registration: continue
            }
        }
        if let constraint = resultant.constraint(of: key, in: domains) {
            for index in layers.indices where layers[index].kind.isUsers { layers[index].constraint = constraint }
        }
        return Explanation(
            domain: application, key: key, layers: layers, metadata: resultant.metadata(of: key, in: domains),
            waivers: resultant.waivers.filter { $0.waiver.key == key && domains.contains($0.waiver.domain) })
    }

    /// A layer of the user's own domains.
    private func stored(_ kind: LayerKind, _ domain: Key, _ host: HostScope, _ key: Key) -> ExplainedLayer {
        let stored = layer(kind, domain, key, expected: try? preferences.path(of: domain, host: host)) {
            () throws(PreferencesError) in try preferences.read(domain, host: host)
        }
        guard host == .anyHost, let entry = pendingSetOnce(of: domain)[key],
            let value = resultant.setOnceValue(of: entry)
        else { return stored }
        return ExplainedLayer(stored, pending: entry, value)
    }

    /// A layer of the domains of all users.
    private func allUsers(_ kind: LayerKind, _ domain: Key, _ key: Key) -> ExplainedLayer {
        // The files of all users have the names that a user's own have.
        let own = try? preferences.path(of: domain, host: .anyHost)
        let name = own?.split(separator: "/").last.map(String.init)
        return layer(kind, domain, key, expected: name.map { "\(SharedDefaults.directory)/\($0)" }) {
            () throws(PreferencesError) in try shared.read(domain)
        }
    }

    /// Reads a domain and looks the key up in it alone.
    private func layer(
        _ kind: LayerKind, _ domain: Key, _ key: Key, expected: String?,
        _ read: () throws(PreferencesError) -> StoredDomain?
    ) -> ExplainedLayer {
        let expected = expected.map { machine.root.display($0) }
        do {
            guard let stored = try read() else {
                return ExplainedLayer(kind, domain: domain, content: .missing, path: expected)
            }
            return ExplainedLayer(
                kind, domain: domain, content: stored.values[key].map { .value($0) } ?? .nothing,
                path: machine.root.display(stored.path))
        } catch {
            return ExplainedLayer(kind, domain: domain, content: .unreadable(error), path: expected)
        }
    }
}
