package import MDEngine
package import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Starts and stops exams of a machine; callers decide about permission.
package struct ExamControl {
    private let machine: PolicyInForce
    private let installer: TemporaryPolicyInstaller

    /// - Parameter machine: the policy of the machine now.
    package init(machine: PolicyInForce) {
        self.machine = machine
        installer = TemporaryPolicyInstaller(root: machine.root)
    }

    /// An exam that was started.
    package struct Started: Sendable {
        package let set: String
        package let end: Timestamp
        /// The end for people.
        package let until: String
        package let reason: String
        /// The person who started it.
        package let by: String
        /// The paths of the files for people.
        package let files: [String]
        /// The people of each of the files that are for a part of those who sit it, as sentences.
        package let parts: [String]
        /// Who has a session.
        package let people: ExamPeople
        /// What limits it.
        package let exceptions: ExamExceptions
        /// What was written for other programs, or why nothing could be.
        package let programs: Result<MachinePrograms.Outcome, ProgramsError>
        /// Sentences for people, escaped, besides the exceptions.
        package let notes: [String]
    }

    /// What was stopped.
    package struct Stopped: Sendable {
        /// The paths of the files that were removed, for people; empty if there were none.
        package let files: [String]
        /// What was written for other programs, or why nothing could be; `nil` if nothing was stopped.
        package let programs: Result<MachinePrograms.Outcome, ProgramsError>?
    }

    /// What is to be asked about before an exam is started, as sentences for people, escaped.
    ///
    /// - Parameter request: the exam.
    /// - Returns: the sentences; none if there is nothing unusual.
    /// - Throws: why the exam could not be started.
    package func doubts(about request: ExamRequest) throws(TemporaryPolicyError) -> [String] {
        let moment = machine.moment
        var doubts: [String] = []
        let length = request.end.microseconds - moment.time.microseconds
        let until = moment.words(for: request.end)
        if length > ExamControl.usualLength {
            doubts.append("The exam would last until \(until), \(length / 3_600_000_000) hours from now.")
        } else if let zone = try? moment.zones.zone(named: nil),
            zone.local(at: Timestamp(microseconds: request.end.microseconds - 1)).day != zone.local(at: moment.time).day
        {
            doubts.append("The exam would last over midnight, until \(until).")
        }
        let prepared = try prepare(request)
        let present = try TemporaryPolicyInstaller.files(machine).filter { file in
            let isOver = file.policy.target?.notAfter.map { $0 <= moment.time } ?? false
            return file.policy.examSet == Key(prepared.set.name) && !isOver
        }
        for (name, policy) in present {
            guard let new = prepared.files.first(where: { Key($0.name) == Key(name) })?.policy else { continue }
            let (old, next) = (ExamControl.people(policy), ExamControl.people(new))
            if old == next || next.isEmpty { continue }
            doubts.append(
                "The exam \(prepared.set.name) is in force\(old.words); then it would be\(next.words) alone.")
            break
        }
        return doubts.map(Printable.escape)
    }

    /// How long an exam lasts without a question, in microseconds.
    private static let usualLength: Int64 = 6 * 3_600_000_000

    /// The users and groups that a file is for; no clause for everybody.
    private static func people(_ policy: PolicyFile) -> Target.Clauses {
        /// The items without their places.
        func plain(_ items: [TargetName]?) -> [TargetName]? { items.map { $0.map { TargetName($0.name) } } }
        let include = policy.target?.include
        return Target.Clauses(users: plain(include?.users), groups: plain(include?.groups))
    }

    /// A set that is ready to start.
    private struct Prepared {
        let set: ExamSet
        let files: [TemporaryPolicy]
        /// The files that are for a part of those who sit it.
        let parts: [TemporaryPolicy]
    }

    /// Reads a set and converts its files.
    private func prepare(_ request: ExamRequest) throws(TemporaryPolicyError) -> Prepared {
        let set = try ExamSet(request.set, root: installer.root, isSigned: installer.policies.demandsSignatures)
        let exam = TemporaryPolicy.Exam(
            set: set.name, end: request.end, reason: request.reason, by: request.by.name)
        if case .users(let names)? = request.sitters {
            for name in names {
                do throws(SessionError) { _ = try machine.account(named: name.string) } catch {
                    throw TemporaryPolicyError(.refused, "Nothing was put in force: \(error.description)")
                }
            }
        }
        var general: Set<Int> = []
        if request.sitters != nil {
            let policies = set.files.compactMap {
                PolicyFile.parse(bytes: $0.bytes, path: $0.name, shownPath: $0.shownPath).file
            }
            // A file with errors is reported when it is converted.
            if policies.count == set.files.count {
                guard let found = ExamSitters.general(policies) else {
                    throw TemporaryPolicyError(
                        .refused,
                        "Nothing was put in force: no file of the set is for all who sit it, so that only the files can say"
                            + " who that is.")
                }
                general = found
            }
        }
        let files = try wrapped(set, exam, request.sitters, general)
        let parts =
            request.sitters == nil ? [] : files.enumerated().filter { !general.contains($0.offset) }.map(\.element)
        return Prepared(set: set, files: files, parts: parts)
    }

    /// Puts a set in force.
    ///
    /// - Parameter request: the exam; its end is later than now.
    /// - Returns: what is in force.
    /// - Throws: why it is not.
    package func start(_ request: ExamRequest) throws(TemporaryPolicyError) -> Started {
        let by = request.by.name
        let prepared = try prepare(request)
        let (set, files) = (prepared.set, prepared.files)
        var notes = set.ignored
        if machine.moment.isClockBehind, let note = PolicyNotes.clockSentence(machine) {
            throw TemporaryPolicyError(
                .refused, "Nothing was put in force: the exam would end at another time than is meant. \(note)")
        }
        // Files of an earlier start that the set does not have any more go.
        let kept = Set(files.map { Key($0.name) })
        let others = try TemporaryPolicyInstaller.files(machine).filter {
            $0.policy.examSet == Key(set.name) && !kept.contains(Key($0.name))
        }.map(\.name)
        if request.isUntilBoot {
            try installer.requireEphemeral(files.map(\.name) + others, "The exam \(set.name)")
        }
        let until = machine.moment.words(for: request.end)
        let why = request.reason.isEmpty ? "" : ": \(request.reason)"
        let who = request.sitters.map { sitters in
            let words =
                switch sitters {
                case .everybody: "everybody"
                case .users(let names): "user \(names.map(\.string).joined(separator: ", "))"
                case .groups(let names): "group \(names.map(\.string).joined(separator: ", "))"
                }
            return " for \(words)"
        }
        try installer.record(
            "\(by) started the exam \(set.name) (\(files.count) \(files.count == 1 ? "file" : "files"))\(who ?? "") "
                + "until \(until)\(why)", by: request.by)
        let (renewed, replaced) = try installer.put(
            files, removing: others, isLasting: !request.isUntilBoot, by: request.by, &notes)
        let effect = renewed.policies.temporaryEffect(
            of: Set(files.map { Key($0.path) }), until: request.end, root: renewed.root, accounts: renewed.accounts,
            host: renewed.host, at: machine.moment)
        let exceptions = ExamExceptions(effect, machine.moment, installer.root)
        if effect.isWithoutEffect {
            try installer.withdraw(replaced, &notes)
            let message = "The exam \(set.name) would have no effect here"
            try installer.record("\(message): it was taken back", by: request.by)
            throw TemporaryPolicyError(
                .refused, (["\(message)."] + exceptions.sentences).joined(separator: "\n"))
        }
        try installer.end(others, "What an earlier start left")
        let programs = installer.writePrograms()
        if let note = installer.note { notes.append(note) }
        return Started(
            set: set.name, end: request.end, until: until, reason: request.reason, by: by,
            files: files.map { installer.root.display($0.path) },
            parts: prepared.parts.map { file in
                Printable.escape(
                    "\(installer.root.display(file.path)) is\(ExamControl.people(file.policy).words) only, as the set has it."
                )
            },
            people: ExamPeople(on: renewed, Set(files.map { Key($0.path) }), try? programs.get()),
            exceptions: exceptions, programs: programs, notes: notes)
    }

    /// Ends one exam, or all.
    ///
    /// - Parameters:
    ///   - set: the name of the set; `nil` for all.
    ///   - actor: the person who stops it.
    /// - Returns: what was stopped.
    /// - Throws: why it could not be stopped, or recorded.
    package func stop(_ set: String?, by actor: TemporaryPolicyActor) throws(TemporaryPolicyError) -> Stopped {
        // Files that an administrator wrote by hand stay.
        let stopped = try TemporaryPolicyInstaller.files(machine).filter { file in
            guard let other = file.policy.examSet else { return false }
            return set.map { Key($0) == other } ?? true
        }
        if stopped.isEmpty { return Stopped(files: [], programs: nil) }
        // Without a log it ends all the same, and is said not to be recorded.
        try? installer.record("\(actor.name) stopped \(set.map { "the exam \($0)" } ?? "every exam")", by: actor)
        try installer.end(stopped.map(\.name), "The exam")
        return Stopped(
            files: stopped.map { installer.root.display("\(TemporaryPolicy.directory)/\($0.name)") },
            programs: installer.writePrograms())
    }

    /// Converts the files of a set to temporary policy.
    ///
    /// - Throws: if one lacks a good signature, has errors or cannot be converted, or another file is in its place.
    private func wrapped(
        _ set: ExamSet, _ exam: TemporaryPolicy.Exam, _ sitters: ExamSitters?, _ general: Set<Int>
    ) throws(TemporaryPolicyError) -> [TemporaryPolicy] {
        var files: [TemporaryPolicy] = []
        for (index, file) in set.files.enumerated() {
            let made: TemporaryPolicy
            do {
                made = try TemporaryPolicy(
                    wrapping: file.bytes, file: file.name, for: exam, sitters: general.contains(index) ? sitters : nil,
                    shownPath: file.shownPath)
            } catch {
                throw TemporaryPolicyError(error)
            }
            let shown = Printable.escape(file.shownPath)
            if files.contains(where: { Key($0.name) == Key(made.name) }) {
                throw TemporaryPolicyError(
                    .refused,
                    "Nothing was put in force: another file of the set becomes \(made.name) as \(shown) does.")
            }
            let policy = PolicyFile.parse(bytes: file.bytes, path: file.name, shownPath: file.shownPath).file
            let objection = installer.policies.objection(
                to: file.bytes, policy, name: file.name, signature: file.signature)
            if let objection, let reason = objection.refusal.map(Printable.escape) {
                let sentence =
                    objection.code == .oldVersion
                    ? "\(shown):\(objection.position): \(reason); raise it and sign the file again"
                    : "\(shown) is not signed as it must be, because \(reason)"
                throw TemporaryPolicyError(.refused, "Nothing was put in force: \(sentence).")
            }
            files.append(made)
        }
        let own = try TemporaryPolicyInstaller.files(machine).filter { $0.policy.examSet == Key(set.name) }
        let obstacle: TemporaryPolicy?
        do throws(SystemError) {
            obstacle = try installer.store.obstacle(to: files, replacing: Set(own.map { Key($0.name) }))
        } catch {
            throw TemporaryPolicyError(.inputOutput, "Nothing was put in force: \(error).")
        }
        guard let obstacle else { return files }
        let shown = Printable.escape(installer.root.display(obstacle.path))
        throw TemporaryPolicyError(
            .refused,
            "Nothing was put in force: \(shown) is there already, and is no file of the exam \(set.name).")
    }
}
