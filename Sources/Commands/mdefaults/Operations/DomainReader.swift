import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList

/// Reads domains of a user as an application gets them.
struct DomainReader {
    /// The values of a domain, and what could not be read.
    struct Found {
        /// The effective values by key; `nil` if there are none.
        let values: [Key: Value]?
        /// A sentence for each file that could not be read.
        let problems: [String]
        /// The exit code for a damaged or unreadable file of the domain itself.
        let code: ExitCode
    }

    /// The user and the resultant set.
    private let session: UserSession
    /// Whether only values stored for this host count.
    private let scope: HostScope

    /// Makes a reader.
    init(_ session: UserSession, scope: HostScope) {
        self.session = session
        self.scope = scope
    }

    /// The value that an application of this name gets for a key.
    func value(of key: Key, in domain: Key) -> (value: Value?, problems: [String], code: ExitCode) {
        let search = session.searchList(application: domain, scope: scope)
        return (search.lookUp(key).value, search.problems, code(of: search, domain))
    }

    /// The keys that a domain has in any of its layers, with their effective values; sensitive ones are masked.
    func values(of domain: Key) -> Found {
        let search = session.searchList(application: domain, scope: scope)
        let layers = search.layers.filter { $0.domain == domain }
        var values: [Key: Value] = [:]
        for key in Set(layers.flatMap { Array($0.values.keys) + Array($0.entries.keys) }) {
            let value = search.lookUp(key).value
            let isSensitive = session.resultant.isSensitive(key, in: [domain, DomainName.global])
            values[key] = isSensitive && value != nil ? .string(ValueText.sensitive) : value
        }
        return Found(
            values: values.isEmpty ? nil : values, problems: search.problems, code: code(of: search, domain))
    }

    /// Every domain that has a key, in byte order, without the global one.
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

    /// The exit code for the domain's own files.
    private func code(of search: SearchList, _ domain: Key) -> ExitCode {
        let errors = search.layers.filter { $0.domain == domain }.compactMap(\.failure)
        if errors.isEmpty { return .success }
        return errors.contains { $0.isBadInput } ? .badInput : .inputOutput
    }
}

/// Finds and prints the value of a domain or of a key.
struct DomainLookup {
    /// The domain or file.
    let place: DomainArgument
    /// The key; `nil` for the whole domain.
    let key: Key?

    /// Finds the value and prints it.
    ///
    /// - Parameters:
    ///   - context: the machine and the console.
    ///   - print: prints the value.
    /// - Returns: success; 4 or 5 if the domain's own file could not be read.
    /// - Throws: exit 1 if there is no value, and why it could not be printed.
    func run(_ context: Context, _ print: (Value) throws(Failure) -> Void) throws(Failure) -> ExitCode {
        switch place {
        case .domain(let domain, let scope, let account):
            let domains = SearchOrder(ofOther: domain).forcingDomains
            return try context.run(as: account, of: domains) { session throws(Failure) in
                let reader = DomainReader(session, scope: scope)
                let (value, problems, code) = find(in: reader, domain)
                if let value { try print(value) }
                for problem in problems { context.console.say(problem) }
                if value != nil || code != .success { return Context.Outcome(code: code) }
                throw missing(
                    in: Printable.escape(DomainNotation.title(domain)),
                    ofPair: Printable.escape(DomainNotation.codeName(domain)))
            }.code
        case .file(let file):
            return try file.runAsOwner(context) { () throws(Failure) in
                guard let content = try file.read(), !content.values.isEmpty else {
                    throw missing(in: file.shown)
                }
                let value = key.map { content.values[$0] } ?? .dictionary(content.values)
                guard let value else { throw missing(in: file.shown, ofPair: file.shown) }
                try print(value)
                return Context.Outcome(code: .success)
            }.code
        }
    }

    /// Finds the value in a domain.
    private func find(in reader: DomainReader, _ domain: Key) -> (Value?, [String], ExitCode) {
        if let key {
            let found = reader.value(of: key, in: domain)
            return (found.value, found.problems, found.code)
        }
        let found = reader.values(of: domain)
        return (found.values.map { .dictionary($0) }, found.problems, found.code)
    }

    /// Apple's answer if there is no value.
    ///
    /// - Parameters:
    ///   - shown: the domain or file, escaped.
    ///   - pair: its name in a pair with a key; `nil` if the file does not exist.
    /// - Returns: the failure, with exit 1.
    private func missing(in shown: String, ofPair pair: String? = nil) -> Failure {
        guard let key, let pair else {
            return Failure(code: .no, message: "Domain \(shown) does not exist", isPlain: true)
        }
        let text = "The domain/default pair of (\(pair), \(Printable.escape(key.string))) does not exist"
        return Failure(code: .no, message: text, isPlain: true)
    }
}
