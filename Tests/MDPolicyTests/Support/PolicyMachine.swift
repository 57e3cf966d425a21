import Foundation
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTestSupport
import Testing

/// A machine with policy.
extension TemporaryMachine {
    /// Makes a machine with two users and a policy directory, or a copy of a fixture.
    convenience init(copying fixture: URL? = nil) throws {
        if let fixture { try self.init(copying: fixture, in: nil) } else { try self.init(.classroom) }
    }

    /// The folder.
    var directory: URL { url("") }

    /// Writes a policy into the administrator's directory that forces one key of `org.example.App`.
    func force(_ name: String, _ value: Int, more: String = "", place: String = "etc") throws {
        let policy = """
            { "Identifier": "edu.example.\(name.split(separator: ".")[0].filter(\.isLetter))", \(more)
              "Forced": { "org.example.App": { "Level": \(value) } } }
            """
        try write("/\(place)/managed-defaults/policies.d/\(name)", policy)
    }

    /// Reads policy, as any program does.
    func load() -> PolicySet { PolicyStore(root: root).load() }

    /// Records policy, as `policy apply` does; two listings need not lie as far apart.
    @discardableResult
    func apply(
        retaining limit: Int = 20, report: ([PolicyChange]) -> Bool = { _ in true }
    ) -> ApplyResult {
        PolicyStore(root: root, settlingTime: 1_000).apply(retaining: limit, report: report)
    }

    /// A user of the machine.
    func subject(_ name: String = "alice", host: String? = nil) throws -> Subject {
        let accounts = AccountDatabase(root: root)
        let account = try #require(accounts.account(named: name))
        let groups = accounts.groups(of: account)
        let names = groups.compactMap { accounts.groupName($0) }
        let host = host.flatMap { HostName($0) } ?? Machine.hostName(root: root)
        return Subject(
            userName: account.name, uid: account.uid, gid: account.gid, groups: groups, groupNames: names,
            home: account.home, host: host, tags: load().tags ?? [],
            moment: Moment(time: Clock.now(), zones: ZoneDatabase(root: root)))
    }

    /// What a loaded set forces for `Level` of `org.example.App`.
    func level(in set: PolicySet? = nil, user: String = "alice") throws -> Value? {
        let set = set ?? load()
        return set.resolve(for: try subject(user)).forcedEntry(domain: "org.example.App", key: "Level")?.value
    }
}
