import Foundation
import Testing

/// The documents name files, functions and modules that are there.
struct DocumentPathTests {
    /// The folders whose paths documents name.
    private static let roots = ["Sources/", "Tests/", "Examples/", "Policies/", ".ci/", ".github/"]

    @Test func `every file that a document names exists`() throws {
        let names = try Self.sourceFiles()
        for document in try DocumentPage.all() {
            let folder = document.path.split(separator: "/").dropLast().joined(separator: "/")
            Self.forEachCode(in: document) { line, code in
                let isPattern = code.contains { "<{* …".contains($0) } || code.contains("NAME")
                let isPath = Self.roots.contains { code.hasPrefix($0) } && !isPattern
                if isPath, !DocumentPage.exists(code), !DocumentPage.exists("\(folder)/\(code)") {
                    document.fail(line, "There is no \(code).")
                }
                if Self.isFileName(code), !names.contains(code) { document.fail(line, "No folder has a \(code).") }
            }
        }
    }

    @Test func `every module that a document names is a target`() throws {
        let package = try String(contentsOfFile: "\(Lab.repository)/Package.swift", encoding: .utf8)
        for document in try DocumentPage.all() {
            Self.forEachCode(in: document) { line, code in
                guard code.hasPrefix("MD"), code.dropFirst(2).first?.isUppercase == true,
                    code.allSatisfy({ $0.isASCII && $0.isLetter }), code.contains(where: \.isLowercase)
                else { return }
                if !package.contains("\"\(code)\"") { document.fail(line, "There is no target \(code).") }
            }
        }
    }

    @Test func `the files under Where to find it have the functions named behind them`() throws {
        let page = try DocumentPage("Sources/Defaults/ManagedDefaults/ManagedDefaults.docc/HowTheHouseIsBuilt.md")
        let names = try Self.sourceFiles()
        let start = try #require(page.lines.firstIndex(of: "## Where to find it"))
        var files: Set<String> = []
        var functions = 0
        for (index, line) in page.lines.enumerated().dropFirst(start + 1) {
            if line.hasPrefix("## ") { break }
            guard let answer = line.components(separatedBy: " | ").dropFirst().first else { continue }
            var text = ""
            for code in Self.code(in: answer) {
                let name = code.split(separator: "/").last.map(String.init) ?? code
                if Self.isFileName(name) {
                    files.insert(name)
                    let path = code.contains("/") ? code : try #require(names.path(of: name))
                    text = try String(contentsOfFile: "\(Lab.repository)/\(path)", encoding: .utf8)
                } else if !code.contains("/"), let member = code.split(separator: ".").last {
                    functions += 1
                    let isThere = ["func ", "var ", "let ", "case "].contains { text.contains($0 + member) }
                    if !isThere { page.fail(index + 1, "The file before it has no \(code).") }
                }
            }
        }
        #expect(files.count > 30 && functions > 5)
    }

    /// The Swift files of the package, by name.
    private struct SourceFiles {
        /// The path of each name.
        private var paths: [String: String] = [:]

        /// Notes a file.
        mutating func insert(_ path: String) {
            paths[path.split(separator: "/").last.map(String.init) ?? path] = path
        }

        /// Whether a file has this name.
        func contains(_ name: String) -> Bool { paths[name] != nil }

        /// The path of the file of a name.
        func path(of name: String) -> String? { paths[name] }
    }

    /// Finds the Swift files of the package.
    private static func sourceFiles() throws -> SourceFiles {
        var files = SourceFiles()
        files.insert("Package.swift")
        for folder in ["Sources", "Tests"] {
            let all = try #require(FileManager.default.enumerator(atPath: "\(Lab.repository)/\(folder)"))
            for case let path as String in all where path.hasSuffix(".swift") { files.insert("\(folder)/\(path)") }
        }
        return files
    }

    /// Whether code is the name of a Swift file.
    private static func isFileName(_ code: String) -> Bool {
        code.hasSuffix(".swift") && code.first?.isUppercase == true && !code.contains { "/<* ".contains($0) }
    }

    /// Calls a function with each piece of code in the text of a document, and its line.
    private static func forEachCode(in document: DocumentPage, _ body: (Int, String) -> Void) {
        var isBlock = false
        for (index, line) in document.lines.enumerated() {
            if line.drop(while: { $0 == " " }).hasPrefix("```") { isBlock.toggle() }
            guard !isBlock else { continue }
            for code in code(in: line) { body(index + 1, code) }
        }
    }

    /// The pieces of code in a line.
    private static func code(in line: String) -> [String] {
        line.components(separatedBy: "`").enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    }
}
