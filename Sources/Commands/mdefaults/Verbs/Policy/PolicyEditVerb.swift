import MDPlatform
import MDPolicyAdministration
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList
import MDTools

/// `policy edit`: an editor on a policy file, which does not let a mistake through.
enum PolicyEditVerb: Verb {
    static let name = ["policy", "edit"]
    static let summary = "edit a policy file as visudo does, and put it in place"
    static let usage = ["policy edit NAME [--reason TEXT] [--yes]"]
    static var accepts: GlobalOptions.Kinds { [.root] }
    static let help = """
        Opens an editor on a copy of NAME of /etc/managed-defaults/policies.d, .json where NAME has no suffix, or on a
        first file where there is none. When the editor ends, the copy is checked: with a mistake in it, it says which
        one and opens the editor again. A sound copy goes its way through policy install: what changes for every user is
        shown, it asks, and one exchange of the directory puts it in place. Until then policy is as it was.

        The editor is that of SUDO_EDITOR, VISUAL or EDITOR, else editor or vi.

        --reason TEXT   why; it stands in policy history and in the audit log
        --yes           do not ask whether to put it in place

        exit codes: 0 in place, or nothing was edited; 1 left as it was; 2 wrong command line; 4 could not be done; 5 left
        as it was, with a mistake in the copy.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let reason = try arguments.option("--reason")
        let isAgreed = arguments.flag("--yes")
        let word = try arguments.next("the name of a policy file")
        try arguments.requireEnd()
        let name = PolicyFileName.kind(of: word) == nil ? "\(word).json" : word
        guard !name.utf8.contains(UInt8(ascii: "/")), PolicyFileName.reasonToIgnore(name) == nil else {
            throw .usage("\(Printable.escape(word)) is no name of a policy file in policies.d.", of: self)
        }
        let root = try PolicyWriting.root(context, to: "edit policy")
        let original = try content(of: name, in: root)
        let copy = try EditedCopy.make(
            original ?? Array(PolicyNewVerb.text(for: PolicyFileName.stem(of: name)).utf8), name)
        defer { copy.remove() }
        let command = editor()
        while true {
            let bytes = try copy.edit(with: command)
            if bytes == original {
                try context.console.line("\(Printable.escape(name)) is as it was.")
                return .success
            }
            let path = PolicyDirectory.etc.path(name)
            let errors = PolicyFile.parse(bytes: bytes, path: path, shownPath: name).diagnostics
                .filter { $0.severity == .error }
            guard errors.isEmpty else {
                context.console.sayPlain(errors.map { Printable.escape($0.description) })
                guard again(context) else { throw leaving(name, .badInput) }
                continue
            }
            let source = PolicyInput(name: name, bytes: bytes, shown: name)
            let note = "edit of \(name)" + (reason.map { ": \($0)" } ?? "")
            let rollout = PolicyRollout(source, note: note, isDryRun: false, isAgreed: isAgreed)
            do {
                return try rollout.run(context, for: self)
            } catch {
                guard error.code == .no else { throw error }
                context.console.say(error.message)
                guard again(context) else { throw leaving(name, .no) }
            }
        }
    }

    /// Asks whether to edit once more; no at the end of the input.
    private static func again(_ context: Context) -> Bool {
        guard let answer = context.console.ask("Edit again? [Y/n]") else { return false }
        return !["n", "no", "nein", "x"].contains(answer.lowercased())
    }

    private static func leaving(_ name: String, _ code: ExitCode) -> Failure {
        Failure(code: code, message: "\(Printable.escape(name)) is left as it was.")
    }

    /// What the file holds now; `nil` if there is none.
    private static func content(of name: String, in root: Root) throws(Failure) -> [UInt8]? {
        do throws(SystemError) {
            return try root.read(PolicyDirectory.etc.path(name), limit: PolicyFile.limits.bytes).bytes
        } catch {
            if error.isMissing { return nil }
            throw .of(error)
        }
    }

    /// The command of the editor.
    private static func editor() -> String {
        let names = ["SUDO_EDITOR", "VISUAL", "EDITOR"]
        let values = Environment.values(of: names)
        if let chosen = names.lazy.compactMap({ values[$0] }).first(where: { !$0.isEmpty }) { return chosen }
        return Root.system.mayExist("/usr/bin/editor") ? "/usr/bin/editor" : "vi"
    }
}

/// A copy of a policy file that only this user can read, for an editor.
private final class EditedCopy {
    private let folder: String
    private let path: String

    private init(folder: String, path: String) { (self.folder, self.path) = (folder, path) }

    /// Makes a copy.
    static func make(_ bytes: [UInt8], _ name: String) throws(Failure) -> EditedCopy {
        do throws(SystemError) {
            let folder = try PrivateFolder.make(named: "mdefaults-edit").path
            let path = "\(folder)/\(name)"
            try Root.system.replace(path, with: bytes, mode: 0o600, durable: false)
            return EditedCopy(folder: folder, path: path)
        } catch {
            throw .of(error)
        }
    }

    /// Runs the editor; returns what the copy holds then.
    func edit(with command: String) throws(Failure) -> [UInt8] {
        do throws(SystemError) {
            guard try TerminalProgram.run(command, [path]) == 0 else {
                throw SystemError(operation: "edit", path: path, code: 5, reason: "the editor \(command) failed")
            }
            return try Root.system.read(path, limit: PolicyFile.limits.bytes).bytes
        } catch {
            throw .of(error)
        }
    }

    /// Removes the copy and what the editor left beside it.
    func remove() {
        // A copy that stays is only this user's.
        try? Root.system.removeDirectoryWithFiles(folder)
    }
}
