import MDCare
import MDEngine
import MDPlatform
import MDPolicyStore
import MDPrograms

/// What `programs enable` and `programs disable` do.
enum ProgramSessions {
    /// Turns each user's policy in programs on or off for login sessions.
    static func set(_ isEnabled: Bool, _ context: Context) throws(Failure) -> ExitCode {
        let root = try context.root()
        try PolicyWriting.requirePermission(
            for: PolicyStore(root: root), to: "change what login sessions get")
        let stack = LoginStack(root: root)
        if isEnabled, root.isSystem, !stack.isInPlace, let obstacle = stack.obstacle {
            throw Failure(code: .no, message: obstacle)
        }
        do {
            // Sessions that begin in between get what they would have got before.
            var isChanged = LoginInstances.areEnabled(in: root) != isEnabled
            if !isEnabled, try stack.change(enabling: false) { isChanged = true }
            try LoginInstances.setEnabled(isEnabled, in: root)
            let result = try MachinePrograms(machine: try context.machine(saying: false)).write()
            for change in result.changes {
                try context.console.line(
                    Printable.escape("\(root.display(change.path)): \(change.program): \(change.note)"))
            }
            for finding in result.findings where finding.kind == .failed {
                context.console.say(ProgramsText.sentence(finding, in: root))
            }
            if isEnabled {
                if try stack.change(enabling: true) { isChanged = true }
            } else {
                for program in ProgramCatalog.all { try InstanceFolder(of: program, in: root)?.removeAll() }
                try LoginInstances.removeHome(in: root)
            }
            try context.console.line(sentence(isEnabled, isChanged: isChanged || !result.changes.isEmpty))
            return result.isUnfinished ? .inputOutput : .success
        } catch let error as Failure {
            throw error
        } catch {
            throw Failure(code: .inputOutput, message: "\(error)")
        }
    }

    private static func sentence(_ isEnabled: Bool, isChanged: Bool) -> String {
        switch (isEnabled, isChanged) {
        case (true, true): "Each session that begins from now on gets its user's policy."
        case (true, false): "Sessions get their users' policy already."
        case (false, true): "Each session that begins from now on gets the machine's policy."
        case (false, false): "Sessions get the machine's policy already."
        }
    }
}
