import MDAuditClient
package import MDPlatform
package import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPrograms
package import MDPropertyList

/// The domains that a machine's programs are known to read: those that policy is written for, those with a manifest or an
/// installed schema, and those that a program opened since the boot.
///
/// Each source is read when it is first needed, because most domains are in the first one.
package final class KnownDomains {
    /// The machine; `nil` for files of an unknown machine.
    private let root: Root?
    /// What programs opened; `nil` if that is unknown.
    private lazy var opened = root.flatMap { root in
        (try? OpenedDomain.all(root: root)).map { Set($0.map(\.domain)) }
    }
    private lazy var described = root.map { Set(ManifestSet(root: $0).domains) } ?? []
    private lazy var schemas = root.map { InstalledSchemas(root: $0) }
    /// The names that may be meant, besides those of programs that policy is written for.
    private lazy var others =
        described.union(opened ?? []).sorted().map(\.string) + (schemas?.names.sorted { Key($0) < Key($1) } ?? [])
    /// The well-known names.
    private let catalog = ProgramCatalog.all.flatMap(\.domains).map(\.string)
    /// How many more names are compared with the known ones: each takes up to a millisecond.
    private var searches = 1_000

    package init(root: Root?) {
        self.root = root
    }

    /// Why probably no program reads a domain; `nil` if one does, or if that is unknown.
    ///
    /// What a program opened may be an error of the program or of its user, so it says nothing of names that differ a
    /// little from a well-known one.
    package func doubt(about domain: Key) -> DomainDoubt? {
        if domain == DomainName.global || domain == CommonSettings.domain { return nil }
        if !ProgramCatalog.programs(taking: domain).isEmpty { return nil }
        searches -= 1
        let isSearched = searches >= 0
        if isSearched, let near = Suggestion.domain(near: domain.string, among: catalog, tolerance: 2) {
            return .misspelt(near)
        }
        if opened?.contains(domain) == true || described.contains(domain) { return nil }
        if schemas?.has(domain) == true { return nil }
        if isSearched, let near = Suggestion.domain(near: domain.string, among: others, tolerance: 3) {
            return .misspelt(near)
        }
        // Nothing is said of what was not looked at.
        return opened?.isEmpty == false ? .unheard : nil
    }
}
