import Audit
import Platform
package import Policy
import Preferences
package import PropertyList

extension UserSession {
    /// The entries of a domain that are to be set once when an application opens it next, and were not yet.
    ///
    /// Whoever reads is shown what the application would get; nothing is written. Marks that cannot be read count as none.
    package func pendingSetOnce(of domain: Key) -> [Key: ResolvedEntry] {
        guard resultant.setOnce[domain]?.isEmpty == false, machine.facts == nil else { return [:] }
        return resultant.pendingSetOnce(of: domain, marks: (try? setOnceFile.marks()) ?? [])
    }

    /// Writes what is to be set once in a domain, before somebody writes there: what they write comes later.
    ///
    /// - Returns: why it could not be done, in a sentence, or `nil`; and the damaged files that were set aside.
    func storeSetOnce(of domain: Key) -> (problem: String?, damaged: [DamagedFile]) {
        guard resultant.setOnce[domain]?.isEmpty == false else { return (nil, []) }
        var damaged: [DamagedFile] = []
        let result = setOnceFile.apply(domain, resultant) { (values) throws(PreferencesError) in
            damaged += try preferences.modify(domain, host: .anyHost) { _ in values.mapValues(Optional.some) }.damaged
        } record: { entry, mark in
            var record = AuditRecord(setOnce: entry, mark)
            record.stamp(with: account)
            _ = reporter.report(record)
        }
        guard case .failed(_, let reason) = result else { return (nil, damaged) }
        return (DefaultsStore.setOnceSentence(domain, reason), damaged)
    }
}
