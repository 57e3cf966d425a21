import MDPlatform
import MDPolicyAdministration
import MDPolicyModel
import MDPropertyList
import MDTools

extension Doctor {
    /// The unit of the socket.
    private static let socketUnit = "managed-defaults-delegate.socket"

    /// Whether the people that `delegates.json` names can do what it says; no check without the file.
    var delegates: [Check] {
        guard root.mayExist(Delegates.path) else { return [] }
        let delegates = Delegates(of: root)
        let shown = root.display(Delegates.path)
        if let finding = delegates.findings.first {
            let count = Plural.count(delegates.findings.count, "mistake")
            return [
                Check(
                    "delegates", false,
                    "\(shown) has \(count): \(finding.position): \(Printable.escape(finding.message)). What has one does not"
                        + " count.", remedy: "Mend what mdefaults policy lint names.")
            ]
        }
        let ids = DelegateAccess.ids(of: delegates, root)
        let unknown =
            (ids.users.filter { $0.value.freedID == nil }.keys.sorted()
            + ids.groups.filter { $0.value.freedID == nil }.keys.sorted()).map { Printable.escape($0.string) }
        if !unknown.isEmpty {
            return [
                Check(
                    "delegates", false,
                    "\(shown) names who has no certain id here, and is no delegate: \(unknown.joined(separator: ", ")).",
                    remedy: "Correct the names, or run mdefaults policy apply as \(writer) when the directory answers.")
            ]
        }
        let installed = Set(ExamSet.names(in: root))
        let missing = Set(delegates.entries.flatMap(\.sets).map(\.string)).subtracting(installed).sorted()
        if !missing.isEmpty {
            return [
                Check(
                    "delegates", false,
                    "\(shown) names sets that are not installed: \(missing.joined(separator: ", ")).",
                    remedy: "Install the sets, or correct their names.")
            ]
        }
        let count = Plural.count(delegates.entries.count, "delegation")
        guard root.isSystem else { return [Check("delegates", true, "\(shown) has \(count).")] }
        guard root.mayExist(DelegateRequest.socket) else {
            return [
                Check(
                    "delegates", false, "Nobody answers delegates: there is no \(DelegateRequest.socket).",
                    remedy: "systemctl enable --now \(Doctor.socketUnit)",
                    command: ["systemctl", "enable", "--now", Doctor.socketUnit])
            ]
        }
        let access = DelegateAccess.list(of: root)
        guard root.hasAccess(access, to: DelegateRequest.socket) else {
            return [
                Check(
                    "delegates", false,
                    "\(DelegateRequest.socket) does not have the access that \(shown) says: delegates cannot connect, or"
                        + " others can, who are refused.", remedy: "Run mdefaults policy apply as \(writer).",
                    command: mdefaults("policy", "apply"))
            ]
        }
        let people = [Plural.count(access.users.count, "user"), Plural.count(access.groups.count, "group")]
        return [
            Check("delegates", true, "\(shown) has \(count); \(people.joined(separator: " and ")) can connect.")
        ]
    }
}
