import Platform

/// Refuses words that are no text.
enum ArgumentText {
    /// The most bytes of a command line; the kernel allows a quarter of the stack, 6 MiB at most.
    private static let limit = 8 << 20

    /// Refuses a command line that is not valid UTF-8.
    ///
    /// Swift puts U+FFFD in the place of what is no text, so that a key would be written under another name.
    static func check(_ arguments: ArraySlice<String>) throws(Failure) {
        // Without that character nothing was replaced.
        guard arguments.contains(where: { $0.unicodeScalars.contains("\u{fffd}") }) else { return }
        let bytes: [UInt8]
        do {
            bytes = try Root.system.read("/proc/self/cmdline", limit: limit).bytes
        } catch {
            throw .of(error)
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw .usage("The command line has bytes that are not valid UTF-8.")
        }
    }
}
