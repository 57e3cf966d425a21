import Foundation
import MDTestSupport

/// A kept session at a shell: commands with what they print and how they end.
///
/// A line that begins with `$ ` is a command, in which `defaults` is `mdefaults --root LAB --user USER`. Below it stand
/// its standard output, its standard error behind `! `, and its exit code behind `? ` where that is not 0. Lines that
/// begin with `# ` are remarks; `# user NAME` sets the user of what follows.
struct Transcript {
    /// The machine on which the commands run.
    private let lab: Lab
    /// The user who types.
    private var user = "bob"

    /// Begins a session.
    init(in lab: Lab) {
        self.lab = lab
    }

    /// Plays the commands of a session.
    ///
    /// - Parameter text: the kept session; what it says of the outputs does not count.
    /// - Returns: the session as it is now.
    /// - Throws: where a shell does not start or end.
    mutating func play(_ text: String) throws -> String {
        var result = ""
        for line in text.components(separatedBy: "\n") {
            if line.hasPrefix("# ") {
                if line.hasPrefix("# user ") { user = String(line.dropFirst(7)) }
                result += (result.isEmpty ? "" : "\n") + line + "\n"
            } else if line.hasPrefix("$ ") {
                result += line + "\n" + (try answer(to: String(line.dropFirst(2))))
            }
        }
        return result
    }

    /// Runs a command and writes down what became of it; `LAB` stands for the machine's folder, `FOLDER` for the one
    /// around it.
    func answer(to command: String) throws -> String {
        let run = try ShellScript.run(command, in: lab, as: user)
        var text = run.output
        if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
        for line in run.error.components(separatedBy: "\n").dropLast(run.error.hasSuffix("\n") ? 1 : 0)
        where !run.error.isEmpty {
            text += "! \(line)\n"
        }
        if run.code != 0 { text += "? \(run.code)\n" }
        return text.replacingOccurrences(of: lab.path, with: "LAB").replacingOccurrences(of: lab.folder, with: "FOLDER")
    }
}
