import MDPlatform
import MDPolicyAdministration
import MDPolicyModel
import MDTools

extension Doctor {
    /// The unit that puts exams and grants into `/run` again after a boot.
    private static let resuming = "managed-defaults-temporary.service"

    /// Whether `/run` has the exams and grants that outlast a boot, and will have them after the next one; no check if
    /// there are none.
    var temporary: [Check] {
        let shown = Printable.escape(root.display(StorePath.temporary))
        let (names, unequal): ([String], [String])
        do throws(TrustError) {
            (names, unequal) = try TemporaryPolicyStore(root: root).lasting()
        } catch {
            return [
                Check(
                    "temporary", false, subject: shown, Doctor.sentence(Printable.escape(error.description)),
                    remedy:
                        "Make \(writer) the owner of \(shown), and take the right to write away from everybody else.")
            ]
        }
        if names.isEmpty { return [] }
        let count = Plural.count(names.count, "file")
        guard unequal.isEmpty else {
            let list = unequal.map { Printable.escape($0) }.joined(separator: ", ")
            return [
                Check(
                    "temporary", false,
                    "Of the exams and grants that outlast a boot /run does not have \(list): in force by the record, but not"
                        + " for programs of earlier versions.",
                    remedy: "Run mdefaults policy exam resume as \(writer).",
                    command: mdefaults("policy", "exam", "resume"))
            ]
        }
        let kept = "/run has the \(count) of exams and grants that outlast a boot"
        // As sd_booted(3) has it.
        guard exists("/run/systemd/system") else { return [Check("temporary", true, "\(kept).")] }
        let path = Doctor.folders.lazy.map { "\($0)/\(Doctor.resuming)" }.first { exists($0) }
        var reason: String?
        if let path {
            reason =
                isMask(path) ? "is masked" : isWanted(Doctor.resuming, by: "multi-user.target") ? nil : "is not enabled"
        } else {
            reason = "is not installed"
        }
        guard let reason else { return [Check("temporary", true, "\(kept), and the next boot brings them back.")] }
        return [
            Check(
                "temporary", false,
                "\(Doctor.resuming) \(reason): after a boot, exams and grants are in force by the record, but not for"
                    + " programs of earlier versions until mdefaults policy apply.",
                remedy: reason == "is not installed"
                    ? "Install the units that come with mdefaults, then: systemctl enable \(Doctor.resuming)"
                    : "systemctl unmask \(Doctor.resuming); systemctl enable \(Doctor.resuming)")
        ]
    }
}
