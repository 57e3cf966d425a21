import Foundation
import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList
import Testing

/// Every profile in `Fixtures/Profiles` gives the policy and the findings of the text beside it.
struct ProfileGoldenTests {
    /// The folder of the profiles.
    static let folder = ResolverGoldenTests.fixtures.appendingPathComponent("Profiles")

    /// The names of the profiles.
    static var names: [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return all.filter { $0.hasSuffix(".mobileconfig") }.sorted()
    }

    @Test(arguments: names)
    func `reads a profile as the golden text says`(_ name: String) throws {
        let bytes = Array(try Data(contentsOf: Self.folder.appendingPathComponent(name)))
        let text = ProfileRendering.text(PolicyFile.parse(bytes: bytes, path: name))
        let golden = Self.folder.appendingPathComponent(name.replacingOccurrences(of: ".mobileconfig", with: ".txt"))
        if ProcessInfo.processInfo.environment["WRITE_GOLDEN"] == "1" {
            try text.write(to: golden, atomically: true, encoding: .utf8)
        }
        #expect(text == (try String(contentsOf: golden, encoding: .utf8)))
    }

    @Test func `finds its fixtures`() {
        #expect(Self.names.count >= 12)
    }
}
