import Foundation

/// A driver under the name of the rows' application, which is its domain.
final class Installation: Sendable {
    /// The folder of the program.
    private let folder: String

    /// The program.
    var program: String { folder + "/Conformance" }

    /// Puts a driver into a folder of its own.
    ///
    /// - Parameter driver: the driver.
    /// - Throws: where it cannot be put there.
    init(_ driver: String) throws {
        folder = NSTemporaryDirectory() + "conformance-program-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        guard link(driver, program) != 0 else { return }
        // Another file system, or another owner. Written by a process of its own: a descriptor of this one would be
        // inherited by programs that other threads start meanwhile, and a program that is open for writing does not start.
        let copy = try Conversation(["/bin/cp", driver, program], environment: [:], errors: folder + "/errors")
        guard copy.finish() == 0 else { throw Drivers.Absence(description: "\(driver) could not be copied.") }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }
}
