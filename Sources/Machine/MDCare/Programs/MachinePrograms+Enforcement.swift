import MDEngine
package import MDPlatform
import MDPolicyCore
import MDPolicyModel
package import MDPrograms
package import MDPropertyList

/// In which programs an entry is in force.
extension MachinePrograms {
    /// What a program does with an entry.
    package struct Enforcement: Sendable {
        /// The state of an entry in a program; the raw value is printed by `forced --json`.
        package enum State: String, Sendable {
            /// It is in the program's own files, as they were written; whether the program obeys was not looked at.
            case written
            /// The program itself said that it has it, when it was last asked.
            case confirmed
            /// The program itself said that it does not obey it.
            case denied
            /// It is to be written, and is not yet, or was changed since.
            case notWritten = "not written"
            /// The program cannot carry it out.
            case notSupported = "not supported"
            /// The program takes the value once, and users may then change it.
            case firstState = "first state only"
            /// The program is not known to have what it names, and did not confirm it.
            case notKnown = "not known"
            /// It is for some users only, and the program does not get it.
            case notEnforced = "not enforced"
            /// The program is not in the places where packages put it.
            case notInstalled = "not installed"
            /// Only root can look whether the file is as it was written.
            case unknown
        }

        /// Whose programs read the files that an entry is written into; the raw value is printed.
        package enum Readers: String, Sendable {
            case everybody
            /// The login sessions of the user that began after `programs enable`.
            case sessions = "login sessions"
            /// The user, in any way that the program is started.
            case user = "each user"
        }

        package let program: any Program
        package let state: State
        /// Why it is not in force, as a clause; empty if nothing is known against it.
        package let reason: String
        /// The users that read the files; `nil` if nothing is written.
        package let readers: Readers?
    }

    /// Where the entries of users are in force in programs.
    package struct EnforcementIndex: Sendable {
        /// A key of a program.
        private struct Place: Hashable {
            let program: Key
            let key: Key
        }

        private let result: Outcome
        private let findings: [Place: [ProgramFinding]]
        /// The programs with files that are not as they should be.
        private let changed: Set<Key>
        /// The programs with files that only root can look at.
        private let unseen: Set<Key>
        /// Where programs are installed.
        private let presence: [Key: ProgramPresence]
        private let root: Root

        fileprivate init(_ result: Outcome, _ root: Root) {
            self.result = result
            var findings: [Place: [ProgramFinding]] = [:]
            for finding in result.plan.findings {
                guard let key = finding.key else { continue }
                findings[Place(program: Key(finding.program), key: key), default: []].append(finding)
            }
            self.findings = findings
            changed = Set(result.changes.map { Key($0.program) })
            unseen = Set(result.findings.filter { $0.kind == .unknown && $0.path != nil }.map { Key($0.program) })
            self.root = root
            presence = Dictionary(
                uniqueKeysWithValues: ProgramCatalog.all.map { (Key($0.name), $0.presence(in: root)) })
        }

        /// The numbers of the parts of programs' policy for a user, which distinguish kinds of users.
        package func parts(of user: String) -> [Int] {
            let name = Key(user)
            return result.plan.parts.indices.filter { index in
                result.plan.parts[index].audiences.contains { audience in
                    audience.user.map { Key($0.name) == name } ?? false
                }
            }
        }

        /// What programs do with a key; empty for a key that none takes.
        ///
        /// - Parameters:
        ///   - domain: the domain.
        ///   - key: the key.
        ///   - user: the name of the user.
        /// - Returns: a state for each program that takes the domain.
        package func enforcements(domain: Key, key: Key, of user: String) -> [Enforcement] {
            ProgramCatalog.all.filter {
                $0.takes(domain) && (!$0.isPlace || presence[Key($0.name)] == .installed)
            }.map { enforcement(of: key, domain, in: $0, for: user) }
        }

        private func enforcement(
            of key: Key, _ domain: Key, in program: any Program, for user: String
        ) -> Enforcement {
            typealias State = Enforcement.State
            func without(_ state: State, _ reason: String) -> Enforcement {
                Enforcement(program: program, state: state, reason: reason, readers: nil)
            }
            switch presence[Key(program.name)] {
            case .installed: break
            case .sandboxed:
                return without(
                    .notEnforced, "it is here as a Flatpak or snap only, which is not known to read what is written")
            case .missing, nil:
                return without(.notInstalled, "it is not installed here in the places where packages put it")
            }
            let plan = result.plan
            let indices = plan.indices(of: program, for: user)
            // A sealed domain has one entry for all other keys.
            func entry(of index: Int?) -> ProgramEntry? {
                let policy = index.map { plan.parts[$0].policy }
                return policy?.entry(domain: domain, key: key) ?? policy?.entry(domain: domain, key: "")
            }
            let asked = entry(of: indices?.own)
            let found = (findings[Place(program: Key(program.name), key: key)] ?? []).filter {
                asked == nil || $0.origin == asked?.origin
            }
            let silent: [(ProgramFinding.Kind, State)] = [
                (.unsupported, .notSupported), (.idle, .notInstalled), (.firstState, .firstState),
            ]
            for (kind, state) in silent {
                if let finding = found.first(where: { $0.kind == kind }) { return without(state, finding.message) }
            }
            guard let indices, let asked else {
                return without(.notEnforced, "policy says nothing of it to this program")
            }
            // Without instances the user's program reads everybody's files.
            let part = plan.parts[indices.own]
            guard part.program.isMeant(key, in: root) else {
                return without(.notInstalled, "nothing that is installed here has it")
            }
            let index = part.isWritten ? indices.own : indices.common
            let isMissing = part.missing.contains { $0.domain == domain && $0.key == asked.key }
            guard !isMissing, let written = entry(of: index), written.isSame(as: asked) else {
                return without(.notEnforced, part.obstacle?.clause(about: program) ?? "")
            }
            if changed.contains(Key(program.name)) {
                return without(.notWritten, "policy apply has not written it, or the file was changed since")
            }
            if unseen.contains(Key(program.name)) { return without(.unknown, "only root can look at its file") }
            let (state, words): (Enforcement.State, String) =
                switch result.answers[index]?.word(of: written) {
                case .denied(let words): (.denied, words)
                case .confirmed: (.confirmed, "")
                case nil: (.written, "")
                }
            // What is known of names may be older than the program, so its own word counts more.
            if state == .written, let finding = found.first(where: { $0.kind == .notKnown }) {
                return without(.notKnown, finding.message)
            }
            return Enforcement(
                program: program, state: state, reason: words, readers: Enforcement.Readers(of: plan.parts[index]))
        }
    }

    /// Finds the programs in which the entries of users are in force; writes nothing.
    ///
    /// Complexity: policy is resolved for each user and for everybody, and programs' files are read.
    ///
    /// - Parameter users: the users; `nil` for all.
    /// - Returns: the answers.
    /// - Throws: why they are unknown, as a sentence.
    package func enforcements(of users: [Account]? = nil) throws(ProgramsError) -> EnforcementIndex {
        enforcements(in: try preview(for: users))
    }

    /// Where the entries of users are in force, by what was found already.
    package func enforcements(in result: Outcome) -> EnforcementIndex { EnforcementIndex(result, machine.root) }
}

extension MachinePrograms.Enforcement.Readers {
    /// The readers of the files of a part of the plan.
    fileprivate init(of part: ProgramsPlan.Part) {
        switch part.program.reach {
        case .user where part.audiences != [.everybody]: self = .user
        case .instance, .session: self = part.audiences == [.everybody] ? .everybody : .sessions
        case .user, .machine: self = .everybody
        }
    }
}
