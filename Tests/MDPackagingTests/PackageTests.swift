import Foundation
import MDTestSupport
import Testing

/// What the packages are made of, without making them.
struct PackageTests {
    /// The folder of the plugin.
    private static let plugin = BuiltProgram.repository.path + "/Sources/Commands/debian-package"

    @Test(arguments: ["postinst", "prerm", "postrm"]) func `maintainer scripts know the same units`(
        _ name: String
    ) throws {
        let script = try String(
            contentsOfFile: "\(PackageTests.plugin)/maintainer/managed-defaults.\(name)", encoding: .utf8)
        for program in ["mdefaults", "mdefaultsd"] {
            let folder = "\(BuiltProgram.repository.path)/Sources/Commands/\(program)/systemd"
            for unit in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let text = try String(contentsOfFile: "\(folder)/\(unit)", encoding: .utf8)
                // What is installed to be enabled is enabled, stopped and forgotten.
                if text.contains("[Install]") { #expect(script.contains(unit), "\(name) lacks \(unit)") }
            }
        }
    }

    @Test func `every service has limits, those of root too`() throws {
        for program in ["mdefaults", "mdefaultsd"] {
            let folder = "\(BuiltProgram.repository.path)/Sources/Commands/\(program)/systemd"
            for unit in try FileManager.default.contentsOfDirectory(atPath: folder) where unit.hasSuffix(".service") {
                let text = try String(contentsOfFile: "\(folder)/\(unit)", encoding: .utf8)
                let lines = text.split(separator: "\n")
                var wanted = [
                    "MemoryMax=", "TasksMax=", "CapabilityBoundingSet=", "SystemCallFilter=",
                    "RestrictAddressFamilies=",
                ]
                // Browsers isolate their pages by namespaces, or by a program with more privileges.
                wanted +=
                    text.contains("programs check")
                    ? [
                        "PrivateNetwork=yes", "PrivateTmp=yes", "Nice=19", "IOSchedulingClass=idle",
                        "ConditionPathExists=",
                    ]
                    : ["NoNewPrivileges=yes", "RestrictNamespaces=yes"]
                if text.contains("Type=oneshot") { wanted.append("TimeoutStartSec=") }
                // What root does in homes costs no more than this, and waits for nothing that no signal ends.
                if !lines.contains(where: { $0.hasPrefix("User=") }) {
                    wanted += ["KillMode=process", "OOMPolicy=continue"]
                }
                if text.contains("audit scan") { wanted += ["CPUQuota=", "PrivateNetwork=yes"] }
                for setting in wanted { #expect(lines.contains { $0.hasPrefix(setting) }, "\(unit) lacks \(setting)") }
                // Both make systemd visit the mounts of homes; the last one takes openat2 away.
                for setting in ["ProtectHome=", "ProtectSystem=strict", "RestrictSUIDSGID="]
                where wanted.contains("KillMode=process") {
                    #expect(!lines.contains { $0.hasPrefix(setting) }, "\(unit) has \(setting)")
                }
            }
        }
    }

    @Test func `maintainer scripts have the syntax of sh`() throws {
        let folder = "\(PackageTests.plugin)/maintainer"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasSuffix(".triggers") }
        #expect(names.count == 5)
        for name in names {
            let result = try SpawnedProgram.run("/bin/sh", ["-n", "\(folder)/\(name)"])
            #expect(result.code == 0, "\(name): \(result.error)")
        }
    }

    /// Runs the script that purges, beneath a folder; a function of the shell is its pause.
    private static func purge(
        _ machine: TemporaryFolder, isAll: Bool, pause: String = ":"
    ) throws -> SpawnedProgram.Result {
        // Nothing outside of the folder is touched: the paths are in it, and no other command can be found.
        var script = try String(contentsOfFile: Self.plugin + "/maintainer/managed-defaults.postrm", encoding: .utf8)
        for top in ["/etc/", "/run/", "/var/"] { script = script.replacing(top, with: machine.path + top) }
        let commands = ["rm", "rmdir", "sort", "cut", "cp", "grep", "mkdir", "mv", "chmod", "sha256sum", "ls"]
        for command in commands { try machine.link("bin/\(command)", to: "/bin/\(command)") }
        return try SpawnedProgram.run(
            "/bin/sh", ["-c", "sleep() { \(pause); }\n" + script, "postrm", "purge"],
            environment: ["PATH": machine("bin"), "MANAGED_DEFAULTS_PURGE": isAll ? "all" : ""])
    }

