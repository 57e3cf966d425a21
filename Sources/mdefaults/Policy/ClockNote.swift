import Engine
import Platform
import Policy

/// What is said where the clock is earlier than what the machine has recorded.
enum ClockNote {
    /// A sentence, where somebody asked and the clock is behind; `nil` otherwise.
    ///
    /// Policy that no time changes never asks.
    static func sentence(_ machine: PolicyMachine) -> String? {
        guard let newest = machine.moment.clockCatchesUp else { return nil }
        return "The clock is earlier than \(Printable.escape(machine.moment.words(for: newest))), when something was "
            + "recorded here: NotBefore counts as reached, waivers and grants as ended. mdefaults doctor says what to do."
    }
}
