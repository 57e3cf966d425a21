import MDPlatform

/// How to begin on a machine without policy.
enum Beginning {
    /// Sentences with the first commands.
    static func lines(_ context: Context) -> [String] {
        let root = context.options.root.map { " --root \(Printable.escape($0))" } ?? ""
        return [
            "This machine has no policy yet. To begin:",
            "  mdefaults demo FOLDER                        a school's machine in a folder, to look around",
            "  mdefaults policy new 10-first.json           a first policy file, to edit",
            "  mdefaults\(root) policy install 10-first.json   shows what changes for whom, and puts it in place",
        ]
    }
}
