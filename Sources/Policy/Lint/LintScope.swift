/// What lint knows of the files that are in force beside those that it checks, and how it calls them all.
enum LintScope {
    /// All files of a machine.
    case machine
    /// Files that were named by their paths, or those of a folder: nobody knows which others are in force.
    case given
    /// Files that were named by their paths, with the rest of their folder.
    case folder

    /// Of whom is said that none of them does something: the beginning of a clause.
    var nobody: String {
        switch self {
        case .machine: "no file"
        case .given: "none of the files that are checked here"
        case .folder: "no file of this folder"
        }
    }

    /// One of them, of whom is said that it does not do something.
    var file: String {
        switch self {
        case .machine: "policy file"
        case .given: "file that is checked here"
        case .folder: "file of this folder"
        }
    }
}
