import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPrograms

/// What policy becomes for Xfce's kiosk mode.
struct XfceTests {
    private func entry(_ key: Key, _ level: ProgramEntry.Level) -> ProgramEntry {
        ProgramEntry(
            domain: "org.xfce.kiosk", key: key, level: level,
            origin: Origin(policy: "p", file: "/p.json", position: .start), digest: SHA256.hash([]))
    }

    private func render(_ entries: [ProgramEntry]) throws -> ProgramRendering {
        XfceKiosk().render(ProgramPolicy(entries), for: .everybody, in: try TemporaryMachine(.none).root)
    }

    @Test func `capabilities are lines of their module`() throws {
        let rendering = try render([
            entry("xfce4-panel/CustomizePanel", .forced(.array([.string("root"), .string("%teachers")]))),
            entry("xfce4-session/SaveSession", .forced(.boolean(true))),
            entry("xfce4-session/Shutdown", .forced(.boolean(false))),
            entry("xfdesktop/UserMenu", .forced(.array([]))),
        ])
        let lines = [
            "[xfce4-panel]", "CustomizePanel=root,%teachers", "[xfce4-session]", "SaveSession=ALL", "Shutdown=NONE",
            "[xfdesktop]", "UserMenu=NONE",
        ]
        #expect(rendering.files == [ProgramFile("/etc/xdg/xfce4/kiosk/kioskrc", .block(lines))])
        #expect(rendering.findings.isEmpty)
    }

    @Test(arguments: [
        (Key("Shutdown"), Value.boolean(false)), ("a/b/c", .boolean(false)), ("a/b=c", .boolean(false)),
        ("a]/b", .boolean(false)), ("a/b", .string("root")), ("a/b", .array([.string("x,y")])),
        ("a/b", .array([.string("x\ny")])),
    ])
    func `what the file cannot say is a finding`(_ key: Key, _ value: Value) throws {
        let rendering = try render([entry(key, .forced(value))])
        #expect(rendering.files.isEmpty && rendering.findings.count == 1)
    }

    @Test func `nothing is a default`() throws {
        let rendering = try render([entry("a/b", .recommended(.boolean(true))), entry("a/c", .absent)])
        #expect(rendering.files.isEmpty && rendering.findings.count == 2)
    }

    @Test(arguments: [
        (Value.boolean(false), "  CAP \"Shutdown\" = DENIED\n", "enforced"),
        (.boolean(false), "  CAP \"Shutdown\" = ALLOWED\n", "differs"),
        (.boolean(true), "  CAP \"Shutdown\" = ALLOWED\n", "enforced"), (.boolean(true), "", "unknown"),
        (.array([.string("root")]), "  CAP \"Shutdown\" = DENIED\n", "unknown"),
    ])
    func `the tool's word is compared`(_ value: Value, _ output: String, _ result: String) {
        let answer = XfceWitness.answer(entry("xfce4-session/Shutdown", .forced(value)), value, Array(output.utf8))
        #expect(answer.result.rawValue == result)
    }
}
