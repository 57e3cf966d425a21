import Platform

/// Refuses words that are no text.
enum ArgumentText {
    /// Refuses a command line that is not valid UTF-8.
    ///
    /// Swift puts U+FFFD in the place of what is no text, so that a key would be written under another name.
    static func check() throws(Failure) {
        guard CurrentProcess.areArgumentsText else {
            throw .usage("The command line has bytes that are not valid UTF-8.")
        }
    }
}
