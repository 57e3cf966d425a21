import Foundation
import MDPropertyList
import MDTestSupport
import Testing

/// Exported and printed values that are imported and written again, type by type.
struct RoundTripTests {
    /// Writes a file for `import`.
    private func write(_ values: [Key: Value], to name: String, in lab: Lab) throws {
        let bytes = try BinaryWriter.write(.dictionary(values))
        try Data(bytes).write(to: URL(fileURLWithPath: "\(lab.folder)/\(name)"))
    }

    /// What bob has stored in a domain, exactly.
    private func stored(_ domain: String, in lab: Lab) throws -> String {
        Value.dictionary(try #require(try lab.stored("bob", domain))).exactDescription
    }

    /// Runs a command line that must succeed.
    private func succeed(_ words: [String], input: String = "", in lab: Lab) throws -> String {
        let run = try lab.run(as: "bob", words, input: input)
        #expect(run.code == 0, "\(words.prefix(2)): \(run.error)")
        #expect(run.error == "")
        return run.output
    }

    @Test(arguments: Sweeping.seeds(1..<13, usual: 3)) func `export and import keep everything in a file`(
        _ seed: UInt64
    ) throws {
        let lab = try Lab()
        var random = RandomValue(seed: seed, .everything)
        for number in 0..<4 {
            let values = random.domain()
            try write(values, to: "in.plist", in: lab)
            let domain = "org.example.New\(number)"
            _ = try succeed(["import", domain, "in.plist"], in: lab)
            #expect(try stored(domain, in: lab) == Value.dictionary(values).exactDescription)
            _ = try succeed(["export", domain, "out.plist"], in: lab)
            _ = try succeed(["import", domain + ".copy", "out.plist"], in: lab)
            #expect(try stored(domain + ".copy", in: lab) == Value.dictionary(values).exactDescription)
        }
    }

    @Test(arguments: Sweeping.seeds(21..<33, usual: 3))
    func `export and import keep everything that XML can hold in a pipe`(_ seed: UInt64)
        throws
    {
        let lab = try Lab()
        var random = RandomValue(seed: seed, .xml)
        for number in 0..<4 {
            let values = random.domain()
            try write(values, to: "in.plist", in: lab)
            let domain = "org.example.New\(number)"
            _ = try succeed(["import", domain, "in.plist"], in: lab)
            let xml = try succeed(["export", domain, "-"], in: lab)
            _ = try succeed(["import", domain + ".copy", "-"], input: xml, in: lab)
            #expect(try stored(domain + ".copy", in: lab) == Value.dictionary(values).exactDescription)
            // Others read it too; what Foundation makes of byte order marks and equivalent keys is its own.
            #expect(try PropertyListSerialization.propertyList(from: Data(xml.utf8), format: nil) is [String: Any])
        }
    }

    @Test(arguments: Sweeping.seeds(41..<53, usual: 3)) func `what read prints of texts, write takes`(_ seed: UInt64)
        throws
    {
        let lab = try Lab()
        var random = RandomValue(seed: seed, .text)
        for number in 0..<4 {
            let values = random.domain()
            try write(values, to: "in.plist", in: lab)
            let domain = "org.example.New\(number)"
            _ = try succeed(["import", domain, "in.plist"], in: lab)
            let text = String(try succeed(["read", domain], in: lab).dropLast())
            #expect(text.utf8.allSatisfy { $0 == 0x0a || (0x20...0x7e).contains($0) })
            _ = try succeed(["write", domain + ".copy", text], in: lab)
            #expect(try stored(domain + ".copy", in: lab) == Value.dictionary(values).exactDescription)
            // A single value as well; a text is read as it is, which -string takes.
            for (key, value) in values where !key.string.utf8.contains(0) && !key.string.isEmpty {
                guard !key.string.hasPrefix("-") else { continue }
                var printed = try succeed(["read", domain, key.string], in: lab)
                printed.unicodeScalars.removeLast()
                guard !printed.utf8.contains(0) else { continue }
                var words = ["write", "org.example.One", key.string]
                if case .string = value { words.append("-string") }
                _ = try succeed(words + [printed], in: lab)
                #expect(try lab.stored("bob", "org.example.One")?[key]?.exactDescription == value.exactDescription)
            }
        }
    }

    /// A value whose dates are on whole seconds, as JSON has them.
    private func onWholeSeconds(_ value: Value) -> Value {
        switch value {
        case .date(let seconds): .date(seconds.rounded(.down))
        case .array(let elements): .array(elements.map { onWholeSeconds($0) })
        case .dictionary(let entries): .dictionary(entries.mapValues { onWholeSeconds($0) })
        case .string, .boolean, .integer, .real, .data: value
        }
    }

    @Test(arguments: Sweeping.seeds(61..<67, usual: 2)) func `what read prints as JSON, write takes with every type`(
        _ seed: UInt64
    ) throws {
        let lab = try Lab()
        var random = RandomValue(seed: seed, .everything)
        for number in 0..<3 {
            let values = random.domain().mapValues { onWholeSeconds($0) }
            try write(values, to: "in.plist", in: lab)
            let domain = "org.example.New\(number)"
            _ = try succeed(["import", domain, "in.plist"], in: lab)
            let text = try succeed(["--json", "read", domain], in: lab)
            _ = try succeed(["--json", "write", domain + ".copy", text], in: lab)
            #expect(try stored(domain + ".copy", in: lab) == Value.dictionary(values).exactDescription)
            for (key, value) in values where !key.string.utf8.contains(0) && !key.string.isEmpty {
                guard !key.string.hasPrefix("-") else { continue }
                let printed = try succeed(["--json", "read", domain, key.string], in: lab)
                _ = try succeed(["--json", "write", "org.example.One", key.string, printed], in: lab)
                #expect(try lab.stored("bob", "org.example.One")?[key]?.exactDescription == value.exactDescription)
            }
        }
        let run = try lab.run(as: "bob", ["--json", "write", "org.example.One", "K", "{\"a\": }"])
        #expect(run.code == 5)
        #expect(run.error.contains("At 1:7:"))
    }

    @Test func `what OpenStep text cannot hold comes back as a text, and data not at all`() throws {
        let lab = try Lab()
        let values: [Key: Value] = [
            "boolean": .boolean(true), "integer": .integer(-5), "real": .real(0.5), "date": .date(0),
        ]
        try write(values, to: "in.plist", in: lab)
        _ = try succeed(["import", "org.example.New", "in.plist"], in: lab)
        let text = try succeed(["read", "org.example.New"], in: lab)
        _ = try succeed(["write", "org.example.Copy", text], in: lab)
        #expect(
            try lab.stored("bob", "org.example.Copy") == [
                "boolean": .string("1"), "integer": .string("-5"), "real": .string("0.5"),
                "date": .string("2001-01-01 00:00:00 +0000"),
            ])
        _ = try succeed(["write", "org.example.New", "data", "-data", "010203"], in: lab)
        let run = try lab.run(
            as: "bob", ["write", "org.example.Copy", try succeed(["read", "org.example.New"], in: lab)])
        #expect(run.code == 5, "nothing is stored rather than something else")
        #expect(try lab.stored("bob", "org.example.Copy")?.count == 4)
    }

    @Test func `JSON keeps types, and dates to the second`() throws {
        let lab = try Lab()
        let values: [Key: Value] = [
            "a": .integer(Integer(UInt64.max)), "b": .real(.nan), "c": .date(86_400), "d": .data([0, 255]),
            "e": .dictionary(["$date": .string("no date")]), "f": .real(1), "g": .array([]), "h": .string("\u{1}"),
        ]
        try write(values, to: "in.plist", in: lab)
        _ = try succeed(["import", "org.example.New", "in.plist"], in: lab)
        let json = try succeed(["--json", "export", "org.example.New", "-"], in: lab)
        _ = try succeed(["--json", "import", "org.example.Copy", "-"], input: json, in: lab)
        #expect(try stored("org.example.Copy", in: lab) == Value.dictionary(values).exactDescription)
    }
}
