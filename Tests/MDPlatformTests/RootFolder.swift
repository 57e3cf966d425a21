import Foundation
import MDTestSupport

@testable import MDPlatform

/// The time after which a wait for a condition counts as hanging; far above any real wait, however busy the machine is.
enum TestLimit {
    static let seconds: Double = 600
}

/// A folder as a root directory.
extension TemporaryFolder {
    /// Makes a directory, with those above it, and gives the last one a mode.
    func directory(_ name: String, mode: mode_t = 0o755) throws { try makeDirectory(name, mode: mode) }

    /// Writes a file with this mode, with the directories above it.
    func file(_ name: String, _ text: String, mode: mode_t = 0o644) throws { try write(name, text, mode: mode) }

    /// The names in the folder, sorted.
    func names() -> [String] { names("") }

    /// The folder as a root.
    func root(_ resolution: PathResolution = .automatic) throws -> Root {
        try Root(directory: path, resolution: resolution)
    }
}
