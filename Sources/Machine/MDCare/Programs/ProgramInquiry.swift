import MDEngine
package import MDPlatform
import MDPolicyCore
import MDPolicyStore
package import MDPrograms
import MDPropertyList
package import MDTools

/// A program that is to be asked what is in force in it.
package struct ProgramInquiry: Sendable {
    package let program: any Program
    /// What should be in force; empty if policy says nothing that the program reads.
    package let policy: ProgramPolicy
    /// The users that the policy is for.
    package let audience: Audience
    /// The version of the program; `nil` if it is unknown.
    let version: Digest?
    /// Whether the program's files are as policy has them, so that its answer is about this policy.
    let isWritten: Bool

    /// How a program answered.
    package enum Outcome: Sendable {
        case testimony(Testimony)
        case notInstalled
        /// The program cannot be asked in any way.
        case noWitness
        /// Why it could not be asked, as a clause whose subject is the program.
        case failed(String)
    }

    /// How long a program may take, in seconds; a browser starts in one to four.
    package static let seconds = 30

    /// The variable that says where the user's session reads the files of desktops.
    private static let sessionVariable = "XDG_CONFIG_DIRS"

    /// Asks the program, with the rights and in the session that this process has.
    package func ask() -> Outcome {
        let folders = Environment.values(of: [ProgramInquiry.sessionVariable])[ProgramInquiry.sessionVariable]
        return ask(folders.map { ["\(ProgramInquiry.sessionVariable)=\($0)"] } ?? [])
    }

    private func ask(_ variables: [String]) -> Outcome {
        guard program.isInstalled(in: .system) else { return .notInstalled }
        guard let witness = program.witness else { return .noWitness }
        do throws(WitnessError) {
            let place = try WitnessPlace.make(seconds: ProgramInquiry.seconds, variables: variables)
            let result: Result<Testimony, WitnessError>
            do throws(WitnessError) {
                result = .success(try witness.testify(about: policy, for: audience, at: place))
            } catch {
                result = .failure(error)
            }
            try place.remove()
            return .testimony(try result.get())
        } catch {
            return .failed(error.description)
        }
    }

    /// Asks the program as another user, in a child of root's.
    ///
    /// If the policy is for one user and another one is asked as, the child sees the program's files as a session of the
    /// user does, so that no process of the user has a part in the answer.
    package func ask(as person: ForkedChild.Owner) -> Outcome {
        // Root has what everybody has.
        let user = audience.user.flatMap { $0.uid == person.uid || $0.uid == 0 ? nil : $0 }
        let own = ForkedChild.Owner(uid: CurrentProcess.uid, gid: CurrentProcess.gid, groups: CurrentProcess.groups)
        let bounds = ForkedChild.Bounds(
            answer: Testimony.sizeLimit, seconds: Double(ProgramInquiry.seconds) + 10)
        do throws(SystemError) {
            // A child that mounts files for itself begins as root.
            let answer = try ForkedChild.run(as: user == nil ? person : own, bounds) {
                guard let user else { return encoded(ask([])) }
                let instance = "\(LoginInstances.home)/\(program.name)/\(user.name)"
                do throws(SystemError) {
                    if let folder = LoginInstances.folder(of: program) {
                        try PrivateMount.show(instance, at: folder)
                    }
                    try CurrentProcess.assume(uid: person.uid, gid: person.gid, groups: person.groups)
                } catch {
                    return encoded(.failed("it cannot be shown what \(user.name) has: \(error)"))
                }
                return encoded(ask(program.variables(for: user, instance: instance)))
            }
            return decoded(answer)
        } catch {
            return .failed("it cannot be asked: \(error)")
        }
    }

    private func encoded(_ outcome: Outcome) -> [UInt8] {
        switch outcome {
        case .testimony(let testimony): [0] + testimony.encoded(about: policy)
        case .notInstalled: [1]
        case .noWitness: [2]
        case .failed(let reason): [3] + Array(reason.utf8)
        }
    }

    /// Reads the answer of the child, which may be anything.
    private func decoded(_ bytes: [UInt8]) -> Outcome {
        let rest = Array(bytes.dropFirst())
        switch bytes.first {
        case 0:
            guard let testimony = Testimony(rest, about: policy) else { break }
            return .testimony(testimony)
        case 1: return .notInstalled
        case 2: return .noWitness
        case 3: return .failed(String(decoding: rest.prefix(1_000), as: UTF8.self))
        default: break
        }
        return .failed("its answer cannot be read")
    }
}

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
    /// - Parameter programs: the programs; `nil` for those that policy speaks of.
    /// - Returns: the questions, and a user for each policy that is left for another run.
    /// - Throws: why it is unknown what to ask, as a sentence.
    package func inquiries(
        about programs: [any Program]?
    ) throws(ProgramsError) -> (asked: [ProgramInquiry], left: [ProgramInquiry]) {
        let result = try preview()
        let changed = Set(result.changes.map { Key($0.program) })
        var (common, own): ([ProgramInquiry], [(inquiry: ProgramInquiry, isAnswered: Bool)]) = ([], [])
        for program in ProgramCatalog.all {
            let name = Key(program.name)
            let isWritten = !changed.contains(name)
            var known: Set<TestimonyRecord.Question> = []
            let parts = zip(result.plan.parts, result.answers).filter { Key($0.0.program.name) == name }
            if parts.isEmpty, isAsked(program, programs, nil) {
                common.append(inquiry(program, ProgramPolicy([]), .everybody, isWritten: isWritten))
            }
            for (part, answers) in parts where isAsked(program, programs, part.policy) && part.isWritten {
                guard known.insert(TestimonyRecord.Question(program, part.policy)).inserted,
                    let audience = part.audiences.first
                else { continue }
                let inquiry = inquiry(part.program, part.policy, audience, isWritten: isWritten)
                if audience == .everybody {
                    common.append(inquiry)
                } else if program.isInstalled(in: machine.root), program.witness != nil {
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

    /// Asks a program in a child of root that runs as the user `nobody`, which policy does not name.
    package func ask(_ inquiry: ProgramInquiry, as person: ForkedChild.Owner) -> ProgramInquiry.Outcome {
        if let user = inquiry.audience.user, inquiry.program.hasInstances {
            // As a login does.
            let isReady = (try? prepare(user.name, within: 5)) ?? false
            guard isReady else { return .failed("what holds for \(user.name) could not be written for it") }
        }
        return inquiry.ask(as: person)
    }

    /// Records what programs said, so that reports have it.
    ///
    /// What a program could not be asked is forgotten; so is what was said about policy that holds no more. An answer is
    /// not taken if program or files changed meanwhile.
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
                guard case .testimony(let testimony) = outcome, inquiry.isWritten,
                    !changed.contains(Key(inquiry.program.name)), let version = inquiry.version,
                    inquiry.program.version(in: root) == version
                else {
                    record.set(nil, for: question)
                    continue
                }
                record.set(
                    TestimonyRecord.Answers(testimony, version: version, time: Clock.now()) { entry in
                        entry.isSensitive || secrets.isSensitive(domain: entry.domain, key: entry.key)
                    }, for: question)
            }
            try record.save(root: root)
            withExtendedLifetime(lock) {}
        } catch {
            throw ProgramsError("What the programs said was not recorded: \(error).")
        }
    }
}
