import Foundation
import ManagedDefaults
import Testing

/// Changes that others make arrive without anybody asking.
struct LiveTests {
    /// Waits for the change of a key that ends in a state, or gives up after a time far above any that it takes.
    static func change(
        _ defaults: ManagedDefaults, _ key: String, when isSo: @escaping @Sendable (ManagedDefaults.Change) -> Bool,
        after act: () throws -> Void
    ) async throws -> ManagedDefaults.Change? {
        let changes = defaults.changes(forKey: key)
        try act()
        let task = Task { () -> ManagedDefaults.Change? in
            for await change in changes where isSo(change) { return change }
            return nil
        }
        let limit = Task {
            try await Task.sleep(for: .seconds(60))
            task.cancel()
        }
        defer { limit.cancel() }
        return await task.value
    }

    @Test func anotherWritersChangeArrives() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        let file = "home/pupil/.config/\(TemporaryMachine.application).plist"
        let change = try await LiveTests.change(defaults, "K", when: { $0.value as? Int == 5 }) {
            try machine.write("<plist><dict><key>K</key><integer>5</integer></dict></plist>", to: file)
        }
        #expect(change?.cause == .otherProcess)
        #expect(defaults.integer(forKey: "K") == 5)
        // An editor writes beside it and renames.
        let again = try await LiveTests.change(defaults, "K", when: { $0.value as? String == "6" }) {
            try machine.write("{ K = 6; L = <01>; }", to: file + ".new")
            #expect(rename(machine.path + "/" + file + ".new", machine.path + "/" + file) == 0)
        }
        #expect(again != nil)
        #expect(defaults.string(forKey: "K") == "6")
        #expect(defaults.data(forKey: "L") == Data([1]))
        let removed = try await LiveTests.change(defaults, "L", when: { $0.value == nil }) {
            try FileManager.default.removeItem(atPath: machine.path + "/" + file)
        }
        #expect(removed != nil && defaults.object(forKey: "K") == nil)
    }

    @Test func policyThatArrivesDisablesControlsAtOnce() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        defaults.set("mine", forKey: "HomePage")
        let forced = try await LiveTests.change(defaults, "HomePage", when: { $0.isForced }) {
            try machine.write(ForcedKeyTests.policy, to: "etc/managed-defaults/policies.d/20-new.json")
        }
        #expect(forced?.cause == .policy)
        #expect(forced?.managedBy?.policy == "org.example.lab")
        #expect(defaults.objectIsForced(forKey: "HomePage"))
        let freed = try await LiveTests.change(defaults, "HomePage", when: { !$0.isForced }) {
            try FileManager.default.removeItem(
                atPath: machine.path + "/etc/managed-defaults/policies.d/20-new.json")
        }
        #expect(freed?.value as? String == "mine")
    }

    @Test func whatALinkLeadsToIsSeenWhereverItLies() async throws {
        let machine = try TemporaryMachine(policy: DomainTests.free)
        let defaults = try machine.open()
        let (link, target) = (machine.path + "/etc/managed-defaults/policies.d/20-link.json", "srv/policy/lesson.json")
        try machine.write(ForcedKeyTests.policy, to: target)
        let forced = try await LiveTests.change(defaults, "HomePage", when: { $0.isForced }) {
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/" + target)
        }
        #expect(forced != nil)
        // In place, then by a rename, then by another link in the way.
        for (page, isInPlace) in [("one", true), ("two", false), ("three", true)] {
            let text = ForcedKeyTests.policy.replacingOccurrences(of: "school.example", with: page)
            let changed = try await LiveTests.change(
                defaults, "HomePage", when: { $0.value as? String == "https://\(page)/" }
            ) {
                try machine.write(text, to: isInPlace ? target : target + ".new")
                if !isInPlace { #expect(rename("\(machine.path)/\(target).new", "\(machine.path)/\(target)") == 0) }
            }
            #expect(changed != nil, "\(page)")
        }
        try machine.write(
            ForcedKeyTests.policy.replacingOccurrences(of: "school", with: "four"), to: "opt/p/other.json")
        let moved = try await LiveTests.change(
            defaults, "HomePage", when: { $0.value as? String == "https://four.example/" }
        ) {
            try FileManager.default.createSymbolicLink(atPath: link + ".new", withDestinationPath: "/opt/p/other.json")
            #expect(rename(link + ".new", link) == 0)
        }
        #expect(moved != nil)
        let last = try await LiveTests.change(
            defaults, "HomePage", when: { $0.value as? String == "https://five.example/" }
        ) {
            try machine.write(
                ForcedKeyTests.policy.replacingOccurrences(of: "school", with: "five"), to: "opt/p/other.json")
        }
        #expect(last != nil)
    }
}
