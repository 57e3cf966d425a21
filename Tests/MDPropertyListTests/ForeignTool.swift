import Foundation
import MDTestSupport

/// A program of another project that the codecs are compared with.
enum ForeignTool {
    /// Python 3, or `nil`.
    static let python3 = find("python3", in: searchPath)

    /// The property list tool of the Swift toolchain, or `nil`; GNUstep's of the same name is another program.
    static let plutil: String? = {
        guard let swift = find("swift", in: searchPath) else { return nil }
        let folder = URL(fileURLWithPath: swift).resolvingSymlinksInPath().deletingLastPathComponent()
        return find("plutil", in: [folder.path])
    }()

    /// GNUstep's program that writes a property list in another encoding, or `nil`.
    static let plser = find("plser", in: searchPath)

    /// The folders in which programs are.
    private static let searchPath = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        .map(String.init)

    /// The path of a program.
    private static func find(_ name: String, in folders: [String]) -> String? {
        folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program and gives its exit status and what it printed.
    static func run(_ path: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let run = try SpawnedProgram.run(path, arguments)
        return (run.code, run.output + run.error)
    }

    /// Gives a folder of its own to a test, and removes it afterwards.
    static func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = try TemporaryFolder()
        return try withExtendedLifetime(folder) { try body(folder.url("")) }
    }
}
