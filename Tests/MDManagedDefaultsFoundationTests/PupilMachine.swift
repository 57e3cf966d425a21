import Foundation
import MDTestSupport
import ManagedDefaults
import ManagedDefaultsFoundation

/// A machine with one user, `pupil`, and one application.
extension TemporaryMachine {
    /// The application's domain.
    static let application = "org.example.Browser"

    /// Makes a machine with what is forced, in JSON.
    convenience init(forced: String = "{}") throws {
        try self.init(.pupil)
        try force(forced)
    }

    /// Says what is forced.
    func force(_ forced: String) throws {
        try policy("10-test.json", #"{ "Identifier": "org.example.lab", "Forced": \#(forced) }"#)
    }

    /// The application's defaults.
    func managed(arguments: [String] = []) throws -> ManagedDefaults {
        try ManagedDefaults(root: path, user: "pupil", application: TemporaryMachine.application, arguments: arguments)
    }

    /// The application's defaults as Foundation's.
    func open(arguments: [String] = []) throws -> ManagedUserDefaults {
        ManagedUserDefaults(try managed(arguments: arguments))
    }
}
