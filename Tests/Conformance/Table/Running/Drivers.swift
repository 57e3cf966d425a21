import Foundation

/// Where the drivers are.
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

    /// The driver of a subject; GNUstep's is built where that is possible.
    ///
    /// - Parameter subject: the subject.
    /// - Returns: the driver's path.
    /// - Throws: ``Absence`` where it does not exist or cannot be built.
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
            throw Absence(
                description: "Skipped: the compiler for Objective-C or GNUstep is not installed (in Debian gobjc and "
                    + "libgnustep-base-dev).")
        default:
            let text = (try? String(contentsOfFile: path + ".errors", encoding: .utf8)) ?? ""
            throw Absence(description: "The GNUstep driver does not build: \(text)")
        }
    }
}
