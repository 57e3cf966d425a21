import Foundation

/// The library that the table is run against.
package enum Subject: String, Sendable, CaseIterable {
    /// The class ManagedDefaults.
    case managed
    /// The subclass of Foundation's UserDefaults.
    case subclass
    /// Foundation's UserDefaults on Linux.
    case foundation
    /// GNUstep's NSUserDefaults.
    case gnustep

    /// The name in tables.
    package var title: String {
        switch self {
        case .managed: "ManagedDefaults"
        case .subclass: "ManagedDefaultsFoundation"
        case .foundation: "Foundation.UserDefaults"
        case .gnustep: "GNUstep NSUserDefaults"
        }
    }

    /// Whether it is this package's own: every row must pass then, and no wait may depend on a busy machine.
    package var isOurs: Bool {
        self == .managed || self == .subclass
    }
}

/// A driver under the name of the rows' application, which is its domain.
final class Installation: Sendable {
    /// The folder of the program.
    private let folder: String

    /// The program.
    var program: String { folder + "/Conformance" }

    /// Puts a driver into a folder of its own.
    ///
    /// - Parameter driver: the driver.
    /// - Throws: if it cannot be put there.
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

/// The place of the drivers.
package struct Drivers: Sendable {
    /// Why there is no driver.
    package struct Absence: Error, CustomStringConvertible {
        /// A sentence.
        package let description: String
    }

    /// The folder of the built programs.
    private let folder: String

    /// Names the folder of the built programs.
    package init(folder: String) {
        self.folder = folder
    }

    /// Beside the program that runs, which `swift build` put there.
    package static let besideThisProgram: Drivers = {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return Drivers(folder: (path as NSString).deletingLastPathComponent)
    }()

    /// The driver of a subject; GNUstep's is built if that is possible.
    ///
    /// - Parameter subject: the subject.
    /// - Returns: the driver's path.
    /// - Throws: ``Absence`` if it does not exist or cannot be built.
    package func path(of subject: Subject) throws -> String {
        let path = "\(folder)/conformance-\(subject.rawValue)"
        if subject == .gnustep { try buildGNUstep(path) }
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Absence(description: "\(path) is missing: swift build makes it.")
        }
        return path
    }

    /// Builds the Objective-C driver with the system's compiler.
    private func buildGNUstep(_ path: String) throws {
        let script = String(Table.folder.dropLast("Rows".count)) + "GNUstep/build"
        let environment = ProcessInfo.processInfo.environment
        let build = try Conversation([script, path], environment: environment, errors: path + ".errors")
        switch build.finish() {
        case 0: return
        case 77:
            throw Absence(description: "gobjc and libgnustep-base-dev are not installed")
        default:
            let text = (try? String(contentsOfFile: path + ".errors", encoding: .utf8)) ?? ""
            throw Absence(description: "The GNUstep driver does not build: \(text)")
        }
    }
}
