import Foundation
import MDTestSupport

/// The Swift files of a module.
struct SourceTree {
    /// A file.
    struct File {
        /// Its path beneath the folder of modules.
        let path: String
        /// The folder of the module in which it is at any depth; empty for the module's own folder.
        let folder: String
        /// Its text without comments and texts.
        let code: String
        /// How many lines it has.
        let lines: Int
    }

    /// The module.
    let module: String
    /// Its files, sorted by path.
    let files: [File]

    /// The modules of all rooms, sorted by room and name.
    static func modules() throws -> [SourceTree] { try rooms().flatMap { try modules(in: "Sources/\($0)") } }

    /// The names of the rooms.
    static func rooms() throws -> [String] { try names(in: "Sources") }

    /// The modules in a folder of the package, sorted by name.
    static func modules(in folder: String) throws -> [SourceTree] {
        try names(in: folder).map { module in
            try SourceTree(
                module: module, folder: BuiltProgram.repository.appendingPathComponent("\(folder)/\(module)"))
        }.filter { !$0.files.isEmpty }
    }

    /// The names in a folder of the package, sorted.
    private static func names(in folder: String) throws -> [String] {
        let top = BuiltProgram.repository.appendingPathComponent(folder)
        return try FileManager.default.contentsOfDirectory(atPath: top.path).sorted()
    }

    /// Reads a module.
    init(module: String, folder: URL) throws {
        self.module = module
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        files = try names.filter { $0.hasSuffix(".swift") }.sorted().map { name in
            let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            let parts = name.split(separator: "/")
            return File(
                path: "\(module)/\(name)", folder: parts.count > 1 ? String(parts[0]) : "",
                code: SourceTree.noise?.stringByReplacingMatches(
                    in: text, range: NSRange(text.startIndex..., in: text), withTemplate: " ") ?? text,
                lines: text.utf8.reduce(0) { $0 + ($1 == 0x0a ? 1 : 0) })
        }
    }

    /// Texts and comments.
    private static let noise = expression(
        #"""
        "{3}(?:.|\n)*?"{3}|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*(?:.|\n)*?\*/
        """#)
    /// Declarations of types.
    private static let declaration = expression(
        #"^\s*(?:@\w+(?:\([^)]*\))?\s+)*"#
            + #"(?:(?:public|package|internal|private|fileprivate|final|indirect|nonisolated|@safe)\s+)*"#
            + #"(?:struct|class|enum|protocol|actor|typealias)\s+([A-Z]\w*)"#)
    /// Names that begin as those of types do.
    private static let word = expression(#"\b([A-Z]\w+)\b"#)

    /// A regular expression in which `^` means the begin of a line.
    private static func expression(_ pattern: String) -> NSRegularExpression? {
        try? NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
    }

    /// The folders of the module that use each other in a circle.
    ///
    /// A folder uses another one if a file of it names a type that only the other one declares. Extensions declare
    /// nothing, and files beside the folders count for none.
    var circles: [[String]] {
        var homes: [String: Set<String>] = [:]
        for file in files {
            for name in SourceTree.words(SourceTree.declaration, file.code) {
                homes[name, default: []].insert(file.folder)
            }
        }
        var uses: [String: Set<String>] = [:]
        for file in files where !file.folder.isEmpty {
            for name in SourceTree.words(SourceTree.word, file.code) {
                guard let home = homes[name], home.count == 1, let other = home.first, !other.isEmpty,
                    other != file.folder
                else { continue }
                uses[file.folder, default: []].insert(other)
            }
        }
        let reached = uses.keys.reduce(into: [:]) { $0[$1] = Graph.reached(from: $1, uses) }
        var found: Set<[String]> = []
        for (folder, others) in reached where others.contains(folder) {
            found.insert(others.filter { reached[$0]?.contains(folder) == true }.sorted())
        }
        return found.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// How many Swift files each folder has, at any depth.
    var counts: [String: Int] {
        files.reduce(into: [:]) { $0[($1.path as NSString).deletingLastPathComponent, default: 0] += 1 }
    }

    /// The first groups of all matches.
    private static func words(_ expression: NSRegularExpression?, _ text: String) -> Set<String> {
        let matches = expression?.matches(in: text, range: NSRange(text.startIndex..., in: text)) ?? []
        return Set(matches.compactMap { Range($0.range(at: 1), in: text).map { String(text[$0]) } })
    }
}

/// A graph of names.
enum Graph {
    /// Every name that can be reached from one by at least one step.
    static func reached(from start: String, _ edges: [String: Set<String>]) -> Set<String> {
        var (found, open) = (Set<String>(), edges[start] ?? [])
        while let next = open.popFirst() {
            if found.insert(next).inserted { open.formUnion(edges[next] ?? []) }
        }
        return found
    }
}
