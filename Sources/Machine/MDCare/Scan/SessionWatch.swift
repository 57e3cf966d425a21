package import MDPlatform
import MDTools

/// Watches the preference folders of users who have a session, and says whose changed: programs that never ask the library
/// write there.
///
/// Only directories are opened, no file of a user. What lies across a mount beneath the home, or on a file system that
/// other machines or programs serve, is not watched; it is looked at when a session ends.
package final class SessionWatch {
    /// The folders in a home that have preference files.
    private static let folders = ["/.config", "/.config/ByHost"]
    /// The most users that are watched.
    private static let capacity = 1_024

    /// The machine's root.
    private let root: Root
    /// The kernel's watches.
    private let events: DirectoryEvents
    /// The watches of each user with a session: of the home and of the folders in it.
    private var homes: [UInt32: [Int32]] = [:]
    /// What cannot be watched, as sentences, since the last call of ``takeProblems()``.
    private var problems: [String] = []

    /// Watches the sessions of a machine; call ``advance()`` for the first time before anything is waited for.
    ///
    /// - Throws: if no descriptor or no quota is left, or there is no login manager.
    package init(root: Root) throws(SystemError) {
        self.root = root
        events = try DirectoryEvents()
        _ = try events.add(try directory(Persons.sessions))
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
        for (uid, watches) in homes {
            let own = changes.filter { watches.contains($0.directory) }
            // A folder came, went, or has another place.
            let isMoved = isLost || own.contains { $0.name.isEmpty || SessionWatch.folderNames.contains($0.name) }
            if isMoved { watch(uid) }
            if isMoved || own.contains(where: { SessionWatch.isPreferences($0.name) }) { changed.insert(uid) }
        }
        let present = try users()
        for uid in homes.keys where !present.contains(uid) {
            homes.removeValue(forKey: uid)?.forEach { events.remove($0) }
            changed.insert(uid)
        }
        for uid in present.sorted() where homes[uid] == nil {
            guard homes.count < SessionWatch.capacity else {
                problems.append("More than \(SessionWatch.capacity) users have a session; the others are not watched.")
                break
            }
            watch(uid)
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

    /// Opens a directory of the machine.
    private func directory(_ path: String) throws(SystemError) -> Root {
        root.isSystem ? try Root(directory: path) : try Root(directory: path, onFileSystemOf: root)
    }

    /// Watches the folders of a user again.
    private func watch(_ uid: UInt32) {
        let old = homes[uid] ?? []
        var watches: [Int32] = []
        do throws(SystemError) {
            if let home = try home(of: uid) {
                watches.append(try events.add(home))
                for name in SessionWatch.folders {
                    guard let folder = try SessionWatch.folder(name, in: home) else { continue }
                    watches.append(try events.add(folder))
                }
            }
        } catch {
            note("\(error)", uid)
        }
        for watch in old where !watches.contains(watch) { events.remove(watch) }
        homes[uid] = watches
    }

    /// The home of a user; `nil` if it cannot be watched.
    private func home(of uid: UInt32) throws(SystemError) -> Root? {
        let accounts = AccountDatabase(root: root)
        let account = root.isSystem ? try accounts.lookUpAccount(uid: uid) : accounts.account(uid: uid)
        guard let account, !account.home.isEmpty else {
            note("no account names the home", uid)
            return nil
        }
        let home = try directory(account.home)
        guard home.isRemote else { return home }
        note("\(home.path) is not on a local disk", uid)
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
