import Foundation
import Testing

/// A page of the documents: README, the pages of both catalogs, of the examples and of the ready sets.
struct DocumentPage: Sendable, CustomTestStringConvertible {
    /// Its path in the repository.
    let path: String
    /// Its lines.
    let lines: [String]

    var testDescription: String { path }

    /// Reads a page.
    init(_ path: String) throws {
        self.path = path
        lines = try String(contentsOfFile: "\(Lab.repository)/\(path)", encoding: .utf8).components(separatedBy: "\n")
    }

    /// All pages, sorted by path.
    static func all() throws -> [DocumentPage] {
        var paths = ["README.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md", "Policies/README.md"]
        for folder in ["Examples", "Policies"] { paths += names(in: folder).map { "\(folder)/\($0)/README.md" } }
        for catalog in ["Commands/mdefaults/mdefaults", "Defaults/ManagedDefaults/ManagedDefaults"] {
            let folder = "Sources/\(catalog).docc"
            paths += names(in: folder).filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
        }
        return try Set(paths).filter { exists($0) }.sorted().map { try DocumentPage($0) }
    }

    /// Whether the repository has a file or folder.
    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(Lab.repository)/\(path)")
    }

    /// The names in a folder of the repository.
    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(Lab.repository)/\(folder)")) ?? []
    }

    /// Fails a test at a line, from 1.
    func fail(_ line: Int, _ message: String) {
        let place = SourceLocation(
            fileID: "MDCommandLineTests/\(path)", filePath: "\(Lab.repository)/\(path)", line: line, column: 1)
        Issue.record("\(path):\(line): \(message)", sourceLocation: place)
    }
}
