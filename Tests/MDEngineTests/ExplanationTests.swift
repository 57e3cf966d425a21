import Foundation
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList
import Testing

@testable import MDEngine

/// Holds what `explain` says to what a lookup answers.
struct ExplanationTests {
    /// The classroom machine of the examples, which is only read.
    private static let lab =
        URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path + "/Examples/lab"

    @Test func `explains every key as a lookup answers it, for every user`() throws {
        let machine = try PolicyMachine(folder: ExplanationTests.lab).policy()
        var count = 0
        for account in machine.people {
            let session = UserSession(machine: machine, account: account)
            let domains: [Key] = [
                "NSGlobalDomain", "org.example.Browser", "org.example.Editor", "org.example.Display",
                "org.example.Player", "org.example.Desktop", "org.example.Terminal", "org.example.Unknown",
            ]
            for domain in domains {
                for suites in [[], ["org.example.Session"], ["NSGlobalDomain", "org.example.Browser"]] as [[Key]] {
                    let list = session.searchList(application: domain, suites: suites)
                    for key in list.keys + ["Nothing"] {
                        let answer = list.lookUp(key)
                        let explanation = session.explain(key, in: domain, suites: suites)
                        #expect(explanation.value == answer.value)
                        #expect(explanation.isForced == answer.rule.isForced)
                        #expect(explanation.winner == answer.winner)
                        let place = session.resultant.decidingEntry(
                            for: key, in: SearchOrder(ofOther: domain, suites: suites).forcingDomains)
                        #expect(explanation.winningLayer?.entry?.origin == place?.origin || place == nil)
                        count += 1
                    }
                }
            }
        }
        #expect(count > 500)
    }

    @Test func `a value forced in the global domain wins over an absent entry of the application's`() {
        let global = Self.entry("NSGlobalDomain", .forced, .boolean(true))
        let own = Self.entry("org.example.App", .absent, nil)
        let list = SearchList(layers: [
            SearchLayer(.forced, domain: own.domain, entries: ["K": own]),
            SearchLayer(.forced, domain: global.domain, entries: ["K": global]),
            SearchLayer(.application, domain: own.domain, values: ["K": .integer(1)], path: "/a"),
        ])
        let explanation = Explanation(of: "K", in: "org.example.App", by: list)
        #expect(explanation.winner == 1)
        #expect(explanation.value == .boolean(true))
        #expect(explanation.losses.map(\.kind) == [.forced, .application])
        #expect(explanation.losses.first?.level == .absent)
        #expect(explanation.losses.last?.path == "/a")
    }

    /// An entry of the key `K`.
    private static func entry(_ domain: Key, _ level: Level, _ value: Value?) -> ResolvedEntry {
        ResolvedEntry(
            level: level, domain: domain, key: "K", value: value,
            origin: Origin(policy: "org.example.p", file: "/p.json", position: .start),
            fileDigest: SHA256.hash([]))
    }
}
