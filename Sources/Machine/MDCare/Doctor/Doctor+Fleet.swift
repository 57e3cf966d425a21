import MDEngine
import MDPlatform
import MDTools

extension Doctor {
    /// The file of a machine that is in a fleet.
    private static let fleet = "/etc/managed-defaults/fleet.json"
    /// After this time without an attempt nothing sends any more, in microseconds.
    private static let silence: Int64 = 3_600_000_000

    /// Whether the fleet's centre takes what this machine sends; no check on a machine in no fleet.
    var fleet: [Check] {
        guard root.mayExist(Doctor.fleet) else { return [] }
        guard let answer = FleetAnswer(of: root) else {
            return [
                Check(
                    "fleet", false, "This machine is in a fleet, and has sent nothing to its centre.",
                    remedy: "Run mdefaults fleet run as \(writer); it says what is in the way.",
                    command: mdefaults("fleet", "run"))
            ]
        }
        if root.isSystem, Clock.now().microseconds - answer.time.microseconds > Doctor.silence {
            return [
                Check(
                    "fleet", false, "Nothing was sent to the fleet's centre since \(answer.time.rfc3339).",
                    remedy: "Run mdefaults fleet run as \(writer), and find out why nothing runs it.",
                    command: mdefaults("fleet", "run"))
            ]
        }
        if let problem = answer.problem {
            return [
                Check(
                    "fleet", false, Doctor.sentence(problem),
                    remedy: "Run mdefaults fleet run as \(writer) once that is mended.")
            ]
        }
        let waits = answer.waiting == 0 ? "has the whole log" : "lacks \(Plural.count(answer.waiting, "record"))"
        return [Check("fleet", true, "The fleet's centre \(answer.centre) answers, and \(waits).")]
    }
}
