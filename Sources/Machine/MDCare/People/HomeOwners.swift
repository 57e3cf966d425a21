import MDPlatform
import MDPropertyList
import MDTools

/// The owners of the directories beside known homes.
///
/// A home on a server that is gone would keep this process waiting for ever, so what the table of mounts says is not on a
/// local disk is only examined by child processes with a time limit.
struct HomeOwners {
    /// The owners, with the directory of each.
    private(set) var owners: [(uid: UInt32, path: String)] = []
    /// What is not known, as sentences.
    private(set) var limits: [String] = []

    /// The root of the machine.
    private let root: Root
    /// What is mounted; `nil` in a folder that is used as a machine, and if that is not known.
    private let mounts: MountTable?

    /// The folders that homes are in, besides those of known accounts.
    private static let homeFolders = ["/home"]
    /// The most homes of a folder that are looked at.
    private static let homeLimit = 100_000
    /// Error of listing something that is no directory (ENOTDIR).
    private static let notDirectory: Int32 = 20

    /// A directory to examine.
    private struct Place {
        /// The directory.
        let path: String
        /// Whether its entries are to be examined, and not itself.
        let isFolder: Bool
    }

    /// Finds the owners.
    ///
    /// - Parameters:
    ///   - people: the accounts that are known.
    ///   - root: the root of the machine.
    /// - Returns: the owners, and what is not known.
    static func find(beside people: [Account], root: Root) -> HomeOwners {
        var folders = Set(homeFolders.map { Key($0) })
        for account in people where account.uid != 0 {
            let parts = account.home.split(separator: "/")
            // A home right below the root says nothing of what is beside it.
            if parts.count > 1 { folders.insert(Key("/" + parts.dropLast().joined(separator: "/"))) }
        }
        var found = HomeOwners(root)
        var far: [Place] = []
        for folder in folders.sorted() {
            if found.mayKeepWaiting(folder.string) {
                far.append(Place(path: folder.string, isFolder: true))
            } else {
                found.add(Place(path: folder.string, isFolder: true), &far)
            }
        }
        // Each of these homes is read as its owner, and named if it does not answer.
        let homes = Set(people.map { Key($0.home) })
        far.removeAll { !$0.isFolder && homes.contains(Key($0.path)) }
        let answers = HomeAccess.apart(far.count, until: HomeAccess.end()) { index in
            var (own, none): (HomeOwners, [Place]) = (HomeOwners(root, nil), [])
            own.add(far[index], &none)
            return own.encoded
        }
        for (place, answer) in zip(far, answers) {
            switch answer {
            case .success(let bytes): found.add(encoded: bytes)
            case .failure(let error): found.note(place, error.text)
            }
        }
        return found
    }

    /// Begins without owners.
    private init(_ root: Root, _ mounts: MountTable? = try? MountTable.read()) {
        (self.root, self.mounts) = (root, root.isSystem ? mounts : nil)
    }

    /// Whether a folder may be on a file system that does not answer.
    private func mayKeepWaiting(_ folder: String) -> Bool {
        guard root.isSystem else { return false }
        guard let mounts else { return true }
        do throws(SystemError) {
            _ = try mounts.localPath(of: folder)
            return false
        } catch {
            return !error.isMissing
        }
    }

    /// Adds the owner of a directory, or those of the directories in it; those not on a local disk are set aside.
    private mutating func add(_ place: Place, _ far: inout [Place]) {
        do throws(SystemError) {
            guard place.isFolder else { return try add(place.path) }
            let names = try root.names(in: place.path, directoriesOnly: true)
            let real = try mounts?.localPath(of: place.path)
            for name in names.prefix(HomeOwners.homeLimit) {
                let path = "\(place.path)/\(name)"
                if let real, let mounts, mounts.isRemote("\(real)/\(name)") {
                    far.append(Place(path: path, isFolder: false))
                } else {
                    try? add(path)
                }
            }
            if names.count > HomeOwners.homeLimit {
                limits.append(
                    "\(names.count - HomeOwners.homeLimit) homes in "
                        + "\(Printable.escape(root.display(place.path))) were not looked at.")
            }
        } catch {
            guard !error.isMissing, error.code != HomeOwners.notDirectory else { return }
            note(place, error.text)
        }
    }

    /// Adds the owner of a directory.
    private mutating func add(_ path: String) throws(SystemError) {
        let status = try root.status(path, followingLinks: false)
        // In a folder that is used as a machine, its owner owns all homes.
        guard status.kind == .directory, root.isSystem || status.owner != root.owner else { return }
        owners.append((status.owner, path))
    }

    /// Adds that a directory was not examined.
    private mutating func note(_ place: Place, _ reason: String) {
        let shown = Printable.escape(root.display(place.path))
        limits.append(
            (place.isFolder ? "The owners of the homes in \(shown) are" : "The owner of the home \(shown) is")
                + " not known: \(Printable.escape(reason)).")
    }

    /// The owners and sentences as a child process sends them: pairs of words, with NUL between all.
    private var encoded: [UInt8] {
        var words = owners.flatMap { ["\($0.uid)", $0.path] }
        words += limits.flatMap { ["", $0] }
        return Array(words.joined(separator: "\0").utf8)
    }

    /// Adds what a child process sent; it has the ids of this one.
    private mutating func add(encoded bytes: [UInt8]) {
        var words = bytes.split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }.makeIterator()
        while let first = words.next(), let second = words.next() {
            if let uid = UInt32(first) { owners.append((uid, second)) } else { limits.append(second) }
        }
    }
}
