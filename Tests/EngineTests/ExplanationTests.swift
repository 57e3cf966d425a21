import Foundation
import Platform
import Policy
import PropertyList
import Testing

@testable import Engine

/// The explanation and the lookup are written apart, so each is held to the other.
struct ExplanationTests {
    /// The classroom machine of the examples, which is only read.
    private static let lab =
        URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path + "/Examples/lab"

    @Test func `explains every key as a lookup answers it, for every user`() throws {
        let machine = try PolicyMachine(folder: ExplanationTests.lab)
        var count = 0
        for account in machine.people {
            let session = UserSession(machine: machine, account: account)
            let domains: [Key] = [
                "NSGlobalDomain", "org.example.Browser", "org.example.Editor", "org.example.Display",
                "org.example.Player", "org.example.Desktop", "org.example.Terminal", "org.example.Unknown",
            ]
            for domain in domains {
                for suites in [[], ["org.example.Session"], ["NSGlobalDomain", "org.example.Browser"]] as [[Key]] {
                    let list = session.search(application: domain, suites: suites).list
                    for key in list.keys + ["Nothing"] {
                        let answer = list.answer(for: key)
                        let explanation = session.explain(key, in: domain, suites: suites)
                        #expect(explanation.value == answer.value)
                        #expect(explanation.isForced == (answer.forced != nil))
                        #expect(
                            explanation.winningLayer?.kind == answer.layer?.kind ?? answer.forced.map { _ in .forced })
                        #expect(explanation.winningLayer?.domain == answer.layer?.domain ?? answer.forced?.domain)
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
        let explanation = Explanation(
            domain: "org.example.App", key: "K",
            layers: [
                ExplainedLayer(.forced, domain: own.domain, entries: ["K": own], key: "K"),
                ExplainedLayer(.forced, domain: global.domain, entries: ["K": global], key: "K"),
                ExplainedLayer(.application, domain: own.domain, content: .value(.integer(1)), path: "/a"),
            ])
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
