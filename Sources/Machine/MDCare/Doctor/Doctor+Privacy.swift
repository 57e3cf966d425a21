import MDAuditRecord
import MDPlatform
import MDPolicyModel
import MDPolicyStore

extension Doctor {
    /// Whether records have pseudonyms in place of people as the administrator says; no check without a file that says so.
    var privacy: [Check] {
        let shown = Printable.escape(root.display(PrivacyMode.path))
        let key = Printable.escape(root.display(PseudonymKey.path))
        switch PrivacyMode(of: root) {
        case .open: return []
        case .unknown(let reason, let remedy):
            return [
                Check(
                    "privacy", false,
                    "\(shown) cannot be used, and records have pseudonyms in place of people: \(Printable.escape(reason)).",
                    remedy: Printable.escape(remedy))
            ]
        case .pseudonymous: break
        }
        if let status = try? root.status(PrivacyMode.path, followingLinks: true), status.mode & 0o004 == 0 {
            return [
                Check(
                    "privacy", false,
                    "Records have pseudonyms in place of people, and only some users can read \(shown).",
                    remedy: "Let everybody read it: the audit service does not run as root.")
            ]
        }
        guard PolicyStore(root: root).mayWrite, (try? root.status(PseudonymKey.path, followingLinks: false)) != nil,
            PseudonymKey(reading: root) == nil
        else { return [Check("privacy", true, "Records have pseudonyms in place of people, as \(shown) says.")] }
        return [
            Check(
                "privacy", false,
                "\(key) is no key of pseudonyms that only its owner can read, and people are left out of records.",
                remedy:
                    "Remove it: a new one is made with the next record, and earlier pseudonyms cannot be resolved any more."
            )
        ]
    }
}
