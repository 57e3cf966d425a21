import MDCare
import MDEngine
import MDPlatform
import MDPrograms

/// What a verb that changes policy wrote or would write into other programs' files.
struct ProgramFiles {
    /// The machine.
    let root: Root
    /// Whether nothing was written.
    let isPreview: Bool
    /// What was done, or why nothing could be.
    let result: Result<MachinePrograms.Outcome, ProgramsError>

    /// Writes policy into the files of other programs.
    ///
    /// - Parameter machine: the machine, opened after policy changed.
    /// - Returns: what was written.
    static func write(on machine: PolicyInForce) -> ProgramFiles {
        let programs = MachinePrograms(machine: machine)
        return ProgramFiles(
            root: machine.root, isPreview: false,
            result: Result { () throws(ProgramsError) in try programs.write() })
    }

    /// Writes the policy that a machine has now into the files of other programs.
    static func write(on root: Root) -> ProgramFiles {
        write(on: PolicyMachine(root: root, expanding: .commonSettings(of: root)))
    }

    /// Finds what would be written into the files of other programs, and writes nothing.
    static func preview(on machine: PolicyInForce) -> ProgramFiles {
        let programs = MachinePrograms(machine: machine)
        return ProgramFiles(
            root: machine.root, isPreview: true,
            result: Result { () throws(ProgramsError) in try programs.preview() })
    }

    /// What was done; `nil` if nothing could be.
    var outcome: MachinePrograms.Outcome? { try? result.get() }

    /// Whether a file changed or would.
    var isChanged: Bool { outcome.map { !$0.changes.isEmpty } ?? false }

    /// Whether something could not be written.
    var isUnfinished: Bool { outcome.map(\.isUnfinished) ?? true }
}
