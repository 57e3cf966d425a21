import MDEngine
import MDPlatform
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

extension Doctor {
    /// What directory services did not answer when policy was last recorded, and the names that therefore keep their ids; no
    /// check if there is nothing to say.
    var directoryServices: [Check] {
        guard root.isSystem else { return [] }
        let ledger = NameLedger(root: root)
        /// A sentence about the names that something is true of.
        func names(_ time: (NameLedger.Entry) -> Timestamp?) -> [(words: String, since: Timestamp)] {
            ledger.entries.sorted { $0.key < $1.key }.compactMap { name, entry in
                time(entry).map { ("\(name.kind.rawValue) \(Printable.escape(name.name.string))", $0) }
            }
        }
        let silent = names(\.silent)
        var checks = ledger.services.sorted { $0.key < $1.key }.map { service, since in
            Check(
                "directory", false, subject: Printable.escape(service.string),
                "The directory service \(Printable.escape(service.string)) does not answer since \(since.rfc3339): the names"
                    + " that it had keep the ids that are recorded, and those that it never answered match nobody.",
                remedy: "Look at the service: getent -s \(Printable.escape(service.string)) passwd NAME.")
        }
        if ledger.services.isEmpty, let first = silent.map(\.since).min() {
            checks.append(
                Check(
                    "directory", false,
                    "Since \(first.rfc3339) no directory service says anything that counts of these, which keep the ids that"
                        + " are recorded: \(Doctor.list(silent)).",
                    remedy: "Look at the services of /etc/nsswitch.conf. After a migration: mdefaults policy forget"
                        + " --directory."))
        }
        for name in names(\.missing) {
            checks.append(
                Check(
                    "directory", false, subject: name.words,
                    "The directory says since \(name.since.rfc3339) that there is no \(name.words); after 24 hours of the same"
                        + " answer the name matches nobody.",
                    remedy: "Correct the policy files; mdefaults policy forget --name NAME ends it at once."))
        }
        for name in names(\.changed) {
            checks.append(
                Check(
                    "directory", false, subject: name.words,
                    "The directory gives \(name.words) another id since \(name.since.rfc3339): for 24 hours what restricts"
                        + " applies to both ids, and what frees to neither.",
                    remedy: "If that is right: mdefaults policy forget --directory."))
        }
        return checks
    }

    /// Whether the register of people can be read and has the user; no check on a machine without rows.
    var people: [Check] {
        let shown = Printable.escape(root.display(PeopleRegister.path))
        let account = session.account
        let isMissing = account.isFromNameService && PeopleRegister.person(of: account.uid, in: root) == nil
        do throws(TrustError) {
            let count = try PeopleRegister(root: root).all().count { $0.until == nil }
            guard isMissing else {
                return [
                    Check(
                        "people", true, "The register of people names \(Plural.count(count, "person")) of directories.")
                ]
            }
        } catch {
            if !error.isMissing {
                return [
                    Check(
                        "people", false,
                        "The register of people names nobody, and ${user} and ${home} are unknown to people of directories:"
                            + " \(Printable.escape(error.description)).",
                        remedy: "As \(writer), run mdefaults policy apply, which makes \(shown) again.",
                        command: mdefaults("policy", "apply"))
                ]
            }
            guard isMissing else { return [] }
        }
        return [
            Check(
                "people", false,
                "Neither /etc/passwd nor \(shown) has the user \(account.uid), so ${user} and ${home} are unknown here, and"
                    + " records have the number.",
                remedy:
                    "As \(writer), run mdefaults policy apply while the user has a session and the directory answers.")
        ]
    }

    /// The most names in one sentence.
    private static let listed = 8

    /// Names with commas between them; of many, the first ones and the number of the others.
    private static func list(_ names: [(words: String, since: Timestamp)]) -> String {
        let more = names.count - listed
        return names.prefix(listed).map(\.words).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}
