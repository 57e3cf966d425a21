import Foundation
import Testing

/// What ``FoundationInteropTests`` runs in a process of its own, where Foundation keeps its files in a temporary folder.
@Suite(.serialized) struct FoundationPartTests {
    /// The variable that says which part this process plays; it is not set in an ordinary run.
    static let variable = "PREFERENCES_TESTS_FOUNDATION_PART"

    /// The part this process plays.
    private static var part: String? { ProcessInfo.processInfo.environment[variable] }

    @Test(.enabled(if: part == "write", "runs in a process of FoundationInteropTests")) func write() throws {
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

    /// Texts and keys with what XML forbids or escapes, which Foundation keeps.
    static let oddTexts = [
        "escape": "\u{1b}[31mred\u{1b}[0m", "bell\u{7}": "a\u{1}b", "lines": "a\r\nb\tc\n", "markup": "]]> & </string>",
        "noncharacter": "\u{ffff}", "wide \u{1f600}": "\u{fffd}\u{10ffff}", "é": "\u{7f}\u{9b}",
    ]

    @Test(.enabled(if: part == "write-odd", "runs in a process of FoundationInteropTests")) func writeOdd() throws {
        let defaults = try #require(UserDefaults(suiteName: "org.x"))
        for (key, text) in FoundationPartTests.oddTexts { defaults.set(text, forKey: key) }
        #expect(defaults.synchronize())
    }

    @Test(.enabled(if: part == "read-odd", "runs in a process of FoundationInteropTests")) func readOdd() throws {
        let defaults = try #require(UserDefaults(suiteName: "org.x"))
        for (key, text) in FoundationPartTests.oddTexts {
            #expect(defaults.string(forKey: key).map { Array($0.utf8) } == Array(text.utf8), "\(key)")
        }
        #expect(defaults.integer(forKey: "ours") == 1)
    }

    @Test(.enabled(if: part == "write-many", "runs in a process of FoundationInteropTests")) func writeMany() throws {
        let defaults = try #require(UserDefaults(suiteName: "org.x"))
        for number in 0..<300 {
            defaults.set("text \(number)", forKey: "text\(number)")
            defaults.set(number, forKey: "number\(number)")
            defaults.set(Double(number) / 4, forKey: "real\(number)")
            defaults.set(["list": [number, true], "none": [String: Int]()], forKey: "nested\(number)")
        }
        #expect(defaults.synchronize())
    }

    @Test(.enabled(if: part == "read-many", "runs in a process of FoundationInteropTests")) func readMany() throws {
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

    @Test(.enabled(if: part == "read" || part == "read-binary", "runs in a process of FoundationInteropTests"))
    func read() throws {
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
