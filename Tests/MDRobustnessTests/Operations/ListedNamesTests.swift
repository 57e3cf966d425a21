import MDPropertyList
import MDTestSupport
import Testing

/// What a list says of a key, the question about that key says, too, and so does an application of that name.
struct ListedNamesTests {
    /// Names of domains that policy may have, and that mean something else where somebody writes them.
    static let domains = [
        "sfx.plist", "kCFPreferencesAnyApplication", "sp ", "org.example.app*", "plain", ".plist",
        "two.plist.plist", "NSGlobalDomain.plist",
    ]

    @Test(arguments: domains) func `list, question and application agree`(_ domain: String) throws {
        let machine = try TemporaryMachine()
        try machine.write(
            "etc/managed-defaults/policies.d/10-a.json",
            """
            { "Identifier": "edu.example.a", "Forced": { "\(domain)": { "Page": "one" } } }
            """)
        #expect(try machine.run([], "forced").output.hasPrefix("\(domain) Page = \"one\"\n"))
        #expect(try machine.run([], "forced", domain, "Page").output == "forced\n")
        #expect(try machine.run([], "forced", domain).output.hasPrefix("\(domain) Page = \"one\"\n"))
        #expect(try machine.run([], "read", domain, "Page").output == "one\n")
        #expect(try machine.run([], "write", domain, "Page", "mine").code == 3)
        let probe = TemporaryMachine.program("library-probe")
        let application = try SpawnedProgram.run(probe, [machine.path, "pupil", domain, "Page"])
        #expect(application.output == "forced one refused\n")
        let grant = ["policy", "grant", "--for", "5m", "--user", "pupil", "--reason", "r", domain, "Page"]
        #expect(try machine.run([], grant).code == 0)
        #expect(try machine.run([], "forced", domain, "Page").output == "not forced\n")
        #expect(try SpawnedProgram.run(probe, [machine.path, "pupil", domain, "Page"]).output == "free - stored\n")
    }

    @Test func `the name of a file means its domain where nothing is forced in one of that name`() throws {
        let machine = try TemporaryMachine()
        try machine.force("10-a", "Page", "one")
        let word = TemporaryMachine.domain + ".plist"
        #expect(try machine.run([], "forced", word, "Page").output == "forced\n")
        #expect(try machine.run([], "read", word, "Page").output == "one\n")
        #expect(try machine.run([], "explain", word, "Page").code == 0)
    }
}
