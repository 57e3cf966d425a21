package import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
package import MDPropertyList

/// What policy asks about a host that is not this one: its name, its tags, its zone, and the members of its groups.
///
/// `mdefaults policy facts` writes them on the host, and `--facts` reads them anywhere. The file is JSON with comments:
/// `{"Host","Tags":[…],"TimeZone","Users":{NAME:{"UID","Groups":[…],"Home","Directory"}},"Groups":{NAME:GID},
/// "Policy":[{"Name","Identifier","SHA256","Temporary","Fleet"}]}`. Of a user's groups the first is the primary one.
///
/// A class, because most questions are about this host and then carry one word.
package final class HostFacts: Sendable {
    /// The name of the host.
    package let host: HostName
    /// The words of its tags file.
    package let tags: Set<Key>
    /// Its own time zone; `nil` is that of this machine.
    package let timeZone: Key?
    /// Its users.
    package let users: [Account]
    /// Its groups, with those who are in them beside those whose primary group they are.
    package let groups: [AccountGroup]
    /// The policy files in force there, in their order; `nil` if that is not said.
    package let policy: [FileInForce]?

    /// A policy file that is in force on a host.
    package struct FileInForce: Hashable, Sendable {
        /// The name in its policy directory.
        package let name: Key
        /// The identifier that it gives itself.
        package let identifier: String
        /// The digest of its content.
        package let digest: Digest
        /// Whether it is policy until the next boot.
        package let isTemporary: Bool
        /// Whether its fleet put it there.
        package let isOfFleet: Bool

        package init(name: Key, identifier: String, digest: Digest, isTemporary: Bool = false, isOfFleet: Bool = false)
        {
            (self.name, self.identifier, self.digest) = (name, identifier, digest)
            (self.isTemporary, self.isOfFleet) = (isTemporary, isOfFleet)
        }

        /// The path on its host.
        package var path: String { (isTemporary ? PolicyDirectory.run : .etc).path(name.string) }
    }

    /// Makes facts.
    package init(
        host: HostName, tags: Set<Key>, timeZone: Key?, users: [Account], groups: [AccountGroup],
        policy: [FileInForce]? = nil
    ) {
        self.policy = policy
        self.host = host
        self.tags = tags
        self.timeZone = timeZone
        self.users = users
        self.groups = groups
    }
}

/// An error in a facts file, and its place.
package struct HostFactsError: Error, Sendable, Hashable {
    /// The place in the file.
    package let position: Position
    /// What is wrong, without place and without a full stop.
    package let message: String

    /// Makes an error.
    init(_ message: String, at position: Position) {
        self.position = position
        self.message = message
    }
}

extension HostFacts {
    /// The facts of a machine.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - people: the users that the facts contain.
    ///   - fleet: the names of policy files that the machine's fleet put there.
    package convenience init(of machine: PolicyInForce, users people: [Account], fleet: Set<Key> = []) {
        var members: [UInt32: [String]] = [:]
        var ids: [UInt32] = []
        for account in people {
            let subject = machine.subject(for: account)
            if !ids.contains(account.gid) { ids.append(account.gid) }
            for gid in subject.groups where gid != account.gid {
                if !ids.contains(gid) { ids.append(gid) }
                members[gid, default: []].append(account.name)
            }
        }
        let groups = ids.map { gid in
            AccountGroup(name: machine.groupName(gid) ?? String(gid), gid: gid, members: members[gid] ?? [])
        }
        self.init(
            host: machine.host, tags: machine.tags ?? [], timeZone: machine.moment.zones.localName.map { Key($0) },
            users: people.map { account in
                // Programs there know name and home of who is in the register of people.
                var account = account
                if PeopleRegister.person(of: account.uid, in: machine.root) != nil { account.isFromNameService = false }
                return account
            }, groups: groups,
            // While not all of policy is known, its files are not said to be all that is in force.
            policy: machine.knowledge.failure == nil ? HostFacts.files(of: machine.policies, fleet) : nil)
    }

    /// The files in force of a policy.
    private static func files(of policies: PolicySet, _ fleet: Set<Key>) -> [FileInForce] {
        policies.files.compactMap { file in
            guard let policy = file.policy else { return nil }
            let isTemporary = file.path.utf8.starts(with: PolicyDirectory.run.home.utf8)
            return FileInForce(
                name: file.name, identifier: policy.identifier, digest: policy.digest, isTemporary: isTemporary,
                isOfFleet: !isTemporary && fleet.contains(file.name))
        }
    }

    /// The facts as the file that `--facts` reads.
    package var json: JSONWriter {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("Host", host.full)
        json.member("Tags")
        json.beginArray()
        for tag in tags.sorted() { json.string(tag.string) }
        json.endArray()
        if let timeZone { json.field("TimeZone", timeZone.string) }
        let names = Dictionary(groups.map { ($0.gid, $0.name) }) { first, _ in first }
        json.member("Users")
        json.beginObject()
        for user in users {
            json.member(user.name)
            json.beginObject()
            json.member("UID")
            json.integer(Int(user.uid))
            json.member("Groups")
            json.beginArray()
            json.string(names[user.gid] ?? String(user.gid))
            for group in groups where group.gid != user.gid && group.holds(user.name) {
                json.string(group.name)
            }
            json.endArray()
            json.field("Home", user.home)
            if user.isFromNameService {
                json.member("Directory")
                json.boolean(true)
            }
            json.endObject()
        }
        json.endObject()
        json.member("Groups")
        json.beginObject()
        for group in groups {
            json.member(group.name)
            json.integer(Int(group.gid))
        }
        json.endObject()
        writePolicy(to: &json)
        json.endObject()
        return json
    }

    /// Writes the files in force, if they are known.
    private func writePolicy(to json: inout JSONWriter) {
        guard let policy else { return }
        json.member("Policy")
        json.beginArray()
        for file in policy {
            json.beginObject()
            json.field("Name", file.name.string)
            json.field("Identifier", file.identifier)
            json.field("SHA256", file.digest.hex)
            if file.isTemporary { json.field("Temporary", true) }
            if file.isOfFleet { json.field("Fleet", true) }
            json.endObject()
        }
        json.endArray()
    }
}

extension AccountGroup {
    /// Whether the group lists a user, compared as bytes.
    fileprivate func holds(_ user: String) -> Bool {
        members.contains { $0.utf8.elementsEqual(user.utf8) }
    }
}
