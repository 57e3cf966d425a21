import Platform
import PropertyList

/// The zones of windows: in a user namespace anybody can show other rules than the machine's.
extension PolicyTable {
    /// The digests of the zones that windows of policy have.
    ///
    /// - Parameters:
    ///   - policies: the policy.
    ///   - root: the root whose zones they are.
    /// - Returns: the digest of each zone that can be read; the machine's own zone stands under an empty name.
    /// - Complexity: reads one file for each zone.
    static func zones(of policies: [PolicyFile], root: Root) -> [Key: Digest] {
        var names: Set<Key> = []
        for policy in policies {
            for case .window(let window) in policy.target?.schedule ?? [] { names.insert(window.timeZone ?? Key("")) }
            for window in policy.calendars.lazy.flatMap(\.windows) { names.insert(window.timeZone ?? Key("")) }
        }
        if names.isEmpty { return [:] }
        let database = ZoneDatabase(root: root)
        var result: [Key: Digest] = [:]
        for name in names { result[name] = database.digest(of: name.string.isEmpty ? nil : name.string) }
        return result
    }
}
