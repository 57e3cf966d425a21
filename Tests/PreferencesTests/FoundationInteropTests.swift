import Foundation
import Platform
import PropertyList
import Testing

@testable import Preferences

/// Settings pass between `Foundation.UserDefaults` and this store in both directions.
struct FoundationInteropTests {
    /// Runs one test of ``FoundationPartTests`` in a process of its own.
    ///
    /// Foundation looks up the folder of preferences once in a process, so it must be in its environment from the start.
    private func runFoundation(_ part: String, in home: TemporaryHome) throws -> Int32 {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return try Tool(path: program).run(
            ["--testing-library", "swift-testing", "--filter", "FoundationPartTests"],
            environment: ["XDG_CONFIG_HOME": home.config, FoundationPartTests.variable: part])
    }

    @Test func `what Foundation writes is read, key by key`() throws {
        let home = try TemporaryHome()
        #expect(try runFoundation("write", in: home) == 0)
        let domain = try #require(try home.preferences().read("org.x", host: .anyHost))
        let expected: [Key: Value] = [
            "string": .string("é<&>"), "boolean": .boolean(true), "integer": .integer(-5), "real": .real(0.25),
            "date": .date(86_400), "data": .data([0, 255]), "array": .array([.string("a"), .string("b")]),
            "dictionary": .dictionary(["k.k": .integer(1)]),
        ]
        #expect(Value.areIdentical(domain.values, expected))
        #expect(domain.format == .xml)
    }

    @Test(arguments: [false, true]) func `Foundation reads what is written, XML and binary`(isBinary: Bool) throws {
        let home = try TemporaryHome()
        _ = try home.preferences().update(
            "org.x", host: .anyHost,
            [
                "string": .string("é<&>"), "boolean": .boolean(true), "integer": .integer(-5), "real": .real(0.25),
                "date": .date(isBinary ? 86_400.5 : 86_400), "data": .data([0, 255]), "array": .array([.string("a")]),
            ])
        _ = try home.preferences().update(DomainName.global, host: .anyHost, ["OurGlobalKey": .string("v")])
        #expect(try home.bytes(at: ".config/org.x.plist").starts(with: "bplist00".utf8) == isBinary)
        #expect(try runFoundation(isBinary ? "read-binary" : "read", in: home) == 0)
    }

    @Test func `control characters that Foundation wrote are read, and Foundation reads those that we write`() throws {
        let home = try TemporaryHome()
        #expect(try runFoundation("write-odd", in: home) == 0)
        // Written as they are, into XML that forbids them.
        #expect(try home.bytes(at: ".config/org.x.plist").contains(0x1b))
        let expected = Dictionary(
            uniqueKeysWithValues: FoundationPartTests.oddTexts.map { (Key($0.key), Value.string($0.value)) })
        let storage = FileStorage(home.preferences())
        let place = StoredPlace(domain: "org.x", host: .anyHost)
        #expect(try storage.read(place).values == expected)
        #expect(try storage.save(place, ["ours": .integer(1)], replacing: false).damaged.isEmpty)
        #expect(try home.bytes(at: ".config/org.x.plist").starts(with: "bplist00".utf8))
        #expect(try runFoundation("read-odd", in: home) == 0)
    }

    @Test func `a large domain of Foundation's is changed key by key, and Foundation goes on with it`() throws {
        let home = try TemporaryHome()
        #expect(try runFoundation("write-many", in: home) == 0)
        let bytes = try home.bytes(at: ".config/org.x.plist")
        let (values, text) = try #require(XMLDictionaryText.read(bytes), "Foundation has another layout")
        #expect(text != nil, "Foundation has another order")
        // Byte for byte what we write; only reals that need 17 digits have fewer with us.
        #expect(try XMLWriter.write(.dictionary(values)) == bytes)
        let storage = FileStorage(home.preferences())
        let place = StoredPlace(domain: "org.x", host: .anyHost)
        for number in stride(from: 0, to: 300, by: 3) {
            let changes: [Key: Value?] = [
                Key("text\(number)"): .string("changed \(number)"), Key("number\(number)"): nil,
            ]
            #expect(try storage.save(place, changes, replacing: false).isWritten)
        }
        #expect(try runFoundation("read-many", in: home) == 0)
        let read = try storage.read(place)
        #expect(read.values?["text1"] == .string("by Foundation"))
        #expect(read.values?.count == 1_100)
    }

    @Test func `a failure in Foundation's process is seen`() throws {
        #expect(try runFoundation("read", in: try TemporaryHome()) != 0)
    }
}
