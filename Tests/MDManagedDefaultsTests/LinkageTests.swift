import Foundation
import Testing

/// What the built programs link: no Foundation below ManagedDefaults.
struct LinkageTests {
    /// The folder of the built programs, which holds the test bundle too.
    static let products: URL = {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
        return bundle.bundleURL.hasDirectoryPath && bundle.bundlePath.hasSuffix(".xctest")
            ? bundle.bundleURL.deletingLastPathComponent() : bundle.bundleURL
    }()

    /// The libraries that the dynamic section of an ELF file names, found by their names in its string table.
    static func namesFoundation(_ program: String) throws -> Bool {
        let bytes = try Data(contentsOf: products.appendingPathComponent(program))
        return bytes.range(of: Data("libFoundation".utf8)) != nil
            || bytes.range(of: Data("lib_FoundationICU".utf8)) != nil
    }

    @Test func `the command line links no Foundation`() throws {
        #expect(try !LinkageTests.namesFoundation("mdefaults"))
    }

    @Test func `the benchmarks do so that this test can fail`() throws {
        #expect(try LinkageTests.namesFoundation("managed-defaults-benchmarks"))
    }

    @Test func `only the adapter to Foundation's UserDefaults imports Foundation`() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(atPath: sources.path)).compactMap { $0 as? String }
        var importing: Set<String> = []
        for file in files where file.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
            let isImporting = text.split(separator: "\n").contains {
                $0.split(separator: " ").suffix(2) == ["import", "Foundation"]
            }
            if isImporting { importing.insert(file.split(separator: "/").prefix(2).joined(separator: "/")) }
        }
        // The plugin runs in SwiftPM only.
        #expect(importing == ["Defaults/ManagedDefaultsFoundation", "Commands/debian-package"])
    }
}
