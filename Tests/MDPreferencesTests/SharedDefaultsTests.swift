import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPreferences

struct SharedDefaultsTests {
    /// The folder of the files below a root.
    private let folder = "etc/managed-defaults/defaults"

    @Test func `a domain for all users is read, the global one under both names`() throws {
        let home = try TemporaryFolder()
        let shared = SharedDefaults(root: try Root(directory: home.path))
        #expect(try shared.read("org.x") == nil)
        try home.put("{ a = b; }", at: folder + "/org.x.plist")
        try home.put("{ g = 1; }", at: folder + "/NSGlobalDomain.plist")
        #expect(try shared.read("org.x")?.values == ["a": .string("b")])
        #expect(try shared.read(DomainName.global)?.values == ["g": .string("1")])
        #expect(throws: PreferencesError.self) { try shared.read("../org.x") }
    }

    @Test func `a file that others can write is not trusted, and a damaged one is an error`() throws {
        let home = try TemporaryFolder()
        let shared = SharedDefaults(root: try Root(directory: home.path))
        let path = try home.put("{ a = b; }", at: folder + "/org.x.plist")
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        let error = try #require(throws: PreferencesError.self) { try shared.read("org.x") }
        guard case .untrusted(path, _) = error else {
            Issue.record("\(error)")
            return
        }
        let damaged = try home.put("{ a = ", at: folder + "/org.y.plist")
        let second = try #require(throws: PreferencesError.self) { try shared.read("org.y") }
        guard case .damaged(damaged, _) = second else {
            Issue.record("\(second)")
            return
        }
    }
}
