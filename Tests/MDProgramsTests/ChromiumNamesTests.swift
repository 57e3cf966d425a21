import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPrograms

/// What is known of the names, types and choices of Chromium's policies.
struct ChromiumNamesTests {
    private static let table = Array(
        """
        # name, type, choices
        ShowButton\tboolean\t\t\t\t
        Mode\tinteger\t0,1,2\t\t\t
        Blocklist\tstrings\t\t\t\t
        Page\tstring\t\t\t\tyes
        Level\tstring\tlow,high\t\t\t
        Settings\tdictionary\t\t\t\t
        """.utf8)

    private func doubt(
        _ key: Key, _ value: Value, listed: Set<Key> = [], program: String = "chromium"
    ) -> String? {
        let family = ChromiumFamily.all.first { $0.name == program }
        return family.flatMap { ChromiumNames(Self.table, listed: listed).doubt(about: value, of: key, in: $0) }
    }

    @Test func `what the table has fits`() {
        #expect(doubt("ShowButton", .boolean(true)) == nil && doubt("Mode", .integer(2)) == nil)
        #expect(doubt("Blocklist", .array([])) == nil && doubt("Page", .string("x")) == nil)
        #expect(doubt("Page", .dictionary([:])) == nil && doubt("Level", .string("low")) == nil)
        #expect(doubt("Settings", .dictionary([:])) == nil)
    }

    @Test func `another type, another choice and an unknown name are said`() {
        let known = "Chromium is known to take"
        #expect(doubt("ShowButton", .string("yes")) == "\(known) a boolean here, and this is of type string")
        #expect(doubt("Blocklist", .string("x")) == "\(known) an array here, and this is of type string")
        #expect(doubt("Mode", .integer(7)) == "\(known) only 0, 1, 2 here")
        #expect(doubt("Level", .string("mid")) == "\(known) only low, high here")
        #expect(
            doubt("ShowButon", .boolean(true))
                == "Chromium is not known to have a policy ShowButon; is ShowButton meant?")
    }

    @Test func `what the browser listed counts more than the table`() {
        let listed: Set<Key> = ["ShowButton", "NewPolicy"]
        #expect(doubt("NewPolicy", .integer(1), listed: listed) == nil)
        #expect(doubt("Mode", .integer(1), listed: listed) == "Chromium has no policy Mode")
    }

    @Test func `a browser with names of its own is not doubted for them`() {
        #expect(doubt("BraveRewards", .boolean(true), program: "brave") == nil)
        #expect(doubt("ShowButton", .integer(1), program: "brave")?.utf8.isEmpty == false)
        #expect(ChromiumNames([]).doubt(about: .integer(1), of: "Any", in: ChromiumFamily.all[0]) == nil)
    }

    @Test func `any bytes are read as a table`() {
        for bytes in [[0xff, 0x09, 0x09, 0x09], [0x09, 0x0a, 0x09, 0x09, 0x09], Array("a\tb\tc,,\n".utf8)] as [[UInt8]]
        {
            _ = ChromiumNames(bytes).doubt(about: .integer(1), of: "a", in: ChromiumFamily.all[0])
        }
    }

    @Test func `the listing of a browser counts for the version that was asked`() throws {
        let (machine, chromium) = (try TemporaryMachine(.none), ChromiumFamily.all[0])
        try machine.write("usr/bin/chromium", "1")
        let version = try #require(chromium.version(in: machine.root))
        var names = KnownNames()
        let (isNew, isAnother) = (
            names.set(["B", "A"], of: chromium, version: version),
            names.set(["A", "B"], of: chromium, version: version)
        )
        #expect(isNew && !isAnother)
        let again = try KnownNames(names.encoded)
        #expect(again.names(of: chromium, version: version) == ["A", "B"])
        #expect(again.names(of: chromium, version: SHA256.hash([])).isEmpty)
        #expect(again.names(of: ChromiumFamily.all[1], version: version).isEmpty)
        #expect(throws: StoredFileError.self) { try KnownNames(Array(names.encoded.dropFirst())) }
        try machine.write("var/lib/managed-defaults/known-policies", names.encoded)
        let rendering = chromium.prepared(for: machine.root).render(
            ProgramPolicy([
                ProgramEntry(
                    domain: "org.chromium.Chromium", key: "C", level: .forced(.integer(1)),
                    origin: Origin(policy: "p", file: "/p.json", position: .start), digest: SHA256.hash([]))
            ]), for: .everybody, in: machine.root)
        #expect(rendering.findings.map(\.kind) == [.notKnown] && rendering.files.count == 1)
    }
}
