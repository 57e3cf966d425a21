import Foundation
import MDTestSupport
import Testing

/// The files of other programs, written by a `policy apply` that is killed or whose disk is full: each is at every moment
/// the old one or the new one.
///
/// A sample of the system calls that can change a file is tried, every one with `SWEEP=full`.
struct ProgramKillTests {
    /// The files that policy writes, one of a user's instance among them.
    private static let files = [
        "etc/chromium/policies/managed/zz-managed-defaults.json",
        "etc/chromium/policies/recommended/zz-managed-defaults.json", "etc/firefox/policies/policies.json",
        "etc/vscode/policy.json", "etc/xdg/labrc", "etc/xdg/xfce4/kiosk/kioskrc",
        "run/managed-defaults/programs/chromium/alice/managed/zz-managed-defaults.json",
    ]

    /// Writes a policy for the programs.
    private static func force(_ value: String, _ machine: TemporaryMachine) throws {
        try machine.write(
            "etc/managed-defaults/policies.d/10-programs.json",
            """
            { "Identifier": "p.programs", "Forced": {
                "org.chromium.Chromium": { "HomepageLocation": "https://\(value).example/" },
                "org.mozilla.firefox": { "Homepage__URL": "https://\(value).example/" },
                "com.microsoft.VSCode": { "UpdateMode": "\(value)" },
                "org.kde.labrc": { "G/K": "\(value)" },
                "org.xfce.kiosk": { "xfce4-session/Shutdown": ["\(value)"] } },
              "Recommended": { "org.chromium.Chromium": { "DownloadDirectory": "/srv/\(value)" } } }
            """)
    }

    /// What the files have.
    private static func content(_ machine: TemporaryMachine) -> [String: String] {
        var content: [String: String] = [:]
        for name in files { content[name] = try? machine.text(name) }
        return content
    }

    /// A machine on which one policy was written, and another one lies in place; with what its files have and will have.
    private static func machine() throws -> (
        machine: TemporaryMachine, old: [String: String], new: [String: String]
    ) {
        let machine = try TemporaryMachine(.classroom)
        try machine.write("etc/firefox/policies/policies.json", #"{ "policies": { "CaptivePortal": false } }"#)
        try machine.write("etc/xdg/labrc", "[Theirs]\nA=1")
        try force("one", machine)
        try #require(try machine.run([], "programs", "enable").code <= 1)
        try #require(try machine.run([], "--user", "alice", "programs", "prepare").code == 0)
        let old = content(machine)
        try #require(old.count == files.count, "\(files.filter { old[$0] == nil })")
        try force("two", machine)
        let applied = try TemporaryMachine(copying: machine)
        _ = try applied.run([], "policy", "apply")
        let new = content(applied)
        try #require(new.count == files.count && files.allSatisfy { new[$0] != old[$0] })
        return (machine, old, new)
    }

    @Test(.enabled(if: KillTests.isPossible, "programs cannot be traced here"))
    func `a killed run leaves the old file or the new one`() throws {
        let (prepared, old, new) = try ProgramKillTests.machine()
        let copy = try TemporaryMachine(copying: prepared)
        let list = copy.path + "/calls"
        _ = try copy.run([TemporaryMachine.program("kill-at"), "list", list], ["policy", "apply"])
        let calls = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n")
        let changes = calls.filter { $0.hasSuffix("w") }.count
        try #require(changes > 40, "\(changes)")
        let isEvery = Sweeping.times == nil
        let step = isEvery ? 1 : max(changes / 24, 1)
        var (olds, news, killed) = (0, 0, 0)
        for call in stride(from: Int.random(in: 1...step), through: changes, by: step) {
            let machine = try TemporaryMachine(copying: prepared)
            let front = [TemporaryMachine.program("kill-at"), "w\(call)", "-"]
            if try machine.run(front, "policy", "apply").code == 137 { killed += 1 }
            let found = ProgramKillTests.content(machine)
            for name in ProgramKillTests.files {
                #expect(found[name] == old[name] || found[name] == new[name], "call \(call): \(name)")
            }
            if found == old { olds += 1 }
            if found == new { news += 1 }
            let again = try machine.run([], "policy", "apply")
            #expect(ProgramKillTests.content(machine) == new, "call \(call)")
            // A run that did not come to its end is no change by somebody else.
            #expect(!again.output.contains("was changed since"), "call \(call): \(again.output)")
        }
        #expect(killed > 15 && olds > 0 && news + olds < killed + 1, "\(killed) \(olds) \(news)")
    }

    /// Whether a small file system can be mounted, in a name space of its own.
    private static let canMount =
        (try? SpawnedProgram.run(
            "/usr/bin/env", ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]))?.code == 0

    @Test(
        .enabled(if: canMount, "nothing can be mounted here"),
        arguments: ["etc", "run", "var/lib/managed-defaults"], [0, 1, 3, 6])
    func `a full disk leaves the old file or the new one`(_ folder: String, _ free: Int) throws {
        let (machine, old, new) = try ProgramKillTests.machine()
        // A file system with so many free pages holds the folder; then there is room again.
        let script = """
            cp -a "$2/$3" "$2/saved" && mount -t tmpfs -o size=16m none "$2/$3" || exit 77
            cp -a "$2/saved/." "$2/$3/" && chmod 755 "$2/$3"
            head -c 16m /dev/zero > "$2/$3/filler" 2>/dev/null
            if [ "$4" -gt 0 ]; then truncate -s "-$((4096 * $4))" "$2/$3/filler"; fi
            "$1" --root "$2" policy apply > "$2/said" 2>&1; echo "apply $?"
            cp -a "$2/$3" "$2/full" 2>/dev/null; rm "$2/$3/filler"
            mkdir "$2/state"; (cd "$2" && for file in $5; do mkdir -p "state/$(dirname "$file")"; cp "$file" "state/$file"; done)
            "$1" --root "$2" policy apply >/dev/null 2>&1; echo "again $?"
            mkdir "$2/after"; (cd "$2" && for file in $5; do mkdir -p "after/$(dirname "$file")"; cp "$file" "after/$file"; done)
            """
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "/bin/sh", "-c", script, "sh", TemporaryMachine.program("mdefaults"), machine.path,
                folder, "\(free)", ProgramKillTests.files.joined(separator: " "),
            ])
        let lines = result.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 2, "\(result)")
        var isNew = true
        for name in ProgramKillTests.files {
            let (full, after) = (try? machine.text("state/\(name)"), try? machine.text("after/\(name)"))
            #expect(full == old[name] || full == new[name], "\(name) \(result)")
            #expect(after == new[name], "\(name) \(result)")
            isNew = isNew && full == new[name]
        }
        // What could not be written is said.
        let said = try machine.text("said")
        #expect(isNew || said.contains("No space left on device"), "\(said)")
    }
}
