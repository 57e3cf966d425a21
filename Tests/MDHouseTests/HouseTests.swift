import Foundation
import MDTestSupport
import Testing

/// The shape of the sources: layers that the compiler keeps, folders that are layers, and files of a size to read.
struct HouseTests {
    /// The rooms, in the order of the layers: each uses rooms before it only.
    private static let rooms = ["Base", "Policy", "Audit", "Defaults", "Programs", "Machine", "Commands"]
    /// What only the service, commands and programs need.
    private static let administration = [
        "MDTools", "MDPolicyAdministration", "MDAuditReading", "MDAuditDaemon", "MDPrograms", "MDCare", "MDReport",
        "MDFleet",
    ]
    /// The modules that applications import.
    private static let libraries = ["ManagedDefaults", "ManagedDefaultsFoundation", "ManagedDefaultsTesting"]
    /// The shared library for programs in other languages.
    private static let shared = "managed-defaults"

    @Test func `the sources have seven rooms, and no room uses a later one`() throws {
        #expect(try SourceTree.rooms() == Self.rooms.sorted())
        let graph = try PackageGraph.ofThisPackage()
        /// The place of a target's room; `nil` for a target of the tests.
        func place(_ target: String) -> Int? {
            guard let path = graph.targets.first(where: { $0.name == target })?.path else { return nil }
            let parts = path.split(separator: "/")
            return parts.first == "Sources" ? Self.rooms.firstIndex(of: String(parts[1])) : nil
        }
        let sources = graph.targets.filter { $0.path.hasPrefix("Sources/") }
        #expect(sources.count > 25)
        for target in sources {
            let own = try #require(place(target.name), "\(target.path)")
            #expect(target.path.hasSuffix("/\(target.name)"))
            for other in target.needs {
                #expect(try #require(place(other), "\(target.name) needs \(other)") <= own, "\(target.name) \(other)")
            }
        }
    }

    @Test func `a target imports only targets that it declares`() throws {
        let graph = try PackageGraph.ofThisPackage()
        let names = Set(graph.targets.map(\.name))
        let statement = try Regex(#"^(?:@\w+ )*(?:(?:public|package|internal|private|fileprivate) )?import (\w+)"#)
            .anchorsMatchLineEndings()
        for target in graph.targets {
            let folder = target.path.isEmpty ? "Tests/\(target.name)" : target.path
            let tree = try SourceTree(
                module: target.name, folder: BuiltProgram.repository.appendingPathComponent(folder))
            let imported = tree.files.flatMap { $0.code.matches(of: statement) }
                .compactMap { $0.output[1].substring.map(String.init) }
            #expect(
                Set(imported).intersection(names).subtracting(target.needs).sorted() == [], "\(target.name)")
        }
    }

    @Test func `no folders of a module use each other in a circle`() throws {
        for tree in try SourceTree.modules() { #expect(tree.circles == [], "\(tree.module)") }
    }

    @Test func `a circle is found`() throws {
        let folder = try TemporaryFolder()
        try folder.write("A/One.swift", "struct One { let two: Two }\n")
        try folder.write("B/Two.swift", "package final class Two {}\nfunc f(_ three: Three) {}\n")
        try folder.write("C/Three.swift", "/// Names Four.\nenum Three { case one(One) }\n")
        try folder.write("D/Four.swift", "struct Four { let text = \"One\"; let one: One }\n")
        #expect(try SourceTree(module: "M", folder: folder.url("")).circles == [["A", "B", "C"]])
    }

    @Test func `no folder has more than 25 files, and no file more than 500 lines`() throws {
        for tree in try SourceTree.modules() {
            for (folder, count) in tree.counts { #expect(count <= 25, "\(folder)") }
            for file in tree.files { #expect(file.lines <= 500, "\(file.path)") }
        }
    }

    @Test func `every target begins with MD, but for the libraries and the executables`() throws {
        let graph = try PackageGraph.ofThisPackage()
        for target in graph.targets where ["regular", "test"].contains(target.kind) {
            #expect(target.name.hasPrefix("MD") || Self.libraries.contains(target.name), "\(target.name)")
        }
        #expect(graph.libraries.map(\.name).sorted() == Self.libraries + [Self.shared])
    }

    @Test func `no library product reaches what only administrators need`() throws {
        let graph = try PackageGraph.ofThisPackage()
        for product in graph.libraries {
            let all = product.needs.reduce(into: Set(product.needs)) { $0.formUnion(graph.needs(of: $1)) }
            #expect(all.contains("MDEngine"))
            #expect(all.intersection(Self.administration) == [], "\(product.name)")
        }
    }

    @Test func `the smallest application has no code that only administrators need`() throws {
        let program = try Data(contentsOf: URL(fileURLWithPath: BuiltProgram.path("library-probe")))
        /// Whether a name of a module is in the table of symbols.
        func holds(_ module: String) -> Bool {
            program.range(of: Data("$s\(module.utf8.count)\(module)".utf8)) != nil
        }
        #expect(holds("MDEngine"))
        for module in Self.administration { #expect(!holds(module), "\(module)") }
    }
}
