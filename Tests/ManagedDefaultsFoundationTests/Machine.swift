import Foundation
import ManagedDefaults
import ManagedDefaultsFoundation

/// A machine in a temporary folder with one user, `pupil`, and one application.
final class Machine {
    /// The folder.
    let path = NSTemporaryDirectory() + "managed-defaults-foundation-\(UUID().uuidString)"
    /// The application's domain.
    static let application = "org.example.Browser"

    /// Makes the folder with what is forced, in JSON.
    init(forced: String = "{}", arguments: [String] = []) throws {
        try write("pupil:x:\(geteuid()):\(getegid()):Pupil:/home/pupil:/bin/sh\n", to: "etc/passwd")
        try write("room1-pc01\n", to: "etc/hostname")
        try force(forced)
        try FileManager.default.createDirectory(atPath: path + "/home/pupil", withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file beneath the folder.
    func write(_ text: String, to file: String) throws {
        let target = URL(fileURLWithPath: path + "/" + file)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: target, options: .atomic)
    }

    /// Says what is forced.
    func force(_ forced: String) throws {
        try write(
            #"{ "Identifier": "org.example.lab", "Forced": \#(forced) }"#,
            to: "etc/managed-defaults/policies.d/10-test.json")
    }

    /// The application's defaults.
    func managed(arguments: [String] = []) throws -> ManagedDefaults {
        try ManagedDefaults(root: path, user: "pupil", application: Machine.application, arguments: arguments)
    }

    /// The application's defaults as Foundation's.
    func open(arguments: [String] = []) throws -> ManagedUserDefaults {
        ManagedUserDefaults(try managed(arguments: arguments))
    }
}
