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

    /// Where the entries of a user are in force in programs.
    package struct EnforcementIndex: Sendable {
        private let result: Outcome
        private let root: Root
        private let user: String

        fileprivate init(_ result: Outcome, _ root: Root, user: String) {
            (self.result, self.root, self.user) = (result, root, user)
        }

        /// What programs do with a key; empty for a key that none takes.
        package func enforcements(domain: Key, key: Key) -> [Enforcement] {
            ProgramCatalog.programs(taking: domain).map { program in
                let (state, reason) = state(of: key, domain, in: program)
                return Enforcement(
                    program: program, state: state, isInstalled: program.isInstalled(in: root), reason: reason)
            }
        }

        private func state(
            of key: Key, _ domain: Key, in program: any Program
        ) -> (Enforcement.State, String) {
            let part = result.plan.part(of: program, for: user)
            let entry = part?.policy.entries.first { $0.domain == domain && $0.key == key }
            let finding = result.plan.findings.first {
                Key($0.program) == Key(program.name) && $0.key == key && (entry == nil || $0.origin == entry?.origin)
            }
            // What a common setting asks of a program that is not there.
            if finding?.isIdle(in: root) == true { return (.written, "") }
            if entry?.origin.source.isExpanded == true, !program.isInstalled(in: root) { return (.written, "") }
            if let finding, finding.kind == .notEnforced { return (.notEnforced, finding.message) }
            if let finding, finding.kind == .unsupported { return (.notSupported, finding.message) }
            if part?.isWritten == false {
                return (.notEnforced, "\(program.title) has no policy for single users here")
            }
            if result.changes.contains(where: { Key($0.program) == Key(program.name) }) {
                return (.notWritten, "policy apply has not written it, or the file was changed since")
            }
            return (.written, "")
        }
    }

    /// Looks up where the entries of a user are in force in programs; writes nothing.
    ///
    /// Complexity: policy is resolved for the user and for everybody, and programs' files are read.
    ///
    /// - Parameter account: the user.
    /// - Returns: the answers.
    /// - Throws: why they are unknown, as a sentence.
    package func enforcements(of account: Account) throws(ProgramsError) -> EnforcementIndex {
        EnforcementIndex(try preview(for: [account]), machine.root, user: account.name)
    }
}
