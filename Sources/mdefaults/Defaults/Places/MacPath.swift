import Platform
import Preferences
import PropertyList

/// What the folders of preferences on a Mac stand for, where a script names them on a machine that has no such folders.
enum MacPath {
    /// What a path stands for.
    enum Meaning {
        /// A domain of the user.
        case user(Key)
        /// The path of a domain of all users.
        case allUsers(String)
    }

    /// The folder, below a home and below `/`.
    private static let folder = "/Library/Preferences/"

    /// Whether a path is worth a look; whose home is meant is not asked for any other.
    static func isCandidate(_ path: String) -> Bool {
        (CallerPath.split(path).folder + "/").hasSuffix(folder)
    }

    /// Finds out what a path stands for.
    ///
    /// - Parameters:
    ///   - path: a path under the root that ends in `.plist`.
    ///   - homes: the home of the user, as the caller and as the user database have it.
    ///   - root: the machine; a folder that exists on it means itself.
    /// - Returns: `nil` for every other path.
    static func meaning(of path: String, homes: [String], in root: Root) -> Meaning? {
        let (folder, file) = CallerPath.split(path)
        let isForAll = folder + "/" == Self.folder
        guard isForAll || homes.contains(where: { $0 + Self.folder == folder + "/" }) else { return nil }
        let domain = DomainWord.key(String(file.dropLast(".plist".utf8.count)))
        guard (try? DomainName.validate(domain)) != nil else { return nil }
        do throws(SystemError) {
            _ = try root.status(folder, followingLinks: true)
            return nil
        } catch {
            guard error.isMissing else { return nil }
        }
        guard isForAll else { return .user(domain) }
        let name = domain == DomainName.global ? ".GlobalPreferences" : domain.string
        return .allUsers("\(SharedDefaults.directory)/\(name).plist")
    }
}
