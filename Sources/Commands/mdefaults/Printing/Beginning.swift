import MDPlatform

/// How to begin on a machine without policy.
enum Beginning {
    /// Sentences with the first commands.
    static func lines(_ context: Context) -> [String] {
        let root = context.options.root.map { " --root \(Printable.escape($0))" } ?? ""
        let blanks = Layout.blanks(root.utf8.count)
        return [
            "This machine has no policy yet. To begin:",
            "  mdefaults demo FOLDER\(blanks)                   a school in a folder, to look around",
            "  mdefaults policy new 10-first.json\(blanks)      a first policy file, to edit",
            "  mdefaults\(root) policy install 10-first.json  shows what changes, and does it",
        ]
    }
}
