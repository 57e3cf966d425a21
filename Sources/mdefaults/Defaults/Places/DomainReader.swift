import Engine
import Platform
import Policy
import Preferences
import PropertyList

/// Reads domains of a user as an application would get them.
struct DomainReader {
    /// The values of a domain, and what could not be read.
    struct Found {
        /// The values that count, by key; `nil` where it has none.
        let values: [Key: Value]?
        /// A sentence for each file that could not be read.
        let problems: [String]
        /// The exit code that a damaged or unreadable file of the domain itself calls for.
        let code: ExitCode
    }

    /// The user and what policy says for them.
    private let session: UserSession
    /// Whether only what is stored for this host counts.
    private let scope: HostScope

    /// Makes a reader.
    init(_ session: UserSession, scope: HostScope) {
        self.session = session
        self.scope = scope
    }

    /// The value that an application of this name gets for a key.
    func value(of key: Key, in domain: Key) -> (value: Value?, problems: [String], code: ExitCode) {
        let search = session.search(application: domain)
        return (list(of: search, domain).answer(for: key).value, search.problems, code(of: search, domain))
    }

    /// The keys that a domain has in any of its layers, with the values that count; for sensitive ones stands a word.
    func values(of domain: Key) -> Found {
        let search = session.search(application: domain)
        let list = list(of: search, domain)
        let layers = list.layers.filter { $0.domain == domain }
        var values: [Key: Value] = [:]
        for key in Set(layers.flatMap { Array($0.values.keys) + Array($0.entries.keys) }) {
            let value = list.answer(for: key).value
            let isSensitive = session.resultant.isSensitive(key, in: [domain, DomainName.global])
            values[key] = isSensitive && value != nil ? .string(ValueText.sensitive) : value
        }
        return Found(
            values: values.isEmpty ? nil : values, problems: search.problems, code: code(of: search, domain))
    }

    /// Every domain that has something, in byte order, without the global one.
    func domains() throws(Failure) -> [Key] {
        var domains = Set(session.resultant.forced.keys).union(session.resultant.recommended.keys)
        domains.formUnion(session.resultant.setOnce.keys.filter { !session.pendingSetOnce(of: $0).isEmpty })
        do {
            domains.formUnion(try session.preferences.domains(host: scope))
            if scope == .anyHost {
                domains.formUnion(try session.preferences.domains(host: .thisHost))
                domains.formUnion(try session.shared.domains())
            }
        } catch {
            throw .of(error)
        }
        domains.remove(DomainName.global)
        return domains.sorted()
    }

    /// The search list; of one host only, policy and the domain's own file for the host.
    private func list(of search: UserSession.Search, _ domain: Key) -> SearchList {
        guard scope == .thisHost else { return search.list }
        return SearchList(
            layers: search.list.layers.filter { layer in
                switch layer.kind {
                case .forced: true
                case .applicationHost, .globalHost: layer.domain == domain
                default: false
                }
            })
    }

    /// The exit code that the domain's own files call for.
    private func code(of search: UserSession.Search, _ domain: Key) -> ExitCode {
        let errors = search.failures.filter { $0.domain == domain }.map(\.error)
        if errors.isEmpty { return .success }
        return errors.contains { $0.isBadInput } ? .badInput : .inputOutput
    }
}
