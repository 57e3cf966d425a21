package import Platform
package import PropertyList

/// What policy asks about a host that is not this one: its name, its tags, its zone, and who is in which group there.
///
/// `mdefaults policy facts` writes them on the host, and `--facts` reads them anywhere. The file is JSON with comments:
/// `{"Host","Tags":[…],"TimeZone","Users":{NAME:{"UID","Groups":[…],"Home","Directory"}},"Groups":{NAME:GID}}`. Of a user's groups
/// the first is the primary one.
///
/// A class, because few ask for another host and everybody carries along that nobody did.
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

    /// Makes facts.
    package init(host: HostName, tags: Set<Key>, timeZone: Key?, users: [Account], groups: [AccountGroup]) {
        self.host = host
        self.tags = tags
        self.timeZone = timeZone
        self.users = users
        self.groups = groups
    }
}
