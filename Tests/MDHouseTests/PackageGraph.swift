import Foundation
import MDTestSupport

/// The products and targets that `Package.swift` declares, as SwiftPM reads them.
struct PackageGraph {
    /// A library product, or a target.
    struct Declaration: Equatable {
        /// The name.
        let name: String
        /// The kind: `regular`, `test`, `executable` or `plugin` of a target, `library` of a product.
        let kind: String
        /// The folder, from that of the package; empty for a product, and for a target in the folder of its name.
        let path: String
        /// The names of dependencies of a target, of targets of a product.
        let needs: [String]
    }

    /// The targets, in order.
    let targets: [Declaration]
    /// The libraries, in order.
    let libraries: [Declaration]

    /// The package, which is read once for all tests.
    ///
    /// - Throws: if SwiftPM cannot be run, or prints something else than a description of a package.
    static func ofThisPackage() throws -> PackageGraph { try shared.get() }

    /// What reading the package gave.
    private static let shared = Result { try PackageGraph() }

    /// Reads the package.
    private init() throws {
        let scratch = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", BuiltProgram.repository.path, "--scratch-path", scratch.folder,
            "dump-package",
        ]
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let description = try JSONDecoder().decode(Description.self, from: text)
        targets = description.targets.map { target in
            Declaration(
                name: target.name, kind: target.type, path: target.path ?? "",
                needs: target.dependencies.compactMap(\.name))
        }
        libraries = description.products.filter { $0.type.library != nil }.map { product in
            Declaration(name: product.name, kind: "library", path: "", needs: product.targets)
        }
    }

    /// The targets that another one needs, directly or not.
    func needs(of target: String) -> Set<String> {
        Graph.reached(from: target, targets.reduce(into: [:]) { $0[$1.name] = Set($1.needs) })
    }

    /// What SwiftPM prints.
    private struct Description: Decodable {
        /// A product.
        struct Product: Decodable {
            /// Its type: an object with one member.
            struct Kind: Decodable {
                /// How a library is linked.
                let library: [String]?
            }
            let name: String
            let targets: [String]
            let type: Kind
        }
        /// A target.
        struct Target: Decodable {
            /// A dependency: an object with one member, whose value begins with the name.
            struct Dependency: Decodable {
                /// The name.
                let name: String?

                init(from decoder: any Decoder) throws {
                    let members = try decoder.singleValueContainer().decode([String: [Word]].self)
                    name = members.values.first?.first?.text
                }
            }
            /// A text, or anything else.
            struct Word: Decodable {
                /// The text.
                let text: String?

                init(from decoder: any Decoder) throws {
                    text = try? decoder.singleValueContainer().decode(String.self)
                }
            }
            let name: String
            let type: String
            let path: String?
            let dependencies: [Dependency]
        }
        let products: [Product]
        let targets: [Target]
    }
}
