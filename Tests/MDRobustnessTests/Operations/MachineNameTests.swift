import Foundation
import MDTestSupport
import Testing

/// The system's own name, where `/etc/hostname` does not tell it any more.
struct MachineNameTests {
    /// Whether this machine's own files can be hidden behind others, and its name be changed.
    private static let canHide =
        geteuid() == 0
        && (try? SpawnedProgram.run(
            "/usr/bin/env",
            ["unshare", "-m", "--uts", "sh", "-c", "mount -t tmpfs none /run && hostname elsewhere"]))?.code == 0

    /// What is done to the file, and what is said of it.
    static let changes = [
        ("chmod 666 /etc/hostname", "/etc/hostname"), ("rm /etc/hostname", "/etc/hostname"),
        (": > /etc/hostname", "/etc/hostname holds no host name"),
    ]

    @Test(.enabled(if: canHide, "only root can hide this machine's directories"), arguments: changes)
    func `lint and doctor go by the recorded name`(_ change: String, _ words: String) throws {
        let setup = """
            cp /etc/ld.so.cache /tmp/ld.$$; mount -t tmpfs none /etc; mount -t tmpfs none /run; mount -t tmpfs none /var
            chmod 755 /etc /run /var; mkdir -m 755 /var/lib /var/log; cp /tmp/ld.$$ /etc/ld.so.cache; rm /tmp/ld.$$
            printf 'root:x:0:0::/root:/bin/sh\\n' > /etc/passwd; printf 'root:x:0:\\n' > /etc/group
            hostname elsewhere; echo room1-pc01 > /etc/hostname; chmod 644 /etc/hostname
            mkdir -p -m 755 /etc/managed-defaults/policies.d
            for host in 'else*'; do
              printf '{"Identifier":"a.b%s","Target":{"Hosts":["%s"]},"Forced":{"d":{"k%s":1}}}' "$#" "$host" "$#" \\
                > /etc/managed-defaults/policies.d/$#.json
              set -- "$@" x
            done
            "$1" policy apply > /dev/null || exit 77
            "$1" policy lint 2> /dev/null; "$1" doctor -v | grep 'machine is called'; echo ==; eval "$2"
            "$1" policy lint 2> /dev/null; "$1" doctor -v | grep 'machine counts'
            """
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            ["unshare", "-m", "--uts", "/bin/sh", "-c", setup, "sh", TemporaryMachine.program("mdefaults"), change])
        let parts = result.output.split(separator: "\n").split(separator: "==")
        #expect(parts.count == 2, "\(result)")
        let (before, after) = (Array(parts.first ?? []), Array(parts.last ?? []))
        // The pattern of the kernel's name is not that of this machine, before and after.
        let other = "no host pattern of this target matches room1-pc01"
        #expect(
            before.count == 2 && before[0].contains(other) && before[1].contains("is called room1-pc01"), "\(result)")
        try #require(after.count == 3, "\(result)")
        #expect(
            after.contains {
                $0.contains(change.hasPrefix("chmod") ? "[untrusted]" : "[unreadable]") && $0.contains(words)
                    && $0.contains("recorded")
            })
        #expect(after.filter { $0.contains("no host pattern") }.count == 1)
        #expect(after.contains { $0.contains(other) })
        #expect(after[2].contains(". The machine counts as room1-pc01"))
    }
}
