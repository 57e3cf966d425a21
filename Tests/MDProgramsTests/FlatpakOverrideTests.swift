import MDEngine
import MDPlatform
import MDTestSupport
import Testing

@testable import MDCare
@testable import MDPrograms

/// The override that shows policy to Flatpaks comes and goes with the switch, and keeps what others have in it.
struct FlatpakOverrideTests {
    let machine: TemporaryMachine
    let path = "var/lib/flatpak/overrides/global"
    private let ours = "/var/lib/managed-defaults:ro;/run/mdefaultsd:ro;"

    init() throws {
        machine = try TemporaryMachine(.classroom)
        try machine.write("var/lib/flatpak/app/org.example.Viewer/current", "")
        try machine.policy("10.json", "{ \"Forced\": { \"org.example.Viewer\": { \"A\": 1 } } }")
    }

    private func write(enabled: Bool) throws {
        try LoginInstances.setEnabled(enabled, in: machine.root)
        _ = try MachinePrograms(machine: PolicyMachine(root: machine.root).policy()).write()
    }

    private var check: (ok: Bool, remedy: String)? {
        get throws {
            let machine = PolicyMachine(root: machine.root).policy()
            let session = try UserSession(machine: machine, account: machine.account(named: "alice"))
            return Doctor(session: session).checks().first { $0.name == "flatpaks" }.map { ($0.isOK, $0.remedy ?? "") }
        }
    }

    @Test(arguments: [
        "[Context]\nshared=network;\nfilesystems=/srv/media;\n\n[Environment]\nX=1\n", "[Context]\nshared=network;\n",
        "[Environment]\nX=1\n",
    ])
    func `what others have in it stays, and is as it was when the switch is off`(_ theirs: String) throws {
        try machine.write(path, theirs)
        try write(enabled: true)
        let written = try machine.text(path)
        let list = KeyFileList(group: "Context", key: "filesystems")
        #expect(list.items(in: Array(written.utf8)).suffix(2).map { $0 + ";" }.joined() == ours)
        #expect(
            list.removing(ours.split(separator: ";").map(String.init), from: Array(written.utf8)) == Array(theirs.utf8))
        try write(enabled: false)
        #expect(try machine.text(path) == theirs)
    }

    @Test func `what others add later stays when the switch is off`() throws {
        try write(enabled: true)
        #expect(try machine.text(path) == "[Context]\nfilesystems=\(ours)\n")
        try machine.write(path, "[Context]\nfilesystems=/srv;\(ours)\nshared=network;\n")
        try write(enabled: true)
        try write(enabled: false)
        #expect(try machine.text(path) == "[Context]\nfilesystems=/srv;\nshared=network;\n")
    }

    @Test func `without anything of others the file goes with the switch`() throws {
        try write(enabled: true)
        try write(enabled: false)
        #expect(!machine.root.mayExist("/\(path)"))
    }

    @Test func `doctor names Flatpaks that do not see policy`() throws {
        #expect(try check?.ok == false)
        #expect(try check?.remedy == "Run mdefaults programs enable as the owner of \(machine.root.path).")
        try write(enabled: true)
        #expect(try check == nil)
        try machine.write("var/lib/flatpak/overrides/org.example.Viewer", "[Context]\nfilesystems=!/run/mdefaultsd;\n")
        #expect(try check?.ok == false)
    }
}
