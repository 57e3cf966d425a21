import MDPlatform
import MDPropertyList
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// In a user namespace that does not belong to root the user may be unknown; that never frees a key.
struct UnknownUserTests {
    /// The resultant set of some files for an unknown user, from the sources and from a table.
    private static func resolve(_ texts: String...) throws -> [ResultantSet] {
        let files = texts.enumerated().map { number, text in
            let path = "/etc/managed-defaults/policies.d/\(number).json"
            let parsed = PolicyFile.parse(
                bytes: Array("{ \"Identifier\": \"a.n\(number)\", \(text) }".utf8), path: path)
            #expect(parsed.file != nil, "\(parsed.diagnostics)")
            return PolicyFileState(path: path, policy: parsed.file, diagnostics: [])
        }
        let set = PolicySet(files: files, names: AccountIDs(users: ["alice": .id(1001)], groups: ["lab": .id(2001)]))
        let subject = Subject(
            userName: "nobody", uid: 65_534, gid: 65_534, groups: [], home: "/",
            host: HostName(short: "h", full: "h.x"),
            moment: Moment(time: Clock.now(), zones: ZoneDatabase(root: .system)), unknown: .identity)
        let bytes = CompiledTable.compile(set, host: "h.x", tags: [], surroundings: [], sources: [])
        let pages = try TablePages(try #require(bytes))
        let table = try #require(try CompiledTable(checking: pages, root: nil))
        return [set.resolve(for: subject), try table.resolve(for: subject)]
    }

    @Test(arguments: [
        #""Users": ["alice"]"#, #""Groups": ["lab"]"#, #""Except": { "Users": ["alice"] }"#,
        #""Except": { "Groups": ["lab"] }"#,
    ])
    func `what a file for some users forces, limits or seals has no value`(_ target: String) throws {
        let all = #""Forced": { "d": { "A": 1, "B": 2, "C": 3, "E": 5 } }, "Recommended": { "d": { "R": 1 } }"#
        let some = """
            "Target": { \(target) }, "Forced": { "d": { "A": 7 } }, "Absent": { "d": ["B"] }, "Sealed": ["s"],
            "Constraints": { "d": { "C": { "Maximum": 9 } } }, "Recommended": { "d": { "R": 2, "Q": 2 } },
            "SetOnce": { "d": { "O": 1 } },
            "Waivers": [ { "Domain": "d", "Key": "E", "Until": "2999-01-01T00:00:00Z", "Reason": "r" } ]
            """
        for found in try Self.resolve(all, some) {
            for (domain, key) in [("d", "A"), ("d", "B"), ("d", "C"), ("s", "anything")] {
                let entry = found.forcedEntry(domain: Key(domain), key: Key(key))
                #expect(entry != nil && entry?.value == nil && entry?.shortfall == .user, "\(domain) \(key)")
            }
            #expect(found.forcedEntry(domain: "d", key: "E")?.value == .integer(5))
            #expect(found.recommended["d"]?.mapValues(\.value) == ["R": .integer(1)])
            #expect(found.setOnce.isEmpty && found.constraints.isEmpty && found.waivers.isEmpty)
        }
    }

    @Test func `a waiver for some users lifts nothing, and one for all users does`() throws {
        let waiver = #""Domain": "d", "Until": "2999-01-01T00:00:00Z", "Reason": "r""#
        let file = """
            "Forced": { "d": { "A": 1, "B": 2, "C": 3 } },
            "Waivers": [ { "Key": "A", "Users": ["alice"], \(waiver) }, { "Key": "B", "Groups": ["lab"], \(waiver) },
                         { "Key": "C", \(waiver) } ]
            """
        for found in try Self.resolve(file) {
            #expect(found.forced["d"]?.mapValues(\.value) == ["A": .integer(1), "B": .integer(2)])
        }
    }

    @Test func `a file that another condition rules out takes no value away`() throws {
        let some = #""Target": { "Users": ["alice"], "Hosts": ["elsewhere"] }, "Forced": { "d": { "A": 7 } }"#
        for found in try Self.resolve(#""Forced": { "d": { "A": 1, "U": "${user}" } }"#, some) {
            #expect(found.forcedEntry(domain: "d", key: "A")?.value == .integer(1))
            let user = found.forcedEntry(domain: "d", key: "U")
            #expect(user != nil && user?.value == nil && user?.shortfall == .variable)
        }
    }
}
