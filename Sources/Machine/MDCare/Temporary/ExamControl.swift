package import MDEngine
package import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Starts and stops exams of a machine, for whoever is allowed to.
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

    /// Puts a set in force.
    ///
    /// - Parameter request: the exam; its end is later than now.
    /// - Returns: what is in force.
    /// - Throws: why it is not.
    package func start(_ request: ExamRequest) throws(TemporaryPolicyError) -> Started {
        let set = try ExamSet(request.set, root: installer.root, isSigned: installer.policies.demandsSignatures)
        let by = request.by.name
        let exam = TemporaryPolicy.Exam(set: set.name, end: request.end, reason: request.reason, by: by)
        let files = try wrapped(set, exam)
        var notes = set.ignored
        if machine.moment.isClockBehind, let note = PolicyNotes.clockSentence(machine) {
            throw TemporaryPolicyError(
                .refused, "Nothing was put in force: the exam would end at another time than is meant. \(note)")
        }
        let until = machine.moment.words(for: request.end)
        let why = request.reason.isEmpty ? "" : ": \(request.reason)"
        try installer.record(
            "\(by) started the exam \(set.name) (\(files.count) \(files.count == 1 ? "file" : "files")) "
                + "until \(until)\(why)", by: request.by)
        let (renewed, replaced) = try installer.put(files, by: request.by, &notes)
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
        try removeOthers(than: files, of: set.name, renewed)
        let programs = installer.writePrograms()
        if let note = installer.note { notes.append(note) }
        return Started(
            set: set.name, end: request.end, until: until, reason: request.reason, by: by,
            files: files.map { installer.root.display($0.path) }, exceptions: exceptions, programs: programs,
            notes: notes)
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
        try installer.end(stopped.map(\.name), "The exam")
        try installer.record("\(actor.name) stopped \(set.map { "the exam \($0)" } ?? "every exam")", by: actor)
        return Stopped(
            files: stopped.map { installer.root.display("\(TemporaryPolicy.directory)/\($0.name)") },
            programs: installer.writePrograms())
    }

    /// Converts the files of a set to temporary policy.
    ///
    /// - Throws: if one lacks a good signature, has errors or cannot be converted, or another file is in its place.
    private func wrapped(
        _ set: ExamSet, _ exam: TemporaryPolicy.Exam
    ) throws(TemporaryPolicyError) -> [TemporaryPolicy] {
        var files: [TemporaryPolicy] = []
        for file in set.files {
            let made: TemporaryPolicy
            do {
                made = try TemporaryPolicy(wrapping: file.bytes, file: file.name, for: exam, shownPath: file.shownPath)
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

    /// Removes the files of an earlier start that the set no longer has.
    private func removeOthers(
        than files: [TemporaryPolicy], of set: String, _ renewed: PolicyInForce
    ) throws(TemporaryPolicyError) {
        let kept = Set(files.map { Key($0.name) })
        let others = try TemporaryPolicyInstaller.files(renewed).filter {
            $0.policy.examSet == Key(set) && !kept.contains(Key($0.name))
        }
        try installer.end(others.map(\.name), "What an earlier start left")
    }
}
