import MDEngine
import MDPlatform
import MDPrograms
import MDPropertyList
import MDTools

extension MachinePrograms {
    /// The users whose programs were started before their files were written, of programs that read them only then.
    func restarts(_ plan: ProgramsPlan) -> [Restart] {
        guard machine.root.isSystem, machine.facts == nil else { return [] }
        var found: [Restart] = []
        for program in ProgramCatalog.all where !program.processes.isEmpty {
            guard plan.parts.contains(where: { Key($0.program.name) == Key(program.name) }) else { continue }
            for process in ProcessList.named(program.processes) {
                let restart = Restart(program: program.name, uid: process.uid)
                guard !found.contains(restart), let written = lastWrite(of: program, for: process.uid, plan),
                    process.started < written
                else { continue }
                found.append(restart)
            }
        }
        return found
    }

    /// When a file of a program was written last that a user's sessions see.
    private func lastWrite(of program: any Program, for uid: UInt32, _ plan: ProgramsPlan) -> Timestamp? {
        let common = plan.parts.first { Key($0.program.name) == Key(program.name) }
        var paths = (common?.files ?? []).map(\.path)
        if let folder = LoginInstances.folder(of: program), let name = machine.accounts.account(uid: uid)?.name {
            paths += paths.compactMap {
                ProgramFile($0, .bytes([])).moved(
                    from: folder, to: "\(LoginInstances.home)/\(program.name)/\(name)")?.path
            }
        }
        let times = paths.compactMap { try? machine.root.status($0, followingLinks: false).modified }
        return times.max().map { Timestamp(microseconds: $0 / 1_000) }
    }
}
