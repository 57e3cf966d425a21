import MDEngine
import MDPlatform
import MDPrograms
import MDPropertyList
import MDTools

extension MachinePrograms {
    /// Makes programs that may have missed a change read their files again.
    ///
    /// A browser of Chromium's family begins to watch its folder only some seconds after it has started. It may miss
    /// changes in between until the next event of the folder. This method causes such an event without changing
    /// anything. It does not wait for a young browser: a caller that has written files calls it again when the browser
    /// may watch.
    ///
    /// - Returns: whether a process is running that may have missed the last change.
    @discardableResult
    package func remind() -> Bool {
        guard machine.root.isSystem else { return false }
        var mayHaveMissed = false
        for program in ProgramCatalog.all where !program.watchers.isEmpty {
            let folders = watchedFolders(of: program)
            guard let written = folders.compactMap(\.written).max() else { continue }
            let isYoung = ProcessList.named(program.watchers).contains { process in
                process.started <= written
                    && written.microseconds - process.started.microseconds < MachinePrograms.deafness
            }
            if !isYoung { continue }
            mayHaveMissed = true
            for folder in folders {
                guard let status = try? machine.root.status(folder.path, followingLinks: false) else { continue }
                try? machine.root.changeOwner(ofDirectory: folder.path, user: status.owner, group: status.group)
            }
        }
        return mayHaveMissed
    }

    /// How long after its start a program may not watch yet, in microseconds; measured were 2 to 13 s.
    private static let deafness: Int64 = 60_000_000

    /// The folders of a program's files, everybody's and those of instances, and when a file in them was written last.
    private func watchedFolders(of program: any Program) -> [(path: String, written: Timestamp?)] {
        guard let folder = LoginInstances.folder(of: program) else { return [] }
        let instances = LoginInstances.users(of: program, in: machine.root).map {
            "\(LoginInstances.home)/\(program.name)/\($0)"
        }
        return ([folder] + instances).flatMap { place in
            ((try? machine.root.names(in: place)) ?? []).map { "\(place)/\($0)" }
        }.compactMap { path -> (path: String, written: Timestamp?)? in
            guard let status = try? machine.root.status(path, followingLinks: false), status.kind == .directory else {
                return nil
            }
            // The time of the folder is that of the last file that came or went.
            return (path, Timestamp(microseconds: status.modified / 1_000))
        }
    }
}
