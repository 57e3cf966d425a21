import Foundation
import MDTestSupport
import Testing

/// How root's `policy apply` takes what waits in homes into the log, each home as the user whose it is.
struct SpoolIntakeTests {
    /// A policy with the key that is tried.
    private static let policy = #"{ "Identifier": "edu.example.all", "Forced": { "org.x": { "k": "all" } } }"#

    @Test(.enabled(if: OwnMachine.isPossible, OwnMachine.need))
    func `attempts of users get into the log once, also from a home that cannot be written`() throws {
        let setup = """
            \(OwnMachine.setup)
            printf 'root:x:0:0::/root:/bin/sh\\n' > /etc/passwd
            for user in 1001 1002 1003 1004; do
                printf "u$user:x:$user:$user::/run/u$user:/bin/sh\\n" >> /etc/passwd
                mkdir -m 700 /run/u$user; chown $user:$user /run/u$user
            done
            printf 'root:x:0:\\n' > /etc/group
            printf 'passwd: files\\ngroup: files\\n' > /etc/nsswitch.conf
            printf 'root:secret:1::::::\\n' > /etc/shadow; chmod 600 /etc/shadow
            mdefaults=$1; printf '%s' "$2" > /etc/managed-defaults/policies.d/10.json
            "$mdefaults" policy apply > /dev/null || exit 77
            for user in 1001 1001 1002 1004; do
                env HOME=/run/u$user setpriv --reuid $user --regid $user --clear-groups "$mdefaults" write org.x k mine \
                    2> /dev/null || true
            done
            state=.local/state/managed-defaults
            setpriv --reuid 1003 --regid 1003 --clear-groups mkdir -p /run/u1003/$state
            setpriv --reuid 1003 --regid 1003 --clear-groups ln -s /etc/shadow /run/u1003/$state/spool.jsonl
            chown 1001 /run/u1004/$state/spool.jsonl; chmod 644 /run/u1004/$state/spool.jsonl
            mount --bind /run/u1002 /run/u1002; mount -o remount,bind,ro /run/u1002
            setpriv --reuid 1001 --regid 1001 --clear-groups "$mdefaults" report | grep -c /run/u1001/.local || true
            "$mdefaults" report --json | grep '"unproven"'
            "$mdefaults" policy apply 2>&1; echo "code $?"
            echo again; "$mdefaults" policy apply 2>&1
            "$mdefaults" report --json | grep '"unproven"'
            mount -o remount,bind,rw /run/u1002
            echo third; "$mdefaults" policy apply 2>&1
            cat /run/u1001/$state/spool.jsonl /run/u1002/$state/spool.jsonl | wc -c
            "$mdefaults" audit list --kind override --json | grep -o '"src":"[a-z]*"\\|"uid":[0-9]*\\|"user":"[a-z0-9]*"'
            "$mdefaults" audit verify | head -1
            """
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "/bin/sh", "-ec", setup, "sh", TemporaryMachine.program("mdefaults"),
                SpoolIntakeTests.policy,
            ])
        #expect(result.code == 0, "\(result)")
        let home = "/.local/state/managed-defaults/spool.jsonl"
        let left = "mdefaults: What waits in the spool of"
        let stuck =
            "mdefaults: What was taken of the spool of u1002 could not be removed there, and is not taken again: Read-only"
            + " file"
        let again = "1 policy file in force; nothing changed\ncompiled table in place\n"
        let broken = [
            "\(left) u1003 was not taken into the log: /run/u1003\(home) is a symbolic link, not a regular file.",
            "\(left) u1004 was not taken into the log: /run/u1004\(home) is owned by uid 1001.",
        ].joined(separator: "\n")
        let text = result.output
        #expect(text.contains("taken into the log.\n\(broken)\n\(stuck) system.\ncode 0"), "\(result)")
        #expect(text.contains("3 records of 2 users were taken into the log."), "\(result)")
        #expect(text.contains("again\n\(again)\(broken)\n\(stuck)"), "\(result)")
        #expect(text.contains("third\n\(again)\(broken)\n0\n"), "\(result)")
        let records = [1001, 1001, 1002].map { #""src":"spool"\#n"uid":\#($0)\#n"user":"u\#($0)"\#n"# }
        #expect(text.contains("0\n" + records.joined() + "status: intact"), "\(result)")
        #expect(
            text.hasPrefix("0\n") && text.contains("\"unproven\": 4") && text.contains("\"unproven\": 1"), "\(result)")
    }
}
