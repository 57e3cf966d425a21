import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPreferences
import MDPropertyList
import MDTestSupport
import Testing

struct HomeInspectionTests {
    /// The inspection of a home with values of all types and a damaged file.
    private func reading() throws -> HomeInspection {
        let lab = try TemporaryMachine()
        try lab.policy(
            "10-a.json",
            #"{"Identifier": "a.b", "Forced": {"org.example.A": {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f\u202e": 1}}}"#
        )
        try lab.write(
            "/home/alice/.config/org.example.A.plist",
            """
            <plist><dict><key>a</key><date>2025-01-01T00:00:00Z</date><key>b</key><data>AAECAw==</data>
            <key>c</key><real>nan</real><key>d</key><dict><key>$date</key><string>no date</string></dict>
            <key>e</key><integer>18446744073709551615</integer><key>f\u{202e}</key><string>"\u{200b}é</string></dict></plist>
            """)
        try lab.write("/home/alice/.config/org.example.B.plist", "{ x")
        let machine = try lab.machine()
        let account = try #require(machine.accounts.account(named: "alice"))
        let preferences = PreferencesDirectory(
            of: account, root: machine.root, environment: [:], machineID: Machine.machineID(root: machine.root))
        try lab.write("/home/alice/spool.jsonl", "{}\n{}\n")
        try lab.write("/home/alice/spool-dropped.jsonl", TemporaryMachine.dropped(7))
        return HomeReader(
            preferences: preferences, resultant: machine.policies.resolve(for: machine.subject(for: account)),
            spool: "/home/alice/spool.jsonl"
        ).read()
    }

    @Test func `what a child found arrives as it was`() throws {
        let reading = try reading()
        #expect(reading.stored.map(\.key) == ["a", "b", "c", "d", "e", "f\u{202e}"])
        #expect(reading.problems.count == 1)
        let arrived = try #require(HomeInspection(decoding: reading.encoded()))
        #expect(arrived.problems == reading.problems)
        #expect(arrived.waiting == 2 && arrived.dropped == 7)
        #expect(arrived.stored.map(\.value.value) == reading.stored.map(\.value.value))
        #expect(arrived.stored.map(\.value.value.typeName) == reading.stored.map(\.value.value.typeName))
        #expect(arrived.stored.map(\.key) == reading.stored.map(\.key))
        #expect(arrived.stored.map(\.value.file) == reading.stored.map(\.value.file))
        #expect(arrived.stored.map(\.value.isEqual) == reading.stored.map(\.value.isEqual))
        #expect(arrived.stored.map(\.forcedDomain) == reading.stored.map(\.forcedDomain))
    }

    @Test func `an answer that is cut short or changed is none, or is one`() throws {
        let bytes = try reading().encoded()
        for end in bytes.indices { #expect(HomeInspection(decoding: Array(bytes[..<end])) == nil) }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x41
            // Nothing is asked of the result but that there is one.
            _ = HomeInspection(decoding: changed)
        }
    }
}
