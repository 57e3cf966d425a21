import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPrograms

/// What policy becomes for KDE and for LibreOffice.
struct DesktopTests {
    let machine: TemporaryMachine

    init() throws {
        machine = try TemporaryMachine(.none)
    }

    /// An entry for a program.
    private func entry(_ domain: Key, _ key: Key, _ level: ProgramEntry.Level) -> ProgramEntry {
        ProgramEntry(
            domain: domain, key: key, level: level,
            origin: Origin(policy: "p", file: "/p.json", position: .start), digest: SHA256.hash([]))
    }

    private func render(_ program: some Program, _ entries: [ProgramEntry]) -> ProgramRendering {
        program.prepared(for: machine.root).render(ProgramPolicy(entries), for: .everybody, in: machine.root)
    }

    /// The lines of the only file of KDE.
    private func lines(_ rendering: ProgramRendering) throws -> [String] {
        guard case .block(let lines) = try #require(rendering.files.first).content else { return [] }
        return lines
    }

    // MARK: KDE

    @Test(arguments: [
        (Value.string(" a\\b\n "), "\\x20a\\x5cb\\x0a\\x20"), (.boolean(true), "true"), (.integer(-1), "-1"),
        (.string("$(id) ${HOME}"), "$(id) ${HOME}"), (.array([.string("a,b"), .integer(2)]), "a\\x5c,b,2"),
        (.array([.string("")]), "\\x5c0"), (.array([]), ""),
    ])
    func `values are written as KConfig reads them`(_ value: Value, _ text: String) throws {
        let rendering = render(KDE(), [entry("org.kde.labrc", "G/K", .forced(value))])
        #expect(try lines(rendering) == ["[G]", "K[$i]=\(text)"])
        #expect(rendering.files.map(\.path) == ["/etc/xdg/labrc"])
    }

    @Test(arguments: [
        (Key("A/B/K"), "[A][B]", "K"), ("K", "[<default>]", "K"), ("A%2FB/K%25", "[A/B]", "K%"),
        ("A/x=[y]#$", "[A]", "x\\x3d\\x5by\\x5d\\x23\\x24"), (" A/é ü ", "[\\x20A]", "é ü\\x20"),
    ])
    func `keys are paths`(_ key: Key, _ header: String, _ name: String) throws {
        let rendering = render(KDE(), [entry("org.kde.labrc", key, .recommended(.integer(1)))])
        #expect(try lines(rendering) == [header, "\(name)=1"])
    }

    @Test(arguments: ["", "/", "A/", "/K", "A//K", "A\\B/K", "A/B\\K", "A\u{0}/K", "*"] as [Key])
    func `other keys are findings`(_ key: Key) {
        let rendering = render(KDE(), [entry("org.kde.labrc", key, .absent)])
        #expect(rendering.files == [])
        #expect(rendering.findings.map(\.key) == [key])
    }

    @Test func `the file with Plasma's desktops is not written, because Plasma does not read it`() {
        let key: Key = "Containments/1/Wallpaper/org.kde.image/General/Image"
        let rendering = render(
            KDE(), [entry("org.kde.plasma-org.kde.plasma.desktop-appletsrc", key, .forced(.string("a.png")))])
        #expect(rendering.files.isEmpty && rendering.findings.map(\.key) == [key])
        #expect(rendering.findings.first?.message.contains("from the user's own") == true)
    }

