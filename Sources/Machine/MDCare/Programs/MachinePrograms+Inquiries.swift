import MDEngine
package import MDPlatform
import MDPolicyCore
import MDPolicyStore
package import MDPrograms
import MDPropertyList
package import MDTools

/// What the programs of a machine are asked, and what is recorded of their answers.
extension MachinePrograms {
    /// What to ask some programs of one user's policy.
    ///
    /// - Parameters:
    ///   - programs: the programs; `nil` for those that policy speaks of.
    ///   - account: the user whose policy counts.
    /// - Returns: the questions, in the order of the catalog.
    package func inquiries(about programs: [any Program]?, for account: Account) -> [ProgramInquiry] {
        let plan = plan(for: [account])
        let audience = Audience.user(ProgramUser(name: account.name, uid: account.uid))
        return ProgramCatalog.all.compactMap { program in
            let part = plan.part(of: program, for: account.name)
            guard isAsked(program, programs, part?.policy) else { return nil }
            return inquiry(part?.program ?? program, part?.policy ?? ProgramPolicy([]), audience, isWritten: true)
        }
    }

    /// Whether a program is to be asked: a named one always, another one if policy speaks of it.
    private func isAsked(_ program: any Program, _ programs: [any Program]?, _ policy: ProgramPolicy?) -> Bool {
        programs.map { named in named.contains { Key($0.name) == Key(program.name) } } ?? !(policy?.isEmpty ?? true)
    }

    private func inquiry(
        _ program: any Program, _ policy: ProgramPolicy, _ audience: Audience, isWritten: Bool
    ) -> ProgramInquiry {
        ProgramInquiry(
            program: program, policy: policy, audience: audience, version: program.version(in: machine.root),
            isWritten: isWritten)
    }

    /// The most policies of users that are asked about in one run, because a browser takes seconds for each.
    package static let inquiryLimit = 16

    /// What to ask some programs of the policy of everybody, and of every further one that users have, of one user each.
    ///
    /// What was not asked since it or the program changed comes first.
    ///
    /// - Parameters:
    ///   - programs: the programs; `nil` for those that policy speaks of.
    ///   - isChanged: whether to ask only what was not asked since it or the program changed, and of what could not be
    ///     asked only what is due again.
    /// - Returns: the questions, and a user for each policy that is left for another run.
    /// - Throws: why it is unknown what to ask, as a sentence.
    package func inquiries(
        about programs: [any Program]?, changed isChanged: Bool = false
    ) throws(ProgramsError) -> (asked: [ProgramInquiry], left: [ProgramInquiry]) {
        let result = try preview()
        let changed = Set(result.changes.map { Key($0.program) })
        let record = (try? TestimonyRecord(root: machine.root)) ?? TestimonyRecord()
        var (common, own): ([ProgramInquiry], [(inquiry: ProgramInquiry, isAnswered: Bool)]) = ([], [])
        for program in ProgramCatalog.all {
            let name = Key(program.name)
            let isWritten = !changed.contains(name)
            var known: Set<TestimonyRecord.Question> = []
            let parts = zip(result.plan.parts, result.answers).filter { Key($0.0.program.name) == name }
            if parts.isEmpty, !isChanged, isAsked(program, programs, nil) {
                common.append(inquiry(program, ProgramPolicy([]), .everybody, isWritten: isWritten))
            }
            for (part, answers) in parts where isAsked(program, programs, part.policy) && part.isWritten {
                guard known.insert(TestimonyRecord.Question(program, part.policy)).inserted,
                    let audience = part.program.witness?.choice(of: part.audiences) ?? part.audiences.first
                else { continue }
                let inquiry = inquiry(part.program, part.policy, audience, isWritten: isWritten)
                if isChanged, answers != nil || !isDue(inquiry, record) { continue }
                if audience == .everybody {
                    common.append(inquiry)
                } else if program.canBeAsked(in: machine.root) {
                    own.append((inquiry, answers != nil))
                }
            }
        }
        let ordered = own.filter { !$0.isAnswered } + own.filter(\.isAnswered)
        let limit = MachinePrograms.inquiryLimit
        return (
            common + ordered.prefix(limit).map(\.inquiry),
            ordered.dropFirst(limit).filter { !$0.isAnswered }.map(\.inquiry)
        )
    }

