package import MDPlatform
package import MDPolicyCore
package import MDPropertyList

/// What policy becomes in all programs of a machine, for everybody and for each user.
package struct ProgramsPlan: Sendable {
    /// One program's policy for some audience.
    package struct Part: Sendable {
        package let program: any Program
        /// The audiences; users whose policy is the same share one part.
        package let audiences: [Audience]
        package let policy: ProgramPolicy
        /// The files for the first audience, with paths as everybody's program reads them.
        package let rendering: ProgramRendering
        /// The files that are written for all audiences.
        package let files: [ProgramFile]
        /// Whether the files are written; if not, the entries are enforced nowhere in this program.
        package let isWritten: Bool
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

    /// Plans for a machine.
    ///
    /// - Parameters:
    ///   - root: the machine.
    ///   - everybody: what holds for every user alike.
    ///   - people: the users with what holds for each.
    ///   - instances: the words for the programs of whose folders sessions get instances.
    ///   - programs: the programs to plan for.
    package init(
        root: Root, everybody: ResultantSet, people: [Person], instances: Set<Key> = [],
        programs: [any Program] = ProgramCatalog.all
    ) {
        for program in programs {
            let program: any Program = program.prepared(for: root)
            add(program, root: root, everybody: everybody, people: people, instances: instances)
        }
    }

    private mutating func add(
        _ program: some Program, root: Root, everybody: ResultantSet, people: [Person], instances: Set<Key>
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
        guard !common.isEmpty || groups.contains(where: { !$0.policy.isEmpty }) else { return }
        parts.append(
            Part(
                program: program, audiences: [.everybody], policy: common, rendering: rendering, files: rendering.files,
                isWritten: true))
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
        let isWritten: Bool
        var written: [ProgramFile] = []
        switch program.reach {
        case .user:
            isWritten = true
            written = rendering.files
            for audience in audiences.dropFirst() {
                written += program.files(sharing: rendering, of: policy, for: audience, in: root).filter {
                    !written.contains($0)
                }
            }
        // What an instance has is compared and written with all of it.
        case .instance, .session: isWritten = instances.contains(Key(program.name))
        case .machine: isWritten = false
        }
        if isWritten, case .session = program.reach {
            // What is locked for everybody is read first, and stays.
            rendering.findings += common.entries(notIn: policy).filter(\.level.isLocking).map {
                ProgramFinding(
                    .notEnforced, program: program, $0,
                    "\(program.title) keeps this also for \(ProgramsPlan.list(users.map(\.name))), for whom policy has"
                        + " something else: aim it at the others only")
            }
        }
        if !isWritten {
            let names = users.map(\.name)
            rendering.findings = policy.entries(notIn: common).map {
                ProgramFinding(
                    .notEnforced, program: program, $0,
                    "\(program.title) does not get what is for \(ProgramsPlan.list(names)) only")
            }
            rendering.findings += common.entries(notIn: policy).filter { entry in
                !policy.entries.contains { $0.domain == entry.domain && $0.key == entry.key }
            }.map {
                ProgramFinding(
                    .notEnforced, program: program, $0,
                    "\(program.title) keeps this also for \(ProgramsPlan.list(names)), for whom it is lifted")
            }
        }
        files += written.map { (program.name, $0) }
        findings += rendering.findings.filter { !findings.contains($0) }
        parts.append(
            Part(
                program: program, audiences: audiences, policy: policy, rendering: rendering, files: written,
                isWritten: isWritten))
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

    /// A few names, and how many more there are.
    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(3).map(Printable.escape).joined(separator: ", ")
        return names.count > 3 ? "\(shown) and \(names.count - 3) more users" : shown
    }
}
