import Foundation
import MDTestSupport
import ManagedDefaultsFoundation
import Testing

/// That there is no way around the subclass.
struct MemberTests {
    @Test(arguments: Member.all)
    func `every open member is overridden`(_ member: Member) throws {
        let machine = try TemporaryMachine(forced: #"{ "org.example.Browser": { "Forced": 5 } }"#)
        let defaults = try machine.open()
        defaults.set("here", forKey: "Stored")
        #expect(member.check(defaults, defaults.managed))
    }

    /// The toolchain's compiler driver.
    static let swift: String? = {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { "\($0)/swift" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    @Test(.enabled(if: MemberTests.swift != nil, "there is no swift on PATH"))
    func `the table has every open member of the toolchain's UserDefaults`() throws {
        let folder = Scratch.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #if arch(x86_64)
            let target = "x86_64-unknown-linux-gnu"
        #else
            let target = "aarch64-unknown-linux-gnu"
        #endif
        _ = try SpawnedProgram.run(
            try #require(MemberTests.swift),
            [
                "symbolgraph-extract", "-module-name", "Foundation", "-target", target, "-output-dir", folder,
                "-minimum-access-level", "public",
            ])
        let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/Foundation.symbols.json"))
        let graph = try JSONDecoder().decode(Graph.self, from: data)
        let open = graph.symbols.filter {
            $0.pathComponents.count == 2 && $0.pathComponents[0] == "UserDefaults" && $0.accessLevel == "open"
        }
        #expect(Set(open.map(\.declaration)) == Set(Member.all.map(\.declaration)))
        #expect(open.count == Member.all.count)
        // Initialisers make objects of the class that is named, so they lead around nothing.
        let initialisers = graph.symbols.filter {
            $0.pathComponents.first == "UserDefaults" && $0.kind.identifier == "swift.init"
        }
        #expect(Set(initialisers.map { $0.pathComponents[1] }) == ["init()", "init(suiteName:)"])
    }

    /// The symbols of a module.
    private struct Graph: Decodable {
        /// The symbols.
        let symbols: [Symbol]
    }

    /// A symbol of a module.
    private struct Symbol: Decodable {
        /// What kind of a thing it is.
        struct Kind: Decodable {
            /// The kind's name.
            let identifier: String
        }

        /// A piece of a declaration.
        struct Fragment: Decodable {
            /// The text.
            let spelling: String
        }

        /// The kind.
        let kind: Kind
        /// The names of the type and of the member.
        let pathComponents: [String]
        /// The access level.
        let accessLevel: String
        /// The declaration in pieces.
        let declarationFragments: [Fragment]?

        /// The declaration.
        var declaration: String { (declarationFragments ?? []).map(\.spelling).joined() }
    }
}
