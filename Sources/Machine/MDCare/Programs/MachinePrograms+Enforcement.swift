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
            /// It is in the program's own files, as they were written.
            case written
            /// It is to be written, and is not yet, or was changed since.
            case notWritten = "not written"
            /// The program cannot carry it out.
            case notSupported = "not supported"
            /// It is for some users only, and the program does not get it.
            case notEnforced = "not enforced"
        }

        package let program: any Program
        package let state: State
        /// Whether the program is installed.
        package let isInstalled: Bool
        /// Why it is not in force, as a clause; empty if it is.
        package let reason: String
    }

    /// Where the entries of users are in force in programs.
    package struct EnforcementIndex: Sendable {
        /// A key of a program.
        private struct Place: Hashable {
            let program: Key
            let key: Key
        }

        private let result: Outcome
        private let root: Root
        private let findings: [Place: [ProgramFinding]]
        /// The programs with files that are not as they should be.
        private let changed: Set<Key>
        /// The programs that are installed.
        private let installed: Set<Key>

        fileprivate init(_ result: Outcome, _ root: Root) {
            (self.result, self.root) = (result, root)
            var findings: [Place: [ProgramFinding]] = [:]
            for finding in result.plan.findings {
                guard let key = finding.key else { continue }
                findings[Place(program: Key(finding.program), key: key), default: []].append(finding)
            }
            self.findings = findings
            changed = Set(result.changes.map { Key($0.program) })
            installed = Set(ProgramCatalog.all.filter { $0.isInstalled(in: root) }.map { Key($0.name) })
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
            ProgramCatalog.programs(taking: domain).map { program in
                let isInstalled = installed.contains(Key(program.name))
                let (state, reason) = state(of: key, domain, in: program, for: user, isInstalled: isInstalled)
                return Enforcement(program: program, state: state, isInstalled: isInstalled, reason: reason)
            }
        }

        private func state(
            of key: Key, _ domain: Key, in program: any Program, for user: String, isInstalled: Bool
        ) -> (Enforcement.State, String) {
            let part = result.plan.part(of: program, for: user)
            let entry = part?.policy.entry(domain: domain, key: key)
            let finding = findings[Place(program: Key(program.name), key: key)]?.first {
                entry == nil || $0.origin == entry?.origin
            }
            // What a common setting asks of a program that is not there.
            if finding?.isIdle(in: root) == true { return (.written, "") }
            if entry?.origin.source.isExpanded == true, !isInstalled { return (.written, "") }
            if let finding, finding.kind == .notEnforced { return (.notEnforced, finding.message) }
            if let finding, finding.kind == .unsupported { return (.notSupported, finding.message) }
            if changed.contains(Key(program.name)) {
                return (.notWritten, "policy apply has not written it, or the file was changed since")
            }
            return (.written, "")
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
