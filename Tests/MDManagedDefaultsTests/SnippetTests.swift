import Foundation
import MDTestSupport
import Testing

/// Every Swift block of the documents compiles against the built modules.
///
/// One call of the compiler reads all pages; its messages name the file and the line of the document.
struct SnippetTests {
    /// The folder of the package.
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The paths of the documents: README.md, all catalogs, the examples, and the sources of the public modules.
    private static func documents() throws -> [String] {
        let all = try ["Sources", "Examples"].flatMap { folder in
            try #require(FileManager.default.enumerator(atPath: package.appending(path: folder).path))
                .compactMap { ($0 as? String).map { "\(folder)/\($0)" } }
        }
        return ["README.md"]
            + all.filter { path in
                if path.contains("/.build/") { return false }
                return path.hasSuffix(".md") && (path.hasPrefix("Examples/") || path.contains(".docc/"))
                    || path.hasPrefix("Sources/Defaults/ManagedDefaults") && path.hasSuffix(".swift")
            }.sorted()
    }

    /// Type-checks pages.
    ///
    /// - Returns: the lines of errors, with file and line; empty if all pages compile.
    static func errors(in pages: [SnippetPage]) throws -> [String] {
        let folder = URL(fileURLWithPath: Scratch.makeFolder())
        defer { try? FileManager.default.removeItem(at: folder) }
        let resources = try SnippetTests.resources()
        var errors: [String] = []
        for isManifest in [false, true] {
            var files: [String] = []
            for (number, page) in pages.enumerated() where page.isManifest == isManifest {
                let file = folder.appending(path: isManifest ? "\(number)/Package.swift" : "Page\(number).swift")
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(page.program.utf8).write(to: file)
                files.append(file.path)
            }
            let products = LinkageTests.products
            let declarations = products.appending(path: "MDCPlatform.build/module.modulemap").path
            // Each manifest declares the same name, so each is a program of its own.
            for group in isManifest ? files.map({ [$0] }) : files.isEmpty ? [] : [files] {
                let paths =
                    isManifest
                    ? ["-I", resources + "/pm/ManifestAPI", "-package-description-version", "6.3"]
                    : [
                        "-I", products.appending(path: "Modules").path, "-Xcc", "-fmodule-map-file=\(declarations)",
                        "-swift-version", "6",
                    ]
                let options = [
                    "swiftc", "-typecheck", "-parse-as-library", "-whole-module-optimization", "-suppress-warnings",
                    "-module-name", "Snippets",
                ]
                let result = try SpawnedProgram.run("/usr/bin/env", options + paths + group, folder: folder.path)
                let found = result.error.split(separator: "\n").map(String.init)
                    .filter { $0.contains(": error:") && !$0.hasPrefix(" ") }
                errors += found.isEmpty && result.code != 0 ? [result.error] : found
            }
        }
        return errors
    }

    /// The folder of the toolchain's own modules.
    private static func resources() throws -> String {
        let answer = try SpawnedProgram.run("/usr/bin/env", ["swiftc", "-print-target-info"])
        let information = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
        let paths = information?["paths"] as? [String: Any]
        return try #require(paths?["runtimeResourcePath"] as? String)
    }

    @Test func `all Swift code of the documents compiles`() throws {
        var pages: [SnippetPage] = []
        for path in try SnippetTests.documents() {
            let text = try String(contentsOf: SnippetTests.package.appending(path: path), encoding: .utf8)
            pages += SnippetPage.pages(of: path, text)
        }
        #expect(pages.contains { $0.file == "README.md" })
        #expect(pages.contains { $0.file.hasPrefix("Examples/") && $0.isManifest })
        #expect(pages.contains { $0.file == "Sources/Defaults/ManagedDefaults/Key.swift" })
        let errors = try SnippetTests.errors(in: pages)
        #expect(errors.isEmpty, "\(errors.joined(separator: "\n"))")
    }

    @Test func `a block that does not compile is named with its line`() throws {
        let text = """
            # A page
            ```swift
            let defaults = ManagedDefaults.standard
            ```
            <!-- swift
            func show(_ text: String) {}
            -->
            1. A block in a list sees the names of the others:
               ```swift
               extension ManagedDefaults.Keys {
                   static let page = Key("Page", default: "")
               }
               show(defaults[.page])
               show(defaults[.missing])
               ```
            <!-- swift: new page -->
            ```swift
            extension ManagedDefaults.Keys {
                static let page = Key("Page", default: 1)
            }
            let sum = ManagedDefaults.standard[.page] + 1
            print(defaults)
            ```
            ```swift
            // Package.swift
            dependencies: [.package(name: "ManagedDefaults", road: "..")]
            ```
            """
        let errors = try SnippetTests.errors(in: SnippetPage.pages(of: "Page.md", text))
        #expect(errors.count == 3, "\(errors)")
        for (error, place) in zip(errors, ["Page.md:14:", "Page.md:22:", "Page.md:26:"]) {
            #expect(error.contains(place), "\(error)")
        }
    }
}
