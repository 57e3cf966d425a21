package import MDPlatform
package import MDPolicyCore
package import MDPropertyList
import MDTools

/// What policy becomes in all programs of a machine, for everybody and for each user.
package struct ProgramsPlan: Sendable {
    /// One program's policy for some audience.
    package struct Part: Sendable {
        package let program: any Program
        /// The audiences; users whose policy is the same share one part.
        package let audiences: [Audience]
        package let policy: ProgramPolicy
        /// The files for the first audience, with paths as everybody's program reads them.
        package fileprivate(set) var rendering: ProgramRendering
        /// The files that are written for all audiences.
        package fileprivate(set) var files: [ProgramFile]
        /// What keeps the program from having all of the policy; `nil` if nothing does.
        package let obstacle: Obstacle?
        /// The entries that differ from what the program has for these users.
        package let missing: [ProgramEntry]

        /// Whether the files are written.
        package var isWritten: Bool { obstacle != .sessions && obstacle != .sandbox }
    }

    /// Why a program does not have what policy says for some users only.
    package enum Obstacle: Sendable {
        /// Login sessions do not get instances of the program's folder.
        case sessions
        /// The program reads first what is locked for everybody, and keeps it.
        case everybody
        /// The program looks past login sessions.
        case sandbox

        /// The clause about a key of a program.
        package func clause(about program: any Program) -> String {
            switch self {
            case .sessions:
                "\(program.title) gets what is not the same for all users only after \(ProgramFinding.enabling)"
            case .everybody:
                "\(program.title) keeps what is locked for everybody, and policy has something else for this user: aim it"
                    + " at the others only"
            case .sandbox: "\(program.title) looks past login sessions, and gets what is for everybody only"
            }
        }
    }

    /// The parts, by program in the order of the catalog, everybody's first.
    package private(set) var parts: [Part] = []
    /// The files, each with the word for its program.
    package private(set) var files: [(program: String, file: ProgramFile)] = []
    /// What cannot be enforced as written.
    package private(set) var findings: [ProgramFinding] = []

    /// A user with the policy that holds for them.
    package struct Person: Sendable {
        package let user: ProgramUser
        package let resultant: ResultantSet

        package init(user: ProgramUser, resultant: ResultantSet) {
            (self.user, self.resultant) = (user, resultant)
        }
    }

    /// What holds for users that no file lists, by their groups.
    package struct Membership: Sendable {
        /// The most groups that are told apart: what holds is found out for each choice of some of them.
        package static let groupLimit = 8
        /// The groups that policy names, each by all words that a name service has for it.
        package let groups: [[String]]
        /// What holds for a user in some of them, by the numbers of these, a bit each; without groups what holds for users in
        /// some group, if there are too many.
        package let resultants: [ResultantSet]

        package init(groups: [[String]], resultants: [ResultantSet]) {
            (self.groups, self.resultants) = (groups, resultants)
        }
    }

    /// Plans for a machine.
    ///
    /// - Parameters:
    ///   - root: the machine.
    ///   - everybody: what holds for every user alike.
    ///   - people: the users with what holds for each.
    ///   - instances: the words for the programs of whose folders sessions get instances.
    ///   - membership: what holds for the others, if a program asks for it.
    ///   - programs: the programs to plan for.
    package init(
        root: Root, everybody: ResultantSet, people: [Person], instances: Set<Key> = [],
        membership: Membership? = nil, programs: [any Program] = ProgramCatalog.all
    ) {
        for program in programs where !program.isPlace || program.isInstalled(in: root) {
            let program: any Program = program.prepared(for: root)
            let first = parts.count
            let shared = program.tellsGroupsApart ? membership : nil
            let others = UnlistedUsers(
                groups: shared?.groups ?? [],
                policies: shared?.resultants.map { ProgramPolicy(of: $0, for: program) } ?? [])
            add(
                program, root: root, everybody: everybody, people: people, instances: instances,
                isWanted: others.policies.contains { !$0.isEmpty })
            if shared != nil, parts.count > first { join(program, first..<parts.count, others, root) }
        }
        findings += [Obstacle.sessions, .everybody, .sandbox].compactMap { obstacle in
            finding(about: obstacle, in: root)
        }
    }

    /// One finding for all that an obstacle keeps from the programs that are installed.
    private func finding(about obstacle: Obstacle, in root: Root) -> ProgramFinding? {
        let parts = parts.filter {
            $0.obstacle == obstacle && !$0.missing.isEmpty && $0.program.isInstalled(in: root)
        }
        guard let first = parts.first, let origin = first.missing.first?.origin else { return nil }
        let titles = parts.reduce(into: [String]()) { titles, part in
            if titles.last != part.program.title { titles.append(part.program.title) }
        }
        let keys = Set(parts.flatMap { $0.missing.map { [$0.domain, $0.key] } }).count
        let users = Set(parts.flatMap { $0.audiences.compactMap(\.user) }).count
        let extent = "\(Plural.count(keys, "key")) of \(Plural.count(users, "user"))"
        let programs = Plural.list(titles, "program")
        switch obstacle {
        case .sessions:
            return ProgramFinding(
                .notEnforced, program: ProgramFinding.sessions, origin: origin, remedy: ProgramFinding.enabling,
                "policy for groups or single users does not reach \(programs) before \(ProgramFinding.enabling): \(extent)"
            )
        case .everybody:
            return ProgramFinding(
                .notEnforced, program: first.program.name, origin: origin,
                "\(programs) keeps what is locked for everybody also where policy has something else, \(extent): aim it"
                    + " at the others only")
        case .sandbox:
            return ProgramFinding(
                .notEnforced, program: first.program.name, origin: origin,
                "\(programs) gets what is for everybody only, because a snap looks past login sessions: \(extent)")
        }
    }

    /// Puts what all users of a program have into one file.
    private mutating func join(_ program: some Program, _ own: Range<Int>, _ others: UnlistedUsers, _ root: Root) {
        let users = parts[own].flatMap { part in
            part.audiences.compactMap(\.user).map { (user: $0, policy: part.policy) }
        }
        guard let file = program.joined(users, others, in: root) else { return }
        files.append((program.name, file))
        for index in own { (parts[index].files, parts[index].rendering.files) = ([file], [file]) }
        for policy in others.policies {
            let found = program.render(policy, for: .everybody, in: root).findings
            findings += found.filter { !findings.contains($0) }
        }
        if others.policies.count != 1 << others.groups.count {
            findings.append(
                ProgramFinding(
                    .notEnforced, program: program.name, path: file.path,
                    "policy names more than \(Membership.groupLimit) groups: users that the file does not list get the"
                        + " strictest of all"))
        }
    }

    private mutating func add(
        _ program: some Program, root: Root, everybody: ResultantSet, people: [Person], instances: Set<Key>,
        isWanted: Bool
    ) {
        let common = ProgramPolicy(of: everybody, for: program)
        let rendering = program.render(common, for: .everybody, in: root)
        var groups: [(policy: ProgramPolicy, users: [ProgramUser])] = []
        for person in people {
            let policy = ProgramPolicy(of: person.resultant, for: program)
            if let index = groups.firstIndex(where: { $0.policy.isSame(as: policy) }) {
                groups[index].users.append(person.user)
            } else {
                groups.append((policy, [person.user]))
            }
        }
        guard isWanted || !common.isEmpty || groups.contains(where: { !$0.policy.isEmpty }) else { return }
        parts.append(
            Part(
                program: program, audiences: [.everybody], policy: common, rendering: rendering, files: rendering.files,
                obstacle: nil, missing: []))
        files += rendering.files.map { (program.name, $0) }
        findings += rendering.findings
        for (policy, users) in groups {
            // Users whose policy is that of everybody need no files, except where a program reads only the user's own
            // files.
            if policy.isSame(as: common), program.reach != .user { continue }
            add(policy, of: users, for: program, common, root, instances)
        }
    }

    /// Adds the policy of users who share it.
    private mutating func add(
        _ policy: ProgramPolicy, of users: [ProgramUser], for program: some Program, _ common: ProgramPolicy,
        _ root: Root, _ instances: Set<Key>
    ) {
        let audiences = users.map { Audience.user($0) }
        guard let first = audiences.first else { return }
        var rendering = program.render(policy, for: first, in: root)
        var (written, obstacle, missing): ([ProgramFile], Obstacle?, [ProgramEntry]) = ([], nil, [])
        let lifted = common.entries(notIn: policy)
        switch program.reach {
        case .user:
            written = rendering.files
            for audience in audiences.dropFirst() {
                written += program.files(sharing: rendering, of: policy, for: audience, in: root).filter {
                    !written.contains($0)
                }
            }
        // What an instance has is compared and written with all of it.
        case .instance, .session, .machine:
            if !instances.contains(Key(program.name)) {
                (obstacle, rendering.findings) = (program.reach == .machine ? .sandbox : .sessions, [])
                missing =
                    policy.entries(notIn: common)
                    + lifted.filter { policy.entry(domain: $0.domain, key: $0.key) == nil }
            } else if case .session = program.reach {
                missing = lifted.filter(\.level.isLocking)
                if !missing.isEmpty { obstacle = .everybody }
            }
        }
        files += written.map { (program.name, $0) }
        findings += rendering.findings.filter { !findings.contains($0) }
        parts.append(
            Part(
                program: program, audiences: audiences, policy: policy, rendering: rendering, files: written,
                obstacle: obstacle, missing: missing))
    }

    /// The part that has a user's policy, or everybody's where the user has no other; `nil` if policy does not speak of
    /// the program.
    package func part(of program: any Program, for user: String) -> Part? {
        indices(of: program, for: user).map { parts[$0.own] }
    }

    /// The numbers of the part that has a user's policy and of everybody's part, which may be the same.
    package func indices(of program: any Program, for user: String) -> (own: Int, common: Int)? {
        let name = Key(program.name)
        let indices = parts.indices.filter { Key(parts[$0].program.name) == name }
        guard let common = indices.first else { return nil }
        let own = indices.first { index in
            parts[index].audiences.contains { $0.user.map { Key($0.name) == Key(user) } ?? false }
        }
        return (own ?? common, common)
    }
}
