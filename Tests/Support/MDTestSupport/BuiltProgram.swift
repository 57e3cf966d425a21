package import Foundation

/// Where the build put programs, where this package lies, and where programs of the system are.
package enum BuiltProgram {
    /// The path of a program that lies beside the tests.
    package static func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// The folder of this package.
    package static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The path of a program of the system; `nil` if `PATH` has no program of this name.
    package static func installed(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
            .map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The folder of the bundle that runs.
    private static let folder: String = {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (bundle as NSString).deletingLastPathComponent
    }()
}
