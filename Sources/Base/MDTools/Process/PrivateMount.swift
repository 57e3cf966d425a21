import MDCPlatform
package import MDPlatform

/// What this process alone sees in the file system, and the processes that it starts.
package enum PrivateMount {
    /// Shows a directory in place of another one, until this process ends; only root may.
    ///
    /// - Parameters:
    ///   - directory: the directory.
    ///   - place: the path of the directory that it hides.
    /// - Throws: why it is not shown.
    package static func show(_ directory: String, at place: String) throws(SystemError) {
        for path in [directory, place] { try SystemCall.checkPath(path, "mount", shown: path) }
        // The strings outlive the call.
        try SystemCall.run("mount", place) { unsafe cplatform_show_directory(directory, place) }
    }
}
