package import MDEngine
package import MDPlatform
import MDPolicyCore
import MDPolicyModel
package import MDPrograms

/// The programs of a machine and the policy that is written for them.
package struct MachinePrograms {
    private let machine: PolicyMachine

    package init(machine: PolicyMachine) {
        self.machine = machine
    }

    /// The users who get policy of their own: people, without root, whose programs obey what is for everybody.
    package var people: [Account] { machine.people.filter { $0.uid != 0 } }

    /// What policy becomes for everybody and for some users.
    ///
    /// Complexity: policy is resolved once for each user.
    package func plan(for users: [Account]) -> ProgramsPlan {
        let people = users.map { account in
            ProgramsPlan.Person(
                user: ProgramUser(name: account.name, uid: account.uid), resultant: machine.resultant(for: account))
        }
        return ProgramsPlan(root: machine.root, everybody: everybody, people: people)
    }

    /// What holds for every user alike, whoever that is.
    private var everybody: ResultantSet {
        guard machine.isManaged else { return ResultantSet() }
        let subject = Subject(
            userName: "", uid: .max, gid: .max, groups: [], home: "", host: machine.host, tags: machine.tags ?? [],
            moment: machine.moment, unknown: [.name, .id, .home])
        return machine.policies.forEverybody.resolve(for: subject)
    }

    /// What was or would be done, and what policy says that programs cannot do.
    package struct Result: Sendable {
        package let plan: ProgramsPlan
        package let changes: [ProgramWriter.Change]
        package let findings: [ProgramFinding]

        /// Whether something could not be written.
        package var isUnfinished: Bool { findings.contains { $0.kind == .failed } }
        /// Whether programs' files were found changed.
        package var hasDrift: Bool { findings.contains { $0.kind == .drift } }
    }

    /// Writes programs' files, and records in the audit log what was written and mended.
    ///
    /// While policy is unknown nothing is written, so that what was in force stays so.
    ///
    /// - Parameters:
    ///   - users: the users of a dry run; `nil` for all.
    ///   - isDryRun: whether only to say what would be done.
    /// - Returns: what was or would be done.
    /// - Throws: why nothing could be done, as a sentence.
    package func write(for users: [Account]? = nil, isDryRun: Bool = false) throws(ProgramsError) -> Result {
        if let reason = machine.uncertainty {
            throw ProgramsError(PolicyMachine.sentence(ofUncertainty: reason))
        }
        let (root, plan) = (machine.root, plan(for: isDryRun ? users ?? people : people))
        do {
            let lock = isDryRun ? nil : try MachinePrograms.lock(root)
            var writer = try ProgramWriter(root: root, isDryRun: isDryRun)
            // What is written for others than the asked users stays unmentioned.
            var outcome = writer.write(plan.files, removing: users == nil || !isDryRun)
            if !isDryRun {
                outcome.findings += MachinePrograms.publish(outcome.changes, root: root)
                if !outcome.changes.isEmpty, !PolicyChangeRecorder(root: root).record(outcome.policyChanges) {
                    outcome.findings.append(
                        ProgramFinding(
                            .failed, program: "programs", "what was written could not be recorded in the audit log"))
                }
            }
            withExtendedLifetime(lock) {}
            return Result(
                plan: plan, changes: outcome.changes, findings: plan.findings + rivals(plan) + outcome.findings)
        } catch let error as StoredFileError {
            throw ProgramsError("What was written into programs' files is unknown: \(error.description).")
        } catch {
            throw ProgramsError("Programs' files were not written: \(error).")
        }
    }

    private static func lock(_ root: Root) throws(SystemError) -> FileLock {
        try root.createDirectory(StorePath.home, mode: 0o755)
        return try root.lock(StorePath.lock)
    }

    /// Makes changed files take effect, each program once.
    private static func publish(_ changes: [ProgramWriter.Change], root: Root) -> [ProgramFinding] {
        ProgramCatalog.all.flatMap { program in
            let paths = changes.lazy.filter { $0.program == program.name }.map(\.path)
            guard !paths.isEmpty else { return [ProgramFinding]() }
            return program.publish(Array(paths), in: root).map { ProgramFinding(.failed, program: program.name, $0) }
        }
    }

    /// The foreign files that decide instead of what is written.
    private func rivals(_ plan: ProgramsPlan) -> [ProgramFinding] {
        plan.parts.filter { $0.audiences == [.everybody] }.flatMap {
            $0.program.rivals(of: $0.policy, in: machine.root)
        }
    }
}

/// Why programs' files could not be written at all.
package struct ProgramsError: Error, CustomStringConvertible {
    /// A sentence.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
