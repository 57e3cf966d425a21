package import Platform
import Policy
package import PropertyList

extension HostFacts {
    /// The facts of a machine.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - people: the users to tell about.
    package convenience init(of machine: PolicyMachine, users people: [Account]) {
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
            users: people,
            groups: groups)
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
            if user.isOfDirectory {
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
        json.endObject()
        return json
    }
}

extension AccountGroup {
    /// Whether the group lists a user, compared as bytes.
    fileprivate func holds(_ user: String) -> Bool {
        members.contains { $0.utf8.elementsEqual(user.utf8) }
    }
}
