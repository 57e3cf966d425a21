import MDCare
import MDEngine
import MDPlatform
import MDPrograms

/// What verbs that change policy do about the files of other programs.
extension ProgramFiles {
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
        write(on: PolicyMachine(root: root, expanding: .commonSettings(of: root)).policy())
    }

    /// Finds what would be written into the files of other programs, and writes nothing.
    static func preview(on machine: PolicyInForce) -> ProgramFiles {
        let programs = MachinePrograms(machine: machine)
        return ProgramFiles(
            root: machine.root, isPreview: true,
            result: Result { () throws(ProgramsError) in try programs.preview() })
    }
}
