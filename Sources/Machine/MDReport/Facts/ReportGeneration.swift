package import MDPlatform
import MDPolicyAdministration
import MDPolicyModel
import MDPropertyList

/// A generation of the policy directory that was recorded in the period of a report.
package struct ReportGeneration: Sendable {
    /// The number by which `policy history` and `policy rollback` know it.
    package let number: Int
    /// When it was recorded.
    package let time: Timestamp
    /// The user that recorded it, and the user that had logged in if that is another one.
    package let who: String
    /// Why.
    package let reason: String
    /// The names that came, changed or went, in words.
    package let changes: [String]

    /// Reads the generations of a period, oldest first.
    ///
    /// - Parameters:
    ///   - root: the machine.
    ///   - accounts: its users.
    ///   - since: the earliest time; `nil` for all.
    ///   - until: the latest time; `nil` for all.
    /// - Returns: the generations, and a sentence for each that cannot be read.
    static func all(
        of root: Root, _ accounts: AccountDatabase, since: Timestamp?, until: Timestamp?
    ) -> (generations: [ReportGeneration], limits: [String]) {
        let store = GenerationStore(root: root)
        var (generations, limits): ([ReportGeneration], [String]) = ([], [])
        if let failure = store.failure { limits.append("The generations of policy cannot be read: \(failure).") }
        for number in store.numbers {
            do throws(StoredFileError) {
                let generation = try store.generation(number)
                if let since, generation.time < since { continue }
                if let until, generation.time > until { continue }
                generations.append(ReportGeneration(generation, accounts))
            } catch {
                limits.append("What generation \(number) of policy was is not known: \(error.description).")
            }
        }
        return (generations, limits)
    }

    private init(_ generation: Generation, _ accounts: AccountDatabase) {
        number = generation.number
        time = generation.time
        reason = generation.note
        /// The name of a user.
        func name(_ uid: UInt32) -> String { accounts.name(of: uid, at: generation.time) ?? "uid \(uid)" }
        let login = generation.loginUID.flatMap { $0 == generation.uid ? nil : "/" + name($0) }
        who = name(generation.uid) + (login ?? "")
        changes = generation.changes.map { "\($0.kind.rawValue) \($0.name.string)" }
    }
}
