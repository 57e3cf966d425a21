import Engine
import Platform
import Policy
import PropertyList

extension JSONWriter {
    /// Writes the members that every listing of entries has: domain, key, value and origin.
    mutating func entry(_ entry: ResolvedEntry, in root: Root) {
        field("domain", entry.domain.string)
        field("key", entry.key.string)
        field("value", entry.value)
        origin(entry.origin, in: root)
        if entry.isLastGood { field("lastGood", true) }
    }

    /// Writes the member `losers`: value, level and origin of each entry that lost, the strongest first.
    mutating func losers(_ losers: [Loser], in root: Root) {
        member("losers")
        beginArray()
        for loser in losers {
            beginObject()
            field("level", loser.level.rawValue)
            field("value", loser.value)
            origin(loser.origin, in: root)
            endObject()
        }
        endArray()
    }

    /// Writes the origin of something that a layer holds: the policy entry's, or the file of a stored value.
    mutating func origin(_ origin: Origin?, orFile path: String?, in root: Root) {
        if let origin {
            self.origin(origin, in: root)
        } else if let path {
            member("origin")
            beginObject()
            field("file", path)
            endObject()
        }
    }
}
