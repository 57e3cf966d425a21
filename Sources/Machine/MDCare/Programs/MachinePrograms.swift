package import MDEngine
package import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
package import MDPrograms
import MDPropertyList
import MDTools

/// The programs of a machine and the policy that is written for them.
package struct MachinePrograms {
    let machine: PolicyInForce

    package init(machine: PolicyInForce) {
        self.machine = machine
    }

    /// The users who get policy of their own and are in the account files: people, without root, whose programs obey what is
    /// for everybody.
    package var people: [Account] { machine.people.filter { $0.uid != 0 } }

    /// What policy becomes for everybody and for some users.
    ///
    /// Complexity: policy is resolved once for each user.
    package func plan(for users: [Account]) -> ProgramsPlan {
        var shared = SharedResultants(machine, isDescribed: false)
        var people: [ProgramsPlan.Person] = []
        for account in users {
            people.append(
                ProgramsPlan.Person(
                    user: ProgramUser(name: account.name, uid: account.uid),
                    resultant: shared.resultant(for: account).resultant))
        }
        return plan(everybody: resultant { $0.forEverybody }, people)
    }

    func plan(everybody: ResultantSet, _ people: [ProgramsPlan.Person]) -> ProgramsPlan {
        let instances = Set(LoginInstances.programs(in: machine.root).map { Key($0.name) })
        return ProgramsPlan(
            root: machine.root, everybody: everybody, people: people, instances: instances, membership: membership)
    }

    /// What some policy says of an unknown user in some groups.
    func resultant(groups: [UInt32] = [], of choose: (PolicySet) -> PolicySet) -> ResultantSet {
        guard machine.isManaged else { return ResultantSet() }
        let subject = Subject(
            userName: "", uid: .max, gid: .max, groups: groups, home: "", host: machine.host, tags: machine.tags ?? [],
            moment: machine.moment, unknown: [.name, .id, .home])
        return choose(machine.policies).resolve(for: subject)
    }

    /// The changes that were or would be made, and the entries that programs cannot carry out.
    package struct Outcome: Sendable {
        package let plan: ProgramsPlan
        package let changes: [ProgramWriter.Change]
        package let findings: [ProgramFinding]
        /// The instances of programs' folders that users have.
        package let instances: [Instance]
        /// The users whose programs still run with the previous files.
        package let restarts: [Restart]
        /// What programs said of each part of the plan when they were last asked; `nil` of one that was not asked since it or
        /// the program changed.
        package let answers: [TestimonyRecord.Answers?]
        /// Why what programs said is not taken, as a clause; `nil` if it is.
        package let recordFault: String?

        /// Whether only root can look at a file.
        package func isUnseen(_ path: String) -> Bool {
            findings.contains { $0.kind == .unknown && $0.path.map { Key($0) } == Key(path) }
        }

        /// Whether something could not be written.
        package var isUnfinished: Bool { findings.contains { $0.kind == .failed } }
    }

    /// A user's program that was started before its files were written.
    package struct Restart: Hashable, Sendable {
        /// The word for the program.
        package let program: String
        package let uid: UInt32
    }

    /// A user's instance of a program's folder.
    package struct Instance: Sendable {
        /// The word for the program.
        package let program: String
        package let user: String
        /// Whether it is as policy has it.
        package let isCurrent: Bool
    }

    /// Says what would be done for everybody and for some users.
    ///
    /// - Parameter users: the users; `nil` for all.
    /// - Returns: what would be done.
    /// - Throws: why it is unknown, as a sentence.
    package func preview(for users: [Account]? = nil) throws(ProgramsError) -> Outcome {
        try run(users, isDryRun: true)
    }

    /// Writes programs' files, and records in the audit log what was written and mended.
    ///
    /// While policy is unknown nothing is written, so that what was in force stays so.
    ///
    /// - Returns: what was done.
    /// - Throws: why nothing could be done, as a sentence.
    package func write() throws(ProgramsError) -> Outcome {
        // Here the folders of programs are one user's own.
        if LoginInstances.isInside(machine.root) { try handOver() }
        return try run(nil, isDryRun: LoginInstances.isInside(machine.root))
    }

    private func run(_ users: [Account]?, isDryRun: Bool) throws(ProgramsError) -> Outcome {
        if let reason = machine.knowledge.failure {
            throw ProgramsError(PolicyKnowledge.sentence(of: reason))
        }
        let root = machine.root
        let known = root.isSystem ? (try? KnownPeople(root: root)) ?? KnownPeople() : KnownPeople()
        var renewed = known
        var guests = users == nil ? guests(besides: people, &renewed) : Guests()
        // Else values with names in them would come with the next run.
        if !isDryRun { try? KnownPeople.note(guests.accounts, root: root) }
        // Whose groups are unknown keeps what is written.
        let certain = guests.accounts.filter { !machine.areGroupsUnknown(of: $0) }
        guests.unknown.formUnion(guests.accounts.map(\.uid))
        guests.unknown.subtract(certain.map(\.uid))
        let asked = users ?? people + certain
        let plan = plan(for: asked)
        do {
            let lock = isDryRun ? nil : try MachinePrograms.lock(root)
            var writer = try ProgramWriter(root: root, isDryRun: isDryRun)
            // What is written for others than the asked users stays unmentioned.
            let sessions = sessions(plan)
            var outcome = writer.write(
                plan.files + sessions.files, folders: sessions.folders, removing: users == nil,
                keepingFilesOf: guests.unknown)
            if isDryRun {
                outcome = withoutInstances(outcome)
            } else {
                outcome.findings += MachinePrograms.publish(outcome.changes, root: root)
                if !outcome.changes.isEmpty,
                    !PolicyChangeRecorder(root: root).record(MachinePrograms.joined(outcome, root))
                {
                    outcome.findings.append(
                        ProgramFinding(
                            .failed, program: "programs", "what was written could not be recorded in the audit log"))
                }
            }
            let refreshed = refresh(plan, of: asked, writer.written, isDryRun: isDryRun)
            if !isDryRun {
                remind()
                if users == nil, root.isSystem { remember(renewed, beside: known) }
            }
            withExtendedLifetime(lock) {}
            let (answers, fault) = testimony(about: plan)
            return Outcome(
                plan: plan, changes: outcome.changes,
                findings: CommonSettings.findings(in: machine.policies, of: root)
                    + plan.findings.filter { !$0.isIdle(in: root) } + rivals(plan, writer.written)
                    + MachinePrograms.denials(in: plan, answers) + outcome.findings + refreshed.findings,
                instances: refreshed.instances, restarts: restarts(plan), answers: answers, recordFault: fault)
        } catch let error as StoredFileError {
            throw ProgramsError("What was written into programs' files is unknown: \(error.description).")
        } catch {
            throw ProgramsError("Programs' files were not written: \(error).")
        }
    }

    /// What is recorded of a run: one change for all programs that are not installed.
    static func joined(_ outcome: ProgramWriter.Outcome, _ root: Root) -> [PolicyChange] {
        var (changes, absent): ([PolicyChange], [PolicyChange]) = ([], [])
        for (change, recorded) in zip(outcome.changes, outcome.policyChanges) {
            let isInstalled = ProgramCatalog.program(named: change.program)?.isInstalled(in: root) ?? true
            if isInstalled { changes.append(recorded) } else { absent.append(recorded) }
        }
        guard absent.count > 1, let first = absent.first else { return changes + absent }
        let notes = absent.map(\.note).joined(separator: ", ")
        changes.append(
            PolicyChange(
                path: first.path, from: first.from, to: first.to, note: "of programs that are not installed: \(notes)"))
        return changes
    }

    /// The lock of the policy record, under which programs' files are written too.
    static func lock(_ root: Root) throws(SystemError) -> FileLock {
        try root.createDirectory(StorePath.home, mode: 0o755)
        return try root.lock(StorePath.lock)
    }

    /// Makes changed files take effect, each program once.
    static func publish(_ changes: [ProgramWriter.Change], root: Root) -> [ProgramFinding] {
        ProgramCatalog.all.flatMap { program in
            let paths = changes.lazy.filter { $0.program == program.name }.map(\.path)
            guard !paths.isEmpty else { return [ProgramFinding]() }
            return program.publish(Array(paths), in: root).map { ProgramFinding(.failed, program: program.name, $0) }
        }
    }

    /// What programs said of each part of a plan, and why the record is not taken.
    private func testimony(about plan: ProgramsPlan) -> ([TestimonyRecord.Answers?], String?) {
        let (root, none) = (machine.root, plan.parts.map { _ in TestimonyRecord.Answers?.none })
        // The programs of another machine said nothing here.
        guard machine.facts == nil else { return (none, nil) }
        do throws(StoredFileError) {
            let record = try TestimonyRecord(root: root)
            var versions: [Key: Digest?] = [:]
            return (
                plan.parts.map { part in
                    let name = Key(part.program.name)
                    let version = versions[name] ?? part.program.version(in: root)
                    versions[name] = version
                    return record.answers(of: part.program, about: part.policy, version: version)
                }, nil
            )
        } catch {
            return (none, error.description)
        }
    }

    /// The entries that programs say not to obey, unless it is known already that they cannot.
    private static func denials(in plan: ProgramsPlan, _ answers: [TestimonyRecord.Answers?]) -> [ProgramFinding] {
        var findings: [ProgramFinding] = []
        for (part, answers) in zip(plan.parts, answers) where part.isWritten {
            for entry in answers == nil ? [] : part.policy.entries {
                guard case .denied(let words) = answers?.word(of: entry),
                    !plan.findings.contains(where: {
                        $0.program == part.program.name && $0.origin == entry.origin && $0.kind != .notKnown
                    })
                else { continue }
                let finding = ProgramFinding(
                    .denied, program: part.program, entry, "\(part.program.title) does not obey this: \(words)")
                if !findings.contains(finding) { findings.append(finding) }
            }
        }
        return findings
    }

    /// The foreign files that decide instead of the written ones, and what of others the written ones displace.
    private func rivals(_ plan: ProgramsPlan, _ written: WrittenFiles) -> [ProgramFinding] {
        var findings: [ProgramFinding] = []
        for part in plan.parts where part.audiences == [.everybody] || LoginInstances.folder(of: part.program) != nil {
            let found =
                part.program.rivals(of: part.policy, in: machine.root) + part.displaced(written, in: machine.root)
            // Two programs may read one file.
            findings += found.filter { one in
                !findings.contains { $0.path == one.path && $0.key == one.key && $0.message == one.message }
            }
        }
        return findings
    }
}

/// Why programs' files could not be written at all.
package struct ProgramsError: Error, CustomStringConvertible {
    /// A sentence.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
