import Testing

/// Command lines with missing, surplus or contradictory words.
struct ManagedUsageTests {
    @Test(arguments: [
        ("explain", "DOMAIN and KEY are missing.", "explain DOMAIN KEY [--json]"),
        ("explain org.example.Browser", "KEY is missing.", "explain DOMAIN KEY [--json]"),
        ("explain a b c", "The word c is not understood here.", "explain DOMAIN KEY [--json]"),
        ("explain --all a b", "The option --all is not understood here.", "explain DOMAIN KEY [--json]"),
        ("explain ../etc b", "cannot be the name of a domain", "explain DOMAIN KEY [--json]"),
        ("forced a b c", "The word c is not understood here.", "forced DOMAIN KEY [--json]"),
        ("forced a --jsn", "The option --jsn is not understood here.", "forced DOMAIN KEY [--json]"),
        ("policy", "A word is missing behind policy.", "policy list [--json]"),
        (
            "policy lnt", "There is no verb policy lnt. Probably policy lint is meant.",
            "policy lint [FILE|FOLDER…] [--format text|json|sarif] [--fix]"
        ),
        (
            "policy lint --format", "--format needs a value.",
            "policy lint [FILE|FOLDER…] [--format text|json|sarif] [--fix]"
        ),
        (
            "policy lint --format xml", "There is no format xml",
            "policy lint [FILE|FOLDER…] [--format text|json|sarif] [--fix]"
        ),
        (
            "policy lint --format text --json", "contradict each other",
            "policy lint [FILE|FOLDER…] [--format text|json|sarif] [--fix]"
        ),
        ("policy lint --format json --format=text", "--format stands twice.", "policy lint [FILE|FOLDER…]"),
        (
            "policy lint -x", "The option -x is not understood here.",
            "policy lint [FILE|FOLDER…] [--format text|json|sarif] [--fix]"
        ),
        ("help --json", "--json has no meaning here: help has no such output.", "help [VERB]"),
        ("policy list all", "The word all is not understood here.", "policy list [--json]"),
        ("policy show --levels", "The option --levels is not understood here.", "policy show [--json]"),
        ("--user nobody-here policy list", "has no user nobody-here", ""),
        ("audit", "A word is missing behind audit.", "audit verify [FILE…] [--json]"),
        ("audit list x", "The word x is not understood here.", "audit list [--since TIME]"),
        ("audit list --since yesterday", "is no time of RFC 3339", "audit list [--since TIME]"),
        ("audit list --until 2026-11-31T00:00:00Z", "is no time of RFC 3339", "audit list [--since TIME]"),
        (
            "audit list --since 2026-11-21T00:00:00Z --until 2026-11-20T00:00:00Z", "is later than --until",
            "audit list [--since TIME]"
        ),
        ("audit list --kind overrides", "There is no kind overrides", "audit list [--since TIME]"),
        ("audit list --limit 0", "is no whole number from 1 on", "audit list [--since TIME]"),
        ("audit list --limit -1", "is no whole number from 1 on", "audit list [--since TIME]"),
        ("audit list --limit 99999999999999999999", "is no whole number from 1 on", "audit list [--since TIME]"),
        ("audit list --user", "--user needs a value.", "audit list [--since TIME]"),
        ("audit list --user --json", "--user needs a value.", "audit list [--since TIME]"),
        ("audit list --user a --user=b", "--user stands twice.", "audit list [--since TIME]"),
        ("audit list --key", "--key needs a value.", "audit list [--since TIME]"),
        ("audit verify --quick", "The option --quick is not understood here.", "audit verify [FILE…] [--json]"),
    ])
    func `exits 2 with a sentence and the usage`(_ words: String, _ sentence: String, _ usage: String) throws {
        let result = try Lab().managed(words.split(separator: " ").map(String.init))
        #expect(result.code == 2)
        #expect(result.output == "")
        #expect(result.error.contains(sentence))
        #expect(usage.isEmpty || result.error.contains("mdefaults \(usage)"))
    }

    @Test func `a misspelt verb is suggested, and a group of verbs explains itself`() throws {
        let lab = try Lab()
        #expect(try lab.managed("forcd", "a.b").error.contains("There is no verb forcd a.b. Probably forced is meant."))
        #expect(try !lab.managed("quux").error.contains("Probably"))
        for option in ["--help", "-h"] {
            let group = try lab.managed("policy", option)
            #expect(group.code == 0)
            #expect(group.output == (try lab.managed("help", "policy").output))
        }
        #expect(try lab.managed("polcy", "--help").code == 2)
    }

    @Test(arguments: [
        ("explain", "explain DOMAIN KEY"), ("forced", "forced DOMAIN KEY"),
        ("policy lint", "policy lint [FILE|FOLDER…]"),
        ("policy list", "policy list [--json]"), ("policy show", "policy show [--json]"),
        ("audit list", "--since TIME, --until TIME"), ("audit verify", "10 altered"),
    ])
    func `help names usage, JSON and exit codes within 120 columns`(_ verb: String, _ line: String) throws {
        let lab = try Lab()
        let words = verb.split(separator: " ").map(String.init)
        let result = try lab.managed(["help"] + words)
        #expect(result.code == 0)
        #expect(result.output.contains("mdefaults \(verb)"))
        #expect(result.output.contains(line))
        #expect(result.output.contains("JSON"))
        #expect(result.output.contains("exit codes: 0"))
        #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 120 })
        let behind = try lab.managed(words + ["--help"])
        #expect(behind.code == 0)
        #expect(behind.output == result.output)
    }
}