    /// Whether to ask without being told to: an answer could be recorded, and no such question failed lately.
    private func isDue(_ inquiry: ProgramInquiry, _ record: TestimonyRecord) -> Bool {
        guard inquiry.isWritten, !inquiry.policy.isEmpty, inquiry.program.canBeAsked(in: machine.root) else {
            return false
        }
        let question = TestimonyRecord.Question(inquiry.program, inquiry.policy)
        guard let failed = record.failure(of: question, version: inquiry.version) else { return true }
        let age = Clock.now().microseconds - failed.microseconds
        return !(0..<MachinePrograms.retryDelay).contains(age)
    }

    /// How long a program that could not be asked is left alone, in microseconds.
    private static let retryDelay: Int64 = 6 * 3_600 * 1_000_000

    /// Asks a program in a child of root that runs as a user that policy does not name.
    package func ask(
        _ inquiry: ProgramInquiry, as person: ForkedChild.Owner, within seconds: Int = ProgramInquiry.seconds
    ) -> ProgramInquiry.Outcome {
        if let user = inquiry.audience.user, inquiry.program.hasInstances {
            // As a login does.
            let isReady = (try? prepare(user.name, within: 5)) ?? false
            guard isReady else { return .failed("what holds for \(user.name) could not be written for it") }
        }
        return inquiry.ask(as: person, within: seconds)
    }

    /// Records what programs said, so that reports have it.
    ///
    /// That a program could not be asked is recorded too; what was said about policy that holds no more is forgotten. An
    /// answer is not taken if program or files changed meanwhile.
    ///
    /// - Parameter answers: what was asked, and how it was answered.
    /// - Throws: why nothing could be recorded, as a sentence.
    package func record(_ answers: [(inquiry: ProgramInquiry, outcome: ProgramInquiry.Outcome)]) throws(ProgramsError) {
        let root = machine.root
        let result = try preview()
        let changed = Set(result.changes.map { Key($0.program) })
        let secrets = ManifestSet(root: root, of: Set(answers.flatMap { $0.inquiry.policy.entries.map(\.domain) }))
        do throws(SystemError) {
            let lock = try MachinePrograms.lock(root)
            // One that is damaged is written again.
            var record = (try? TestimonyRecord(root: root)) ?? TestimonyRecord()
            var (names, isListed) = ((try? KnownNames(root: root)) ?? KnownNames(), false)
            record.keep(Set(result.plan.parts.map { TestimonyRecord.Question($0.program, $0.policy) }))
            for (inquiry, outcome) in answers {
                if case .testimony(let testimony) = outcome, let version = inquiry.version,
                    names.set(testimony.names, of: inquiry.program, version: version)
                {
                    isListed = true
                }
            }
            if isListed { try names.save(root: root) }
            for (inquiry, outcome) in answers where !inquiry.policy.isEmpty {
                let question = TestimonyRecord.Question(inquiry.program, inquiry.policy)
                guard inquiry.isWritten, !changed.contains(Key(inquiry.program.name)),
                    let version = inquiry.version, inquiry.program.version(in: root) == version
                else {
                    record.set(nil, for: question)
                    continue
                }
                let answers: TestimonyRecord.Answers? =
                    switch outcome {
                    case .testimony(let testimony):
                        TestimonyRecord.Answers(testimony, version: version, time: Clock.now()) { entry in
                            entry.isSensitive || secrets.isSensitive(domain: entry.domain, key: entry.key)
                        }
                    case .failed: TestimonyRecord.Answers(version: version, time: Clock.now(), isFailure: true)
                    case .notInstalled, .noWitness: nil
                    }
                record.set(answers, for: question)
            }
            try record.save(root: root)
            withExtendedLifetime(lock) {}
        } catch {
            throw ProgramsError("What the programs said was not recorded: \(error).")
        }
    }
}