    @Test(arguments: [false, true]) func `purge keeps files of the administrator and the log, unless told otherwise`(
        _ isAll: Bool
    ) throws {
        let machine = try TemporaryFolder()
        // Shows the record that running programs read before it goes.
        let pause =
            "mkdir -p \(machine("seen/var/lib")) \(machine("seen/etc")); "
            + "cp -r \(machine("var/lib/managed-defaults")) \(machine("seen/var/lib"))"
        let (policy, log) = ("etc/managed-defaults/policies.d/10-lab.json", "var/log/managed-defaults/current.jsonl")
        for file in [
            policy, log, "var/lib/managed-defaults/policy.record", "var/lib/mdefaultsd/drops", "run/mdefaultsd/taken",
            "run/managed-defaults/exe.sock", "run/managed-defaults/hardware", "etc/managed-defaults/defaults/removed",
            "var/lib/managed-defaults/temporary/00-exam-a-b.json", "run/managed-defaults/policies.d/00-exam-a-b.json",
        ] { try machine.write(file, "x") }
        try FileManager.default.removeItem(atPath: machine("etc/managed-defaults/defaults/removed"))
        let result = try Self.purge(machine, isAll: isAll, pause: pause)
        #expect(result.code == 0, "\(result)")
        let list = try SpawnedProgram.run(
            BuiltProgram.path("mdefaults"), ["--root", machine("seen"), "policy", "forget"], environment: [:])
        #expect(list.code == 1 && list.error.isEmpty, "\(list)")
        #expect(machine.exists(policy) == !isAll && machine.exists(log) == !isAll)
        #expect(machine.exists("etc/managed-defaults") == !isAll && result.error.isEmpty == isAll, "\(result)")
        for gone in [
            "var/lib/managed-defaults", "var/lib/mdefaultsd", "run/mdefaultsd", "run/managed-defaults",
            "etc/managed-defaults/defaults",
        ] { #expect(!machine.exists(gone), "\(gone)") }
    }

    @Test(arguments: [false, true]) func `purge removes links in place of folders, and nothing where they lead`(
        _ isAll: Bool
    ) throws {
        let machine = try TemporaryFolder()
        let folders = [
            "etc/managed-defaults", "run/managed-defaults", "run/mdefaultsd", "var/lib/managed-defaults",
            "var/lib/mdefaultsd", "var/log/managed-defaults",
        ]
        for folder in folders {
            for file in ["exe.sock", "policies.d/10-lab.json", "policy.record"] {
                try machine.write("elsewhere/\(folder)/\(file)", "x")
            }
            try FileManager.default.createDirectory(
                atPath: machine("elsewhere/\(folder)/defaults"), withIntermediateDirectories: true)
            try machine.link(folder, to: machine("elsewhere/\(folder)"))
        }
        let before = try FileManager.default.subpathsOfDirectory(atPath: machine("elsewhere")).sorted()
        let result = try Self.purge(machine, isAll: isAll)
        #expect(result.code == 0, "\(result)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: machine("elsewhere")).sorted() == before)
        // Policy and log stay unless told otherwise, and so do the links to them.
        for folder in folders where isAll || !["etc/managed-defaults", "var/log/managed-defaults"].contains(folder) {
            #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: machine(folder))) == nil, "\(folder)")
            #expect(!machine.exists(folder), "\(folder)")
        }
    }

    @Test func `every overridden finding has a reason above it`() throws {
        let folder = PackageTests.plugin + "/files"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix("overrides") }
        #expect(files.count == 6)
        for file in files {
            let lines = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8).split(separator: "\n")
            #expect(lines.first?.hasPrefix("#") == true, "\(file)")
        }
    }
}
