import Foundation
import MDTestSupport
import MDTestTimes
import Testing

/// The texts inside of the command: they are those of the files that they come from.
///
/// `MDEFAULTS_GOLDEN=write swift test --filter EmbeddedTextTests` writes the Swift files anew.
@Suite(.timed)
struct EmbeddedTextTests {
    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The file of Swift with a text in pieces that fit into a line.
    private static func source(_ name: String, _ summary: String, _ text: String) -> String {
        var pieces: [String] = []
        var piece = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": piece += "\\\\"
            case "\"": piece += "\\\""
            case "\n": piece += "\\n"
            case "\t": piece += "\\t"
            case _ where scalar.value < 0x20: piece += "\\u{\(String(scalar.value, radix: 16))}"
            default: piece.unicodeScalars.append(scalar)
            }
            if piece.unicodeScalars.count > 102 {
                pieces.append(piece)
                piece = ""
            }
        }
        pieces.append(piece)
        return """
            /// \(summary)
            ///
            /// Written by `MDEFAULTS_GOLDEN=write swift test --filter EmbeddedTextTests`; a test keeps the two equal.
            enum \(name) {
                /// The text in pieces.
                static let pieces: [String] = [
            \(pieces.map { "        \"\($0)\"," }.joined(separator: "\n"))
                ]
            }

            """
    }

    /// The text that stands for a folder, or for what it recorded: a line with kind and path before each file, in byte
    /// order.
    private static func text(ofFolder folder: String, recorded isRecorded: Bool) throws -> String {
        let root = package.appendingPathComponent(folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted()
        var (result, known): (String, [Data: String]) = ("", [:])
        for path in paths {
            let file = root.appendingPathComponent(path).path
            let type = try FileManager.default.attributesOfItem(atPath: file)[.type] as? FileAttributeType
            if type == .typeDirectory { continue }
            let isShown = path.hasPrefix("var/") == isRecorded
            if type == .typeSymbolicLink {
                guard isShown else { continue }
                result += "\u{1}link \(path)\n\(try FileManager.default.destinationOfSymbolicLink(atPath: file))"
                continue
            }
            let data = try Data(contentsOf: URL(fileURLWithPath: file))
            defer { if known[data] == nil { known[data] = path } }
            guard isShown else { continue }
            if data.count > 100, let same = known[data] {
                result += "\u{1}copy \(path)\n\(same)"
            } else if let text = String(data: data, encoding: .utf8) {
                result += "\u{1}text \(path)\n\(text)"
            } else {
                result += "\u{1}data \(path)\n\(data.map { String(format: "%02x", $0) }.joined())"
            }
        }
        return result
    }

    private static func check(_ name: String, _ summary: String, _ text: String) throws {
        let path = package.appendingPathComponent("Sources/Commands/mdefaults/Embedded/\(name).swift")
        let source = source(name, summary, text)
        if ProcessInfo.processInfo.environment["MDEFAULTS_GOLDEN"] == "write" {
            try Data(source.utf8).write(to: path)
        }
        #expect(try String(contentsOf: path, encoding: .utf8) == source, "\(name) is not as its files are")
    }

    @Test func `the schema is that of the ready sets`() throws {
        let path = Self.package.appendingPathComponent("Policies/policy.schema.json")
        let text = try String(contentsOf: path, encoding: .utf8)
        try Self.check("EmbeddedSchema", "The text of `Policies/policy.schema.json`.", text)
        #expect(try MDefaultsProcess(folder: "/").run(["policy", "schema"]).output == text)
    }

    @Test func `the demonstration is the lab`() throws {
        try Self.check(
            "EmbeddedLab", "The files of `Examples/lab` but for what it recorded.",
            Self.text(ofFolder: "Examples/lab", recorded: false))
        try Self.check(
            "EmbeddedRecords", "What `Examples/lab` recorded: the files below its `var`.",
            Self.text(ofFolder: "Examples/lab", recorded: true))
        let folder = try TemporaryFolder()
        let made = try MDefaultsProcess(folder: folder.path).run(["demo", folder.path + "/lab"])
        #expect(made.code == 0 && made.output.contains("--root \(folder.path)/lab"), "\(made)")
        let lab = Self.package.appendingPathComponent("Examples/lab").path
        let paths = try FileManager.default.subpathsOfDirectory(atPath: lab).sorted()
        #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path + "/lab").sorted() == paths)
        for path in paths {
            let (one, other) = ("\(lab)/\(path)", "\(folder.path)/lab/\(path)")
            #expect(FileManager.default.contentsEqual(atPath: one, andPath: other), "\(path)")
        }
        let again = try MDefaultsProcess(folder: folder.path).run(["demo", folder.path + "/lab"])
        #expect(again.code == 4 && again.error.contains("is there already"), "\(again)")
    }
}
