package import MDPlatform
package import MDPropertyList

/// A program that does not ask this library, and obeys policy that is written into its own files.
///
/// A conforming type says what the program's domains become; it reads and writes no file itself, except to learn what the
/// machine's program accepts. Adding a program means adding one to ``ProgramCatalog``.
package protocol Program: Sendable {
    /// The word that names it on the command line.
    var name: String { get }
    /// The name that people know.
    var title: String { get }
    /// Paths; one of them exists where the program is installed. None of a place that only a Flatpak or snap reads.
    var executables: [String] { get }
    /// Paths; one of them exists where there is a Flatpak or snap that reads what is written, by its documents.
    var readers: [String] { get }
    /// Paths; one of them exists where there is a Flatpak or snap of it, which is not known to read what is written.
    var sandboxes: [String] { get }
    /// Files besides the executables that change with each version of the program.
    var versionFiles: [String] { get }
    /// Whether what is written for it was tried on the program itself, and not only taken from its documents.
    var isTried: Bool { get }
    /// The names of its processes, if it reads policy only when it starts; empty if it follows changes while it runs.
    var processes: [String] { get }
    /// How its policy can differ between the users of a machine.
    var reach: ProgramReach { get }
    /// What its users can do to get around it without being administrators, as a clause; empty if nothing is known.
    var weakness: String { get }

    /// The user of the service that decides by the program's files, to whom their folder may belong; `nil` for a program
    /// whose folders are root's.
    var service: String? { get }
    /// Whether all users share one file, in which the program tells the unlisted ones apart by their groups.
    var tellsGroupsApart: Bool { get }
    /// Whether root itself asks, because a service of the system answers others only about themselves.
    var isAskedByRoot: Bool { get }

    /// The program as it is on a machine, for programs that differ in what they read there.
    func prepared(for root: Root) -> Self

    /// The domains whose settings the program reads; one that ends with a full stop begins the names of many.
    var domains: [Key] { get }

    /// Whether the program reads settings of a domain.
    func takes(_ domain: Key) -> Bool

    /// What a policy becomes in the program's own files.
    ///
    /// - Parameters:
    ///   - policy: the entries for the program's domains.
    ///   - audience: the users that the policy is for.
    ///   - root: the machine whose program it is; read for what the program accepts.
    /// - Returns: the files and what could not be said; no files for an empty policy.
    func render(_ policy: ProgramPolicy, for audience: Audience, in root: Root) -> ProgramRendering

    /// Whether a key is of something that is installed.
    func isMeant(_ key: Key, in root: Root) -> Bool

    /// The one file that all users share; `nil` if there is none, or each has files of their own.
    ///
    /// - Parameters:
    ///   - users: the policy of the known users.
    ///   - others: the policy of the others.
    ///   - root: the machine.
    /// - Returns: the file.
    func joined(
        _ users: [(user: ProgramUser, policy: ProgramPolicy)], _ others: UnlistedUsers, in root: Root
    ) -> ProgramFile?

    /// The files of one more user whose policy is that of a user for whom it is rendered.
    ///
    /// - Parameters:
    ///   - rendering: what ``render(_:for:in:)`` made of the policy for the other user.
    ///   - policy: the policy of both.
    ///   - audience: the user.
    ///   - root: the machine.
    /// - Returns: the files; some may be those of the other user.
    func files(
        sharing rendering: ProgramRendering, of policy: ProgramPolicy, for audience: Audience, in root: Root
    ) -> [ProgramFile]

    /// Whether running programs keep a file mapped until its first bytes become 0.
    ///
    /// - Parameter path: the path of a file that was written for the program.
    /// - Returns: whether a file that is replaced is marked in that way.
    func keepsMapped(_ path: String) -> Bool

    /// Makes changed files take effect.
    ///
    /// - Parameters:
    ///   - changed: the paths that were written or removed.
    ///   - root: the machine.
    /// - Returns: a sentence for each failure.
    func publish(_ changed: [String], in root: Root) -> [String]

    /// Looks for foreign files that keep the written ones from deciding.
    ///
    /// - Parameters:
    ///   - policy: the entries for everybody.
    ///   - root: the machine.
    /// - Returns: a finding for each such file.
    func rivals(of policy: ProgramPolicy, in root: Root) -> [ProgramFinding]

    /// What a user has stored in the program's own store for keys that policy locks.
    ///
    /// Called with the rights of the user.
    ///
    /// - Parameters:
    ///   - policy: the entries that hold for the user.
    ///   - store: the user's home.
    /// - Returns: the values. What cannot be read of a store is a problem of `store`.
    func stored(for policy: ProgramPolicy, in store: inout UserStore) -> [StoredSetting]

    /// The names of running programs that watch the folders of their files, but not yet in their first seconds.
    var watchers: [String] { get }

    /// The environment variables with which the program of another user reads what is written for a user.
    ///
    /// - Parameters:
    ///   - user: the user whose files they are.
    ///   - instance: the folder of the user's instance, if the program has instances.
    /// - Returns: the variables, each as `NAME=VALUE`.
    func variables(for user: ProgramUser, instance: String) -> [String]

    /// Asks the program itself what is in force; `nil` if there is no way.
    var witness: (any Witness)? { get }
}