    @Test(arguments: [
        ("file:///usr/share/a.png", true), ("/usr/share/a.png", true), ("/usr/share/b.png", false),
        ("file:///usr/share/b%20.png", false), ("/home/${user}.png", false), ("a.png", false), ("", false),
    ]) func `a picture that is not there is a finding, and is written`(_ value: String, _ isFound: Bool) throws {
        try machine.write("usr/share/b.png", "")
        let rendering = render(
            KDE(), [entry("org.kde.labrc", "A/*", .absent), entry("org.kde.labrc", "A/Image", .forced(.string(value)))])
        #expect(rendering.files.count == 1)
        #expect(
            rendering.findings.map(\.message)
                == (isFound ? ["there is no picture /usr/share/a.png on this machine"] : []))
    }

    @Test func `groups and files are locked as policy says`() throws {
        let rendering = render(
            KDE(),
            [
                entry("org.kde.a", "Locked/*", .absent), entry("org.kde.a", "Locked/K", .forced(.integer(1))),
                entry("org.kde.a", "Open/K", .absent), entry("org.kde.a", "Open/L", .absent),
                entry("org.kde.a", "KDE Action Restrictions/shell_access", .forced(.boolean(false))),
            ])
        #expect(
            try lines(rendering) == [
                "[KDE Action Restrictions][$i]", "shell_access[$i]=false", "[Locked][$i]", "K[$i]=1", "[Open]",
                "K[$id]",
                "L[$id]",
            ])
        // One finding for the group that a language gets past.
        #expect(rendering.findings.map(\.key) == ["Open/K"])
        let sealed = render(KDE(), [entry("org.kde.a", "", .sealed), entry("org.kde.a", "G/K", .forced(.integer(1)))])
        #expect(try lines(sealed) == ["[$i]", "[G]", "K[$i]=1"])
        #expect(sealed.findings == [])
    }

    @Test(arguments: ["org.kde.", "org.kde..hidden", "org.kde.a/b", "org.kde", "org.kdex.a"] as [Key])
    func `other domains are not taken`(_ domain: Key) {
        #expect(!KDE().takes(domain))
    }

    @Test func `a folder in the way is a finding and stays`() throws {
        try machine.makeDirectory("etc/xdg/autostart")
        let rendering = render(KDE(), [entry("org.kde.autostart", "A/B", .forced(.integer(1)))])
        #expect(rendering.files == [])
        #expect(rendering.findings.count == 1)
    }

    @Test(arguments: [
        ("[G][$i]\n", true), ("[G]\nK[$i]=1\n", true), ("[$i]\n", true), ("[G]\nK=1\n", false), ("[H][$i]\n", false),
        ("[G]\nL[$i]=1\n", false), ("", false),
    ])
    func `a lock of others is a rival`(_ text: String, _ isRival: Bool) throws {
        try machine.write("etc/xdg/labrc", text + "# ManagedDefaults: from here written by policy\n[G][$i]\n")
        let policy = ProgramPolicy([entry("org.kde.labrc", "G/K", .forced(.integer(1)))])
        #expect(KDE().rivals(of: policy, in: machine.root).isEmpty != isRival)
    }

    // MARK: A block in a file of others

    @Test(arguments: ["", "a", "a\n", "\n\na\n\n", "[G]\r\nK=1\r\n\r\n", "a\n# ManagedDefaults: to here\n"])
    func `what others have comes back byte for byte`(_ theirs: String) {
        let file = SharedFile(content: .block(["[G]", "K[$i]=1"]))
        let whole = file.whole(with: Array(theirs.utf8)) ?? []
        #expect(whole.starts(with: theirs.utf8))
        if theirs.contains("to here") { return }
        #expect(file.foreign(in: whole, written: whole, original: nil) == Array(theirs.utf8))
        // Others added lines at the end.
        #expect(
            file.foreign(in: whole + Array("b\n".utf8), written: whole, original: nil)
                == Array(
                    (theirs.isEmpty || theirs.last == "\n" || theirs.hasSuffix("\r\n") ? theirs : theirs + "\n").utf8)
                + Array("b\n".utf8))
    }

    @Test func `without its comments the block is found by its lines`() {
        let file = SharedFile(content: .block(["[G]", "K[$i]=1"]))
        let theirs = Array("[T]\nA=1\n".utf8)
        let whole = file.whole(with: theirs) ?? []
        let rewritten = Array("[G]\nK[$i]=1\n[T]\nA=2\n".utf8)
        #expect(file.foreign(in: rewritten, written: whole, original: theirs) == Array("[T]\nA=2\n".utf8))
    }

    // MARK: LibreOffice

    /// A schema as LibreOffice's packages bring it.
    private func writeSchema() throws {
        try machine.write(
            "etc/libreoffice/registry/main.xcd",
            """
            <?xml version="1.0"?><!-- a > b -->
            <oor:data xmlns:oor="x"><oor:component-schema oor:name="Lab" oor:package="org.openoffice.Office">
            <templates><group oor:name="Item"><prop oor:name="Size" oor:type="xs:short"/></group></templates>
            <component><group oor:name="G"><prop oor:name="B" oor:type="xs:boolean"><value>true</value></prop>
            <prop oor:name="I" oor:type="xs:int" oor:nillable="false"/><prop oor:name="L" oor:type="oor:string-list"/>
            <prop oor:name="D" oor:type="xs:double"/><prop oor:name="X" oor:type="xs:hexBinary"/>
            <node-ref oor:name="One" oor:node-type="Item"/><set oor:name="Many" oor:node-type="Item"/>
            <set oor:name="Far" oor:node-type="T" oor:component="org.openoffice.Missing"/>
            <group oor:name="Open" oor:extensible="true"/></group></component></oor:component-schema>
            <oor:component-data oor:name="Lab" oor:package="org.openoffice.Office"><node oor:name="N"/></oor:component-data>
            </oor:data>
            """)
    }

    /// What an entry becomes: the elements in the component, or the finding.
    private func item(_ key: Key, _ level: ProgramEntry.Level, domain: Key = "org.libreoffice.Office.Lab") throws
        -> String
    {
        let rendering = render(LibreOffice(), [entry(domain, key, level)])
        if let finding = rendering.findings.first { return finding.message }
        guard case .bytes(let bytes) = try #require(rendering.files.first).content else { return "" }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return String(
            lines[2].dropFirst("<item oor:path=\"/org.openoffice.Office.Lab\">".count).dropLast("</item>".count))
    }

    @Test func `settings are checked against the schema`() throws {
        try writeSchema()
        let group = "<node oor:name=\"G\" oor:op=\"fuse\">"
        let forced = "oor:op=\"fuse\" oor:finalized=\"true\"><value>"
        #expect(
            try item("G/B", .forced(.boolean(true)))
                == "\(group)<prop oor:name=\"B\" \(forced)true</value></prop></node>")
        #expect(
            try item("G/B", .recommended(.boolean(false)))
                == "\(group)<prop oor:name=\"B\" oor:op=\"fuse\"><value>false</value></prop></node>")
        #expect(
            try item("G/L", .forced(.array([.string("<a>"), .string("&")])))
                == "\(group)<prop oor:name=\"L\" \(forced)<it>&lt;a&gt;</it><it>&amp;</it></value></prop></node>")
        #expect(try item("G/B", .absent).contains("<value xsi:nil=\"true\"/>"))
        #expect(try item("G/D", .forced(.integer(2))).contains("<value>2</value>"))
        #expect(try item("G/X", .forced(.data([0, 255]))).contains("<value>00ff</value>"))
        #expect(try item("G/One/Size", .forced(.integer(3))).contains("<value>3</value>"))
        #expect(try item("G/Many/any/Size", .forced(.integer(3))).contains("<node oor:name=\"any\" oor:op=\"fuse\">"))
        #expect(try item("G/Far/any/Thing", .forced(.integer(3))).contains("oor:type=\"xs:int\""))
        #expect(try item("G/Open/New", .forced(.string("s"))).contains("oor:type=\"xs:string\""))
    }

    @Test(arguments: [
        ("G/B", Value.integer(1), "LibreOffice wants a boolean here, and this is of type integer"),
        ("G/I", .integer(1 << 31), "LibreOffice wants an integer in its range here, and this is of type integer"),
        ("G/One/Size", .integer(40_000), "LibreOffice wants an integer in its range here, and this is of type integer"),
        ("G/L", .array([.integer(1)]), "LibreOffice wants an array of strings here, and this is of type array"),
        ("G/D", .real(.infinity), "LibreOffice wants a number here, and this is of type float"),
        ("G/Open/New", .string("a\u{1}"), "LibreOffice cannot read a value with control characters"),
        ("G/Nope", .boolean(true), "LibreOffice has no such setting"),
        ("G", .boolean(true), "LibreOffice has no such setting"),
        ("G/B/C", .boolean(true), "LibreOffice has no such setting"),
        ("", .boolean(true), "LibreOffice has no such setting"),
        ("G/Far//X", .boolean(true), "LibreOffice has no setting of this name"),
    ])
    func `what would cost other settings is a finding`(_ key: String, _ value: Value, _ message: String) throws {
        try writeSchema()
        #expect(try item(Key(key), .forced(value)) == message)
    }

    @Test func `there is always a value of a setting that cannot be nil`() throws {
        try writeSchema()
        #expect(
            try item("G/I", .absent) == "LibreOffice always has a value for this setting, which the user may change")
        #expect(try item("G/B", .setOnce(.boolean(true))) == "LibreOffice has no values that are set once")
        #expect(
            try item("A/B", .forced(.integer(1)), domain: "org.libreoffice.Other") == "LibreOffice has no such setting")
    }

    @Test func `without a schema nothing is checked`() throws {
        #expect(try item("Any/Thing", .forced(.integer(1))).contains("oor:type=\"xs:int\""))
    }

    @Test(arguments: [
        "<", "<a", "<a b='", "<oor:component-schema><prop></x></prop>", "</", "<>", "<!--", "</>", "< />",
    ])
    func `a damaged schema is none`(_ text: String) throws {
        try machine.write("etc/libreoffice/registry/main.xcd", text)
        #expect(try item("Any/Thing", .forced(.integer(1))).contains("oor:type=\"xs:int\""))
    }

    @Test func `another file with the same setting is a rival`() throws {
        try machine.write("etc/libreoffice/registry/data/aa.xcu", "<oor:items><prop oor:name=\"B\"/></oor:items>")
        try machine.write("etc/libreoffice/registry/data/bb.xcu", "<oor:items><prop oor:name=\"Else\"/></oor:items>")
        let policy = ProgramPolicy([entry("org.libreoffice.Office.Lab", "G/B", .forced(.boolean(true)))])
        let rivals = LibreOffice().rivals(of: policy, in: machine.root)
        #expect(rivals.map(\.path) == ["/etc/libreoffice/registry/data/aa.xcu"])
    }
}
