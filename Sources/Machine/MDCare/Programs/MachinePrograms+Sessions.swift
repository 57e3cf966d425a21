import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyStore
import MDPrograms
import MDPropertyList
import MDTools

/// The instances of programs' folders that login sessions get.
extension MachinePrograms {
    /// The configuration of sessions, where they are to get instances: of each program that is installed, or that policy
    /// speaks of.
    ///
    /// The folders have to be there: pam_namespace would make them, and nothing would remove them.
    func sessions(_ plan: ProgramsPlan) -> (files: [(program: String, file: ProgramFile)], folders: [String]) {
        guard LoginInstances.areEnabled(in: machine.root) else { return ([], []) }
        let spoken = Set(plan.parts.map { Key($0.program.name) })
        let programs = ProgramCatalog.all.filter { program in
            spoken.contains(Key(program.name)) || program.isInstalled(in: machine.root)
        }
        let files = [
            LoginInstances.sessionFile(for: programs).map { (ProgramFinding.sessions, $0) },
            FlatpakOverride.file(in: machine.root).map { ("flatpak", $0) },
        ]
        return (files.compactMap { $0 }, programs.compactMap(LoginInstances.folder))
    }

    /// Brings the instances up to date that users have.
    func refresh(
        _ plan: ProgramsPlan, of people: [Account], _ written: WrittenFiles, isDryRun: Bool
    ) -> (instances: [Instance], findings: [ProgramFinding]) {
        var result: (instances: [Instance], findings: [ProgramFinding]) = ([], [])
        let root = machine.root
        for program in LoginInstances.programs(in: root) {
            guard let folder = InstanceFolder(of: program, in: root) else { continue }
            do throws(SystemError) {
                let foreign = try folder.foreign(written)
                if !isDryRun { try folder.keepBase(foreign) }
                for user in LoginInstances.users(of: program, in: root) {
                    // A user who is no longer known has no sessions.
                    guard let files = files(of: program, for: user, plan, people) else { continue }
                    let content = folder.content(files, beside: foreign)
                    let isCurrent = try folder.isCurrent(content, for: user)
                    if !isCurrent, !isDryRun { _ = try folder.write(content, as: user) }
                    result.instances.append(
                        Instance(program: program.name, user: user, isCurrent: isCurrent || !isDryRun))
                }
            } catch {
                // An ordinary user sees no instances.
                if error.isPermission, isDryRun { continue }
                result.findings.append(ProgramFinding(.failed, program: program.name, path: error.path, error.text))
            }
        }
        return result
    }

    /// What policy becomes for a user in a program's folder; `nil` if there is no such user.
    private func files(
        of program: any Program, for user: String, _ plan: ProgramsPlan, _ people: [Account]
    ) -> [ProgramFile]? {
        if people.contains(where: { Key($0.name) == Key(user) }) {
            return plan.part(of: program, for: user)?.rendering.files ?? []
        }
        guard let account = try? machine.account(named: user) else { return nil }
        return self.plan(for: [account]).part(of: program, for: user)?.rendering.files ?? []
    }

    /// Writes the instances of a user whose session begins.
    ///
    /// If what holds for the user is not known in time, an instance that is there stays as it is, and a new one has what
    /// the strictest user would have.
    ///
    /// - Parameters:
    ///   - name: the user.
    ///   - seconds: how long it may take to find out what holds for the user.
    /// - Returns: whether the instances have what holds for the user.
    /// - Throws: if a session would get an empty instance: it must not get any then.
    package func prepare(_ name: String, within seconds: Double) throws(ProgramsError) -> Bool {
        let root = machine.root
        do {
            let written = try WrittenFiles(root: root)
            for program in LoginInstances.programs(in: root) {
                guard let folder = InstanceFolder(of: program, in: root) else { continue }
                let foreign = try folder.foreign(written)
                if folder.exists(for: name) { continue }
                _ = try folder.write(folder.content(strictest(program, written), beside: foreign), as: name)
            }
        } catch {
            throw ProgramsError("The instances of programs' folders for this session could not be written: \(error).")
        }
        // Also the account service may keep this waiting.
        let owner = ForkedChild.Owner(uid: CurrentProcess.uid, gid: CurrentProcess.gid, groups: CurrentProcess.groups)
        let answer = try? ForkedChild.run(as: owner, ForkedChild.Bounds(answer: 1, seconds: seconds)) {
            bringUpToDate(name) ? [1] : [0]
        }
        return answer == [1]
    }

    /// Writes what holds for a user into the user's instances.
    ///
    /// - Returns: whether all of it was known and written.
    private func bringUpToDate(_ name: String) -> Bool {
        let root = machine.root
        guard let account = try? machine.account(named: name) else { return false }
        // Before the session begins, so that its first program knows name and home.
        try? KnownPeople.note([account], root: root)
        guard machine.knowledge.isDecisive, let written = try? WrittenFiles(root: root) else { return false }
        let plan = plan(for: [account])
        for program in LoginInstances.programs(in: root) {
            guard let folder = InstanceFolder(of: program, in: root) else { continue }
            guard let foreign = try? folder.foreign(written) else { return false }
            let files = plan.part(of: program, for: name)?.rendering.files ?? []
            guard (try? folder.write(folder.content(files, beside: foreign), as: name)) != nil else { return false }
        }
        return (try? writeFiles(of: account, plan)) != nil
    }

    /// What the strictest user would have in a program's folder; while policy is unknown, what was written for
    /// everybody.
    private func strictest(_ program: any Program, _ written: WrittenFiles) -> [ProgramFile] {
        guard machine.knowledge.isDecisive else {
            return written.contents(of: program.name, in: machine.root).map { ProgramFile($0.path, .bytes($0.bytes)) }
        }
        let plan = plan(everybody: resultant { $0.forAnybody }, [])
        return plan.parts.first { Key($0.program.name) == Key(program.name) }?.rendering.files ?? []
    }

    /// Starts the unit that writes the files outside of this session.
    func handOver() throws(ProgramsError) {
        let unit = "managed-defaults-apply.service"
        let result = try? Subprocess.run(
            "/usr/bin/systemctl", ["start", unit], timeoutMilliseconds: 30_000, limit: 1 << 16)
        guard result?.status == 0 else {
            throw ProgramsError(
                "This login session sees one user's copies of programs' files, and \(unit), which would write the"
                    + " machine's, could not be run.")
        }
    }

    /// What a run did or would do, without what this process does not see because it runs in a session.
    func withoutInstances(_ outcome: ProgramWriter.Outcome) -> ProgramWriter.Outcome {
        let hidden = ProgramCatalog.all.compactMap(LoginInstances.folder).filter {
            machine.root.isSystem && (try? machine.root.isMountPoint($0)) == true
        }
        if hidden.isEmpty { return outcome }
        func isSeen(_ path: String?) -> Bool {
            !hidden.contains { path?.utf8.starts(with: "\($0)/".utf8) ?? false }
        }
        var seen = outcome
        seen.changes.removeAll { !isSeen($0.path) }
        seen.findings.removeAll { !isSeen($0.path) }
        return seen
    }
}
