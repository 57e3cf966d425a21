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

    @Test(.enabled(if: part?.hasPrefix("read") == true, "runs in a process of FoundationInteropTests"))
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
