import MDPlatform
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

    /// What is known of a setting that was left out so that the program could be asked.
    private static let withheld = """
        it is in the program's files, and was left out while it was asked, because with it the program does not answer: \
        whether it obeys this one is not known
        """

    /// The variable that says where the user's session reads the files of desktops.
    private static let sessionVariable = "XDG_CONFIG_DIRS"

    /// Asks the program, with the rights and in the session that this process has.
    package func ask() -> Outcome {
        let folders = Environment.values(of: [ProgramInquiry.sessionVariable])[ProgramInquiry.sessionVariable]
        return ask(folders.map { ["\(ProgramInquiry.sessionVariable)=\($0)"] } ?? [])
    }

    /// Asks the program, which does not see some settings.
    private func ask(
        _ variables: [String], without withheld: Set<Key> = [], seconds: Int = ProgramInquiry.seconds
    ) -> Outcome {
        guard program.isInstalled(in: .system) else { return .notInstalled }
        guard let witness = program.witness, program.canBeAsked(in: .system) else { return .noWitness }
        do throws(WitnessError) {
            let place = try WitnessPlace.make(seconds: seconds, variables: variables)
            let asked = ProgramPolicy(
                policy.entries.filter { !withheld.contains($0.key) }, unsealed: policy.unsealed)
            let result: Result<Testimony, WitnessError>
            do throws(WitnessError) {
                result = .success(try witness.testify(about: asked, for: audience, at: place))
            } catch {
                result = .failure(error)
            }
            try place.remove()
            return .testimony(completed(try result.get(), withheld))
        } catch {
            let isSilenced = policy.entries.contains { entry in
                witness.silencers.contains { $0.path.last == entry.key && entry.level == .forced($0.value) }
            }
            return .failed(error.description + (isSilenced && withheld.isEmpty ? "; \(ProgramInquiry.onlyRoot)" : ""))
        }
    }

    /// Why a program may give no answer to an ordinary user.
    private static let onlyRoot = "policy keeps it from answering, and only root can ask it without that setting"

    /// A testimony with what is known of settings that the program did not see.
    private func completed(_ testimony: Testimony, _ withheld: Set<Key>) -> Testimony {
        if withheld.isEmpty { return testimony }
        var testimony = testimony
        let answers = testimony.answers
        testimony.answers = policy.entries.compactMap { entry in
            if withheld.contains(entry.key) { return WitnessAnswer(entry, .unknown, note: ProgramInquiry.withheld) }
            return answers.first { $0.entry.domain == entry.domain && $0.entry.key == entry.key }
        }
        let foreign = withheld.filter { name in !policy.entries.contains { $0.key == name } }.sorted().map(\.string)
        if !foreign.isEmpty {
            testimony.remarks.append(
                "It was asked without \(foreign.joined(separator: ", ")) of other products, with which it does not answer."
            )
        }
        return testimony
    }

    private static var caller: ForkedChild.Owner {
        ForkedChild.Owner(uid: CurrentProcess.uid, gid: CurrentProcess.gid, groups: CurrentProcess.groups)
    }

    /// Asks the program as another user, in a child of root's.
    ///
    /// If the policy is for one user and another one is asked as, the child sees the program's files as a session of the
    /// user does, so that no process of the user has a part in the answer. Where a setting keeps the program from
    /// answering, the child alone sees the same files without it.
    ///
    /// - Parameters:
    ///   - person: the user that the program runs as.
    ///   - seconds: how long the program may take.
    /// - Returns: how it answered.
    package func ask(as person: ForkedChild.Owner, within seconds: Int = ProgramInquiry.seconds) -> Outcome {
        let person = program.isAskedByRoot ? ProgramInquiry.caller : person
        // Root has what everybody has.
        let user = audience.user.flatMap { $0.uid == person.uid || $0.uid == 0 ? nil : $0 }
        let instance = user.map { "\(LoginInstances.home)/\(program.name)/\($0.name)" }
        guard let witness = program.witness, let folder = LoginInstances.folder(of: program) else {
            return ask(as: person, user, instance, showing: nil, at: "", without: [], seconds)
        }
        do throws(SystemError) {
            return try AskableFiles.around(instance ?? folder, for: witness) { copy, withheld in
                ask(as: person, user, instance, showing: copy ?? instance, at: folder, without: withheld, seconds)
            }
        } catch {
            return .failed("it cannot be asked: \(error)")
        }
    }

    /// Asks the program in a child that sees one folder in place of another.
    private func ask(
        as person: ForkedChild.Owner, _ user: ProgramUser?, _ instance: String?, showing shown: String?,
        at folder: String, without withheld: Set<Key>, _ seconds: Int
    ) -> Outcome {
        let bounds = ForkedChild.Bounds(answer: Testimony.sizeLimit, seconds: Double(seconds) + 10)
        do throws(SystemError) {
            // A child that mounts files for itself begins as root.
            let answer = try ForkedChild.run(as: user == nil && shown == nil ? person : ProgramInquiry.caller, bounds) {
                do throws(SystemError) {
                    if let shown { try PrivateMount.show(shown, at: folder) }
                    try CurrentProcess.assume(uid: person.uid, gid: person.gid, groups: person.groups)
                } catch {
                    return encoded(.failed("it cannot be shown what \(user?.name ?? "everybody") has: \(error)"))
                }
                let variables = user.map { program.variables(for: $0, instance: instance ?? "") } ?? []
                return encoded(ask(variables, without: withheld, seconds: seconds))
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
