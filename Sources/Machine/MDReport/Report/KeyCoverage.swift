import MDAuditClient
import MDCare
import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPreferences
import MDPrograms
import MDPropertyList

/// What enforces a forced key of a user, besides the word of the engine.
package enum KeyCoverage: Hashable, Sendable {
    /// Programs of the user that opened the domain since the boot: their paths. A fact about the domain, not the key.
    case asked([String])
    /// Programs that said themselves that they obey it, when they were last asked: their names.
    case confirmed([String])
    /// Programs that said themselves that they do not obey it: their names and words.
    case denied([String])
    /// Programs take it once, and users may then change it: their names.
    case firstState([String])
    /// Programs' own files have it; whether the programs obey was not looked at.
    case written([String])
    /// Only programs take it that are not installed: their names.
    case notInstalled([String])
    /// Nothing on this machine is known to enforce it.
    case none
    /// It is unknown what enforces it.
    case unknown

    /// The word for it in reports.
    package var word: String {
        switch self {
        case .asked: "observed"
        case .confirmed: "confirmed"
        case .denied: "denied"
        case .firstState: "first state only"
        case .written: "written"
        case .notInstalled: "not installed"
        case .none: "not covered"
        case .unknown: "unknown"
        }
    }

    /// The programs that it names, or what they say.
    package var names: [String] {
        switch self {
        case .asked(let names), .confirmed(let names), .denied(let names), .firstState(let names),
            .written(let names), .notInstalled(let names):
            names
        case .none, .unknown: []
        }
    }
}

/// Looks up what enforces the keys of users.
struct CoverageIndex {
    /// Which programs opened which domains.
    private var opened: OpenedPrograms
    private var programs: MachinePrograms.EnforcementIndex?
    /// A sentence for each thing that is unknown.
    private(set) var limits: [String] = []
    /// Whether it is known which programs opened domains.
    private var areOpeningsKnown = true
    /// The digest of what is known of programs.
    private(set) var digest = SHA256.hash([])

    /// The most bytes of the file of opened domains.
    private static let limit = 64 << 20

    /// Reads what is known.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - programs: what programs' files have; `nil` if unknown.
    init(of machine: PolicyInForce, programs: MachinePrograms.EnforcementIndex?) {
        self.programs = programs
        opened = OpenedPrograms(root: machine.root)
        // The facts of another machine say nothing of its programs.
        guard machine.facts == nil else {
            areOpeningsKnown = false
            limits.append("Programs were not looked at, because the report is as if on another machine.")
            return
        }
        if programs == nil { limits.append("What the files of programs have is not known; see the findings.") }
        let said = (try? machine.root.read(TestimonyRecord.path, limit: TestimonyRecord.sizeLimit).bytes) ?? []
        digest = SHA256.hash(said)
        do throws(SystemError) {
            let bytes = try machine.root.read(OpenedDomain.path, limit: CoverageIndex.limit).bytes
            digest = SHA256.hash(bytes + said)
            let lines = OpenedDomain.lines(in: bytes, root: machine.root).lines
            opened = OpenedPrograms(
                lines.compactMap { OpenedDomain(line: $0) }, named: machine.policies.programs, root: machine.root)
        } catch {
            if error.isMissing { return }
            areOpeningsKnown = false
            let file = Printable.escape(machine.root.display(OpenedDomain.path))
            limits.append("Which programs opened which domains since the boot is not known: \(file): \(error).")
        }
    }

    /// The facts about a user that distinguish kinds of users.
    struct Kind: Hashable {
        /// The paths of programs by the domain that they opened.
        let opened: [Key: Set<String>]
        /// What programs' files have for the user.
        let programs: [Int]
    }

    /// Everything by which ``coverage(of:for:)`` tells users apart.
    func kind(of account: Account) -> Kind {
        Kind(opened: opened.kind(of: account.uid), programs: programs?.parts(of: account.name) ?? [])
    }

    /// What enforces a constraint of a user: programs' own files have none.
    ///
    /// - Parameters:
    ///   - constraint: the constraint.
    ///   - domains: the domains in which values are stored that it does not allow; those of one that all programs have may be
    ///     of any domain.
    ///   - account: the user.
    /// - Returns: a program that opened all of them, or nothing.
    func coverage(of constraint: ResolvedConstraint, storedIn domains: Set<Key>, for account: Account) -> KeyCoverage {
        let places = domains.isEmpty ? [constraint.entry.domain] : domains
        let paths = places.map { opened.programs(domain: $0, key: constraint.entry.key, of: account.uid) }
        if paths.contains(where: \.isEmpty) { return areOpeningsKnown ? .none : .unknown }
        return .asked(Set(paths.joined()).sorted { Key($0) < Key($1) })
    }

    /// The domains that only programs opened that do not count, each with their paths.
    func otherPrograms(in domains: Set<Key>) -> [(domain: Key, paths: [String])] { opened.others(in: domains) }

    /// What enforces a key of a user, by what policy leaves for the user.
    func coverage(of entry: ResolvedEntry, for account: Account, _ resultant: ResultantSet) -> KeyCoverage {
        // A common setting is where all is that it became.
        let meanings = resultant.meanings(of: entry.key, in: entry.domain)
        let places = meanings.isEmpty ? [(entry.domain, entry.key)] : meanings.map { ($0.entry.domain, $0.entry.key) }
        let found = programs.map { programs in
            places.flatMap { programs.enforcements(domain: $0, key: $1, of: account.name) }
        }
        // An opening of the domain of a program that does not use the library says nothing of that program.
        if let found, found.contains(where: { $0.state != .notInstalled }) {
            guard meanings.allSatisfy(\.isInForce) else { return .none }
            return CoverageIndex.coverage(by: found, isSensitive: entry.metadata.isSensitive)
        }
        let paths = opened.programs(domain: entry.domain, key: entry.key, of: account.uid)
        if !paths.isEmpty { return .asked(paths) }
        guard let found, areOpeningsKnown else { return .unknown }
        return found.isEmpty ? .none : CoverageIndex.coverage(by: found, isSensitive: entry.metadata.isSensitive)
    }

    /// What programs do with a key, all together: what one of them does not do counts before what others do.
    ///
    /// - Parameters:
    ///   - enforcements: what each does.
    ///   - isSensitive: whether the words of programs about the key are not shown.
    /// - Returns: the coverage; none if one of them does not get the key.
    private static func coverage(by enforcements: [MachinePrograms.Enforcement], isSensitive: Bool) -> KeyCoverage {
        func names(
            of state: MachinePrograms.Enforcement.State, _ name: (MachinePrograms.Enforcement) -> String
        ) -> [String] {
            Set(enforcements.filter { $0.state == state }.map { Key(name($0)) }).sorted().map(\.string)
        }
        let denied = names(of: .denied) { isSensitive ? $0.program.title : "\($0.program.title): \($0.reason)" }
        if !denied.isEmpty { return .denied(denied) }
        let states = Set(enforcements.map(\.state))
        if !states.isDisjoint(with: [.notWritten, .notSupported, .notKnown, .notEnforced]) { return .none }
        if states.contains(.firstState) { return .firstState(names(of: .firstState, \.program.title)) }
        if states.contains(.unknown) { return .unknown }
        if states.contains(.written) {
            return .written(
                names(of: .written) { each in
                    each.program.title + (each.readers.map { " (for \($0.rawValue))" } ?? "")
                })
        }
        if states.contains(.confirmed) { return .confirmed(names(of: .confirmed, \.program.title)) }
        return .notInstalled(names(of: .notInstalled, \.program.title))
    }
}
