import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPreferences

/// Settings pass between `Foundation.UserDefaults` and this store in both directions.
struct FoundationInteropTests {
    /// Runs one test of ``FoundationPartTests`` in a process of its own.
    ///
    /// Foundation determines the folder of preferences once in a process, so its environment needs it from the start.
    private func runFoundation(_ part: String, in home: TemporaryFolder) throws -> Int32 {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return try Tool(path: program).run(
            ["--testing-library", "swift-testing", "--filter", "FoundationPartTests"],
            environment: ["XDG_CONFIG_HOME": home.config, FoundationPartTests.variable: part])
    }

    @Test func `what Foundation writes is read, key by key`() throws {
        let home = try TemporaryFolder()
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
        let home = try TemporaryFolder()
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
        let home = try TemporaryFolder()
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
        let home = try TemporaryFolder()
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
        #expect(try runFoundation("read", in: try TemporaryFolder()) != 0)
    }
}

/// What ``FoundationInteropTests`` runs in a separate process, in which Foundation stores its files in a temporary folder.
@Suite(.serialized) struct FoundationPartTests {
    /// The variable that says which part this process plays; it is not set in an ordinary run.
    static let variable = "PREFERENCES_TESTS_FOUNDATION_PART"

    /// The part this process plays.
    private static var part: String? { ProcessInfo.processInfo.environment[variable] }

    @Test func `the part that the environment names`() throws {
        switch Self.part {
        case "write": try write()
        case "write-odd": try writeOdd()
        case "read-odd": try readOdd()
        case "write-many": try writeMany()
        case "read-many": try readMany()
        case "read", "read-binary": try read()
        default: break
        }
    }

    private func write() throws {
        let defaults = try #require(UserDefaults(suiteName: "org.x"))
        defaults.set("é<&>", forKey: "string")
        defaults.set(true, forKey: "boolean")
        defaults.set(-5, forKey: "integer")
        defaults.set(0.25, forKey: "real")
        defaults.set(Date(timeIntervalSinceReferenceDate: 86_400), forKey: "date")
        defaults.set(Data([0, 255]), forKey: "data")
        defaults.set(["a", "b"], forKey: "array")
        defaults.set(["k.k": 1], forKey: "dictionary")
        #expect(defaults.synchronize())
    }

    /// Texts and keys with characters that XML forbids or escapes and Foundation stores.
    static let oddTexts = [
        "escape": "\u{1b}[31mred\u{1b}[0m", "bell\u{7}": "a\u{1}b", "lines": "a\r\nb\tc\n", "markup": "]]> & </string>",
        "noncharacter": "\u{ffff}", "wide \u{1f600}": "\u{fffd}\u{10ffff}", "é": "\u{7f}\u{9b}",
    ]

    private func writeOdd() throws {
        let defaults = try #require(UserDefaults(suiteName: "org.x"))
        for (key, text) in FoundationPartTests.oddTexts { defaults.set(text, forKey: key) }
        #expect(defaults.synchronize())
    }

    private func readOdd() throws {
        let defaults = try #require(UserDefaults(suiteName: "org.x"))
        for (key, text) in FoundationPartTests.oddTexts {
            #expect(defaults.string(forKey: key).map { Array($0.utf8) } == Array(text.utf8), "\(key)")
        }
        #expect(defaults.integer(forKey: "ours") == 1)
    }

    private func writeMany() throws {
        let defaults = try #require(UserDefaults(suiteName: "org.x"))
        for number in 0..<300 {
            defaults.set("text \(number)", forKey: "text\(number)")
            defaults.set(number, forKey: "number\(number)")
            defaults.set(Double(number) / 4, forKey: "real\(number)")
            defaults.set(["list": [number, true], "none": [String: Int]()], forKey: "nested\(number)")
        }
        #expect(defaults.synchronize())
    }

    private func readMany() throws {
        let defaults = try #require(UserDefaults(suiteName: "org.x"))
        for number in 0..<300 {
            let isChanged = number % 3 == 0
            #expect(defaults.string(forKey: "text\(number)") == (isChanged ? "changed \(number)" : "text \(number)"))
            #expect(defaults.integer(forKey: "number\(number)") == (isChanged ? 0 : number))
            #expect(defaults.double(forKey: "real\(number)") == Double(number) / 4)
            #expect((defaults.dictionary(forKey: "nested\(number)")?["list"] as? [Any])?.first as? Int == number)
        }
        defaults.set("by Foundation", forKey: "text1")
        #expect(defaults.synchronize())
    }

    private func read() throws {
        let defaults = try #require(UserDefaults(suiteName: "org.x"))
        #expect(defaults.string(forKey: "string") == "é<&>")
        #expect(defaults.object(forKey: "boolean") as? Bool == true)
        #expect(defaults.integer(forKey: "integer") == -5)
        #expect(defaults.double(forKey: "real") == 0.25)
        let date = Date(timeIntervalSinceReferenceDate: FoundationPartTests.part == "read-binary" ? 86_400.5 : 86_400)
        #expect(defaults.object(forKey: "date") as? Date == date)
        #expect(defaults.data(forKey: "data") == Data([0, 255]))
        #expect(defaults.stringArray(forKey: "array") == ["a"])
        #expect(UserDefaults.standard.string(forKey: "OurGlobalKey") == "v")
    }
}
