import Engine
import Platform
import Policy
import PropertyList

extension Doctor {
    /// Whether the clock is later than everything that was recorded.
    var clock: Check {
        let floor = ClockFloor(root: root)
        guard floor.isAhead, let newest = floor.time else {
            return Check("clock", true, "The clock is later than everything that was recorded here.")
        }
        return Check(
            "clock", false,
            "The clock is earlier than \(session.machine.moment.words(for: newest)), when something was recorded here: "
                + "NotBefore counts as reached, and waivers and grants as ended.",
            remedy:
                "Set the clock. If it is right, and was ahead by mistake when that was recorded: mdefaults policy forget"
                + " --clock as \(writer).")
    }

    /// Whether every zone and calendar of a schedule is known; nothing where no schedule has to be told.
    var schedules: [Check] {
        session.resultant.problems.map { problem in
            let shown = root.display(problem.file)
            return Check(
                "schedule", false, subject: Printable.escape(shown),
                Doctor.sentence(Printable.escape("\(shown):\(problem.position): \(problem.message)")),
                remedy: "Install the time zones of the system (tzdata), or mend the name.")
        }
    }
}
