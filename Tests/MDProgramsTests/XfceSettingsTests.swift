import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPrograms

/// What policy becomes in the channels of xfconf.
struct XfceSettingsTests {
    private func entry(_ key: Key, _ level: ProgramEntry.Level) -> ProgramEntry {
        ProgramEntry(
            domain: "org.xfce.xfconf.lab", key: key, level: level,
            origin: Origin(policy: "p", file: "/p.json", position: .start), digest: SHA256.hash([]))
    }

    private func render(_ entries: [ProgramEntry]) throws -> ProgramRendering {
        XfceSettings().render(ProgramPolicy(entries), for: .everybody, in: try TemporaryMachine(.none).root)
    }

    /// The file beside what others have.
    private func text(_ entries: [ProgramEntry], beside foreign: String? = nil) throws -> String {
        let file = try #require(try render(entries).files.first)
        #expect(file.path == "/etc/xdg/xfce4/xfconf/xfce-perchannel-xml/lab.xml")
        let bytes = SharedFile(content: file.content).whole(with: foreign.map { Array($0.utf8) })
        return String(decoding: try #require(bytes), as: UTF8.self)
    }

    @Test func `each part of a path is an element, and what is forced is locked for all but root`() throws {
        let text = try text([
            entry("a", .recommended(.string("x\"&\n"))), entry("a/b", .forced(.integer(7))),
            entry("a/c/d", .absent), entry("list", .recommended(.array([.integer(1), .boolean(true)]))),
            entry("size", .forced(.dictionary(["uint": .integer(48)]))), entry("w", .forced(.real(1.5))),
        ])
        #expect(
            text == """
                <?xml version="1.0" encoding="UTF-8"?>
                <channel name="lab" version="1.0">
                <!-- ManagedDefaults: from here -->
                  <property name="a" type="string" value="x&quot;&amp;&#10;">
                    <property name="b" type="int" value="7" unlocked="root"/>
                    <property name="c" type="empty">
                      <property name="d" type="empty" unlocked="root"/>
                    </property>
                  </property>
                  <property name="list" type="array">
                    <value type="int" value="1"/>
                    <value type="bool" value="true"/>
                  </property>
                  <property name="size" type="uint" value="48" unlocked="root"/>
                  <property name="w" type="double" value="1.5" unlocked="root"/>
                <!-- ManagedDefaults: to here --></channel>

                """)
    }

    @Test(arguments: [
        "<channel name=\"lab\" version=\"1.0\"><property name=\"a\" type=\"int\" value=\"1\"/></channel>",
        "<?xml version=\"1.0\"?>\n<!-- </channel> -->\n<channel name=\"lab\" version=\"1.0\">\n</channel>\n\n",
    ])
    func `what others have stays before it, and comes back as it was`(_ foreign: String) throws {
        let entries = [entry("a/b", .forced(.integer(7)))]
        let shared = SharedFile(content: try #require(try render(entries).files.first).content)
        let whole = try #require(shared.whole(with: Array(foreign.utf8)))
        #expect(whole.starts(with: Array(foreign.utf8).dropLast(13)) && whole.count > foreign.utf8.count)
        #expect(shared.foreign(in: whole, written: whole, original: nil) == Array(foreign.utf8))
        let alone = try #require(shared.whole(with: nil))
        #expect(shared.foreign(in: alone, written: alone, original: nil) == [])
    }

    @Test func `a sealed channel is locked as a whole, has no properties of others and says what a seal leaves`() throws
    {
        let entries = [entry("", .sealed), entry("list", .forced(.array([.integer(1)])))]
        let text = try text(entries, beside: "<channel><property/></channel>")
        #expect(text.contains("<channel name=\"lab\" version=\"1.0\" unlocked=\"root\">\n<!--"))
        #expect(!text.contains("<property/>"))
        #expect(try render(entries).findings.map(\.message).count == 1)
    }

    @Test(arguments: [
        (Key("/a"), Value.boolean(true)), ("a b", .boolean(true)), ("a//b", .boolean(true)),
        ("a", .array([.integer(1)])),
        ("a", .date(0)), ("a", .dictionary(["uint": .integer(-1)])), ("a", .dictionary(["word": .integer(1)])),
        ("a", .string("\u{1}")),
    ])
    func `what a channel cannot say is a finding`(_ key: Key, _ value: Value) throws {
        let rendering = try render([entry(key, .forced(value))])
        #expect(rendering.files.isEmpty && rendering.findings.count == 1)
    }

    @Test(arguments: [
        ("<channel><property name=\"a\" type=\"empty\"><property name=\"b\" type=\"int\"/></property></channel>", nil),
        ("<channel><property name=\"a\" type=\"empty\"></channel>", "others have a mistake in it"),
        ("<chanel></chanel>", "others have a mistake in it"),
        (
            "<channel><property name=\"a\" type=\"array\"><value type=\"int\"/></property></channel>",
            "/a of others loses"
        ),
    ])
    func `a file of others that keeps policy from counting, or loses by it, is found`(_ text: String, _ said: String?) {
        let clause = XfceProperties.objection(toForeign: Array(text.utf8), beside: ["a/b", "c"])
        #expect(said.map { clause?.contains($0) == true } ?? (clause == nil), "\(clause ?? "")")
    }

    @Test(arguments: [
        (ProgramEntry.Level.forced(.integer(7)), "7\n\u{1}7\n\u{1}", "enforced"),
        (.forced(.integer(7)), "7\n\u{1}managed-defaults-other\n\u{1}", "differs"),
        (.forced(.integer(7)), "8\n\u{1}8\n\u{1}", "differs"),
        (.forced(.real(1.5)), "1.500000\n\u{1}1.500000\n\u{1}", "enforced"),
        (.absent, "\u{2}\u{1}\u{2}\u{1}", "enforced"), (.absent, "\u{2}\u{1}managed-defaults-other\n\u{1}", "differs"),
        (
            .recommended(.array([.integer(1)])),
            "Value is an array with 1 items:\n\n1\n\u{1}managed-defaults-other\n\u{1}", "default"
        ),
        (.forced(.integer(7)), "", "unknown"),
    ])
    func `the word of the service is compared`(_ level: ProgramEntry.Level, _ output: String, _ result: String) {
        #expect(XfceSettingsWitness.answer(entry("a", level), Array(output.utf8)).result.rawValue == result)
    }
}
