package import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyModel

/// Whether the clock of a machine is earlier than the newest time that the machine has recorded.
package enum ClockFault {
    /// What is wrong and its consequence, in a sentence; `nil` if the clock is not behind.
    package static func sentence(on machine: PolicyInForce) -> String? {
        let floor = TimeFloor(root: machine.root)
        guard floor.isAhead, let newest = floor.time else { return nil }
        return "The clock is earlier than \(machine.moment.words(for: newest)), when something was recorded here: "
            + "NotBefore counts as reached, and waivers and grants as ended."
    }
}