extension Program {
    package var weakness: String { "" }

    package var readers: [String] { [] }

    package var sandboxes: [String] { [] }

    package var versionFiles: [String] { [] }

    package func variables(for user: ProgramUser, instance: String) -> [String] { [] }

    package var isTried: Bool { true }

    package var processes: [String] { [] }

    package var watchers: [String] { [] }

    package var witness: (any Witness)? { nil }

    package var service: String? { nil }

    package var tellsGroupsApart: Bool { false }

    package var isAskedByRoot: Bool { false }

    package func isMeant(_ key: Key, in root: Root) -> Bool { true }

    package func joined(
        _ users: [(user: ProgramUser, policy: ProgramPolicy)], _ others: UnlistedUsers, in root: Root
    ) -> ProgramFile? { nil }

    package func prepared(for root: Root) -> Self { self }

    package func takes(_ domain: Key) -> Bool {
        domains.contains { known in
            if known.string.utf8.last != UInt8(ascii: ".") { return domain == known }
            return domain.string.utf8.count > known.string.utf8.count
                && domain.string.utf8.starts(with: known.string.utf8)
        }
    }

    package func files(
        sharing rendering: ProgramRendering, of policy: ProgramPolicy, for audience: Audience, in root: Root
    ) -> [ProgramFile] {
        render(policy, for: audience, in: root).files
    }

    package func keepsMapped(_ path: String) -> Bool { false }

    package func publish(_ changed: [String], in root: Root) -> [String] { [] }

    package func rivals(of policy: ProgramPolicy, in root: Root) -> [ProgramFinding] { [] }

    package func stored(for policy: ProgramPolicy, in store: inout UserStore) -> [StoredSetting] { [] }

    /// Whether users can have files of their own at login.
    package var hasInstances: Bool {
        switch reach {
        case .instance, .session: true
        case .user, .machine: false
        }
    }
}

/// How a program's policy can differ between the users of a machine.
package enum ProgramReach: Hashable, Sendable {
    /// The program itself reads other files for each user.
    case user
    /// It reads one folder; each login session can have its own instance of it by pam_namespace.
    case instance(folder: String)
    /// It reads more files first from a folder that an environment variable of the session names, which users can change.
    ///
    /// What everybody's files in `folder` lock stays locked for all.
    case session(folder: String)
    /// It reads what the machine has, whatever a login session sees.
    case machine

    /// What users can do where a browser reads a folder, as a clause.
    static let folderWeakness = """
        a user who runs a changed copy of it, hides the folder by LD_PRELOAD, or mounts another over it in a user namespace \
        of their own is free
        """
}

/// The users that policy is written for.
package enum Audience: Hashable, Sendable {
    /// All users without policy of their own.
    case everybody
    /// One user.
    case user(ProgramUser)

    /// The user; `nil` for everybody.
    package var user: ProgramUser? {
        if case .user(let user) = self { user } else { nil }
    }
}

/// What holds for users that no file lists, by their groups.
package struct UnlistedUsers: Sendable {
    /// The groups that policy names, each by all words that a name service has for it.
    package let groups: [[String]]
    /// The policy of a user in some of them, by the numbers of these, a bit each; without groups that of users in some
    /// group, if there are too many.
    package let policies: [ProgramPolicy]
}

/// A user as programs' files name them.
package struct ProgramUser: Hashable, Sendable {
    package let name: String
    package let uid: UInt32

    package init(name: String, uid: UInt32) {
        (self.name, self.uid) = (name, uid)
    }
}

/// What a policy becomes for a program.
package struct ProgramRendering: Sendable {
    /// The files, with paths as everybody's program reads them.
    package var files: [ProgramFile] = []
    /// What could not be said, each with the entry that wants it.
    package var findings: [ProgramFinding] = []

    package init(files: [ProgramFile] = [], findings: [ProgramFinding] = []) {
        (self.files, self.findings) = (files, findings)
    }
}
