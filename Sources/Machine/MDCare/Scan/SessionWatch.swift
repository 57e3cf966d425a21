package import MDPlatform
import MDTools

/// Watches the preference folders of users who have a session, and says whose changed: programs that never ask the library
/// write there.
///
/// Only directories are opened, no file of a user. What lies across a mount beneath the home, or on a file system that
/// other machines or programs serve, is not watched and never touched by this process, which a server that is gone would
/// keep waiting; it is looked at when a session begins and ends.
package final class SessionWatch {
    /// The folders in a home that have preference files.
    private static let folders = ["/.config", "/.config/ByHost"]
    /// The most users that are watched.
    private static let capacity = 1_024

    /// The machine's root.
    private let root: Root
    /// The kernel's watches.
    private let events: DirectoryEvents
    /// What is watched of each user with a session.
    private var homes: [UInt32: Watched] = [:]
    /// What cannot be watched, as sentences, since the last call of ``takeProblems()``.
    private var problems: [String] = []

    /// What is watched of a user.
    private struct Watched {
        /// The home, so that the account is looked up once a session.
        let home: String?
        /// The watches of the home and of the folders in it.
        var watches: [Int32] = []
    }

    /// Watches the sessions of a machine; call ``advance()`` for the first time before anything is waited for.
    ///
    /// - Throws: if no descriptor or no quota is left, or there is no login manager.
    package init(root: Root) throws(SystemError) {
        self.root = root
        events = try DirectoryEvents()
        _ = try events.add(
            root.isSystem
                ? try Root(directory: Persons.sessions)
                : try Root(directory: Persons.sessions, onFileSystemOf: root))
    }

    /// The number that the kernel knows the watches by, to wait for.
    package var raw: Int32 { events.raw }

    /// Hands over what cannot be watched, as sentences.
    package func takeProblems() -> [String] {
        defer { problems = [] }
        return problems
    }

    /// Looks at what changed.
    ///
    /// - Returns: the users whose stored values are to be looked at now, in the order of their numbers: those whose files
    ///   changed, whose session began and whose session ended.
    /// - Throws: if the kernel's watches do not work any more.
    package func advance() throws(SystemError) -> [UInt32] {
        var changed = Set<UInt32>()
        let changes = try events.changes()
        let isLost = changes.contains { $0.directory < 0 }
        // As of this round, and read only if a folder is to be opened.
        var mounts: Result<MountTable, SystemError>?
        let changesOf = Dictionary(grouping: changes, by: \.directory)
        for (uid, watched) in homes {
            let own = watched.watches.flatMap { changesOf[$0] ?? [] }
            // A folder came, went, or has another place.
            let isMoved = isLost || own.contains { $0.name.isEmpty || SessionWatch.folderNames.contains($0.name) }
            if isMoved { watch(uid, &mounts) }
            if isMoved || own.contains(where: { SessionWatch.isPreferences($0.name) }) { changed.insert(uid) }
        }
        let present = try users()
        for uid in homes.keys where !present.contains(uid) {
            homes.removeValue(forKey: uid)?.watches.forEach { events.remove($0) }
            changed.insert(uid)
        }
        for uid in present.sorted() where homes[uid] == nil {
            guard homes.count < SessionWatch.capacity else {
                problems.append("More than \(SessionWatch.capacity) users have a session; the others are not watched.")
                break
            }
            homes[uid] = Watched(home: home(of: uid))
            watch(uid, &mounts)
            changed.insert(uid)
        }
        return changed.sorted()
    }

    /// The last names of the folders.
    private static let folderNames = folders.map { Array(($0.split(separator: "/").last ?? "").utf8) }

    /// Whether a name can be that of a preference file.
    private static func isPreferences(_ name: [UInt8]) -> Bool { name.suffix(6).elementsEqual(".plist".utf8) }

    /// The users with a session.
    private func users() throws(SystemError) -> Set<UInt32> {
        Set(try root.names(in: Persons.sessions).compactMap { UInt32($0) }.filter { $0 >= 1_000 })
    }

    /// Watches the folders of a user again.
    private func watch(_ uid: UInt32, _ mounts: inout Result<MountTable, SystemError>?) {
        guard let watched = homes[uid], let path = watched.home else { return }
        var watches: [Int32] = []
        do throws(SystemError) {
            let home = try open(path, &mounts)
            watches.append(try events.add(home))
            for name in SessionWatch.folders {
                guard let folder = try SessionWatch.folder(name, in: home) else { continue }
                watches.append(try events.add(folder))
            }
        } catch {
            note("\(error)", uid)
        }
        for watch in watched.watches where !watches.contains(watch) { events.remove(watch) }
        homes[uid]?.watches = watches
    }

    /// Opens a home that is on a local disk.
    private func open(_ home: String, _ mounts: inout Result<MountTable, SystemError>?) throws(SystemError) -> Root {
        guard root.isSystem else { return try Root(directory: home, onFileSystemOf: root) }
        let table = mounts ?? Result { () throws(SystemError) in try MountTable.read() }
        mounts = table
        return try table.get().openDirectory(home)
    }

    /// The home of a user; `nil` if no account names it.
    private func home(of uid: UInt32) -> String? {
        do throws(SystemError) {
            let account = try AccountDatabase(root: root).lookUpAccount(uid: uid)
            if let home = account?.home, !home.isEmpty { return home }
        } catch {
            if let person = PeopleRegister.person(of: uid, in: root) { return person.home }
            note("\(error)", uid)
            return nil
        }
        note("no account names the home", uid)
        return nil
    }

    /// A folder in a home; `nil` if there is none.
    private static func folder(_ name: String, in home: Root) throws(SystemError) -> Root? {
        do {
            return try Root(directory: name, onFileSystemOf: home)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// Remembers why the preferences of a user are not watched.
    private func note(_ reason: String, _ uid: UInt32) {
        problems.append("Changes of the preferences of the user \(uid) are not watched: \(Printable.escape(reason)).")
    }
}
