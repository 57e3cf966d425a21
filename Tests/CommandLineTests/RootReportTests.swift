import Foundation
import TestSupport
import Testing

/// What root's report and doctor say of a whole machine; needs root and a mount namespace.
@Suite(.enabled(if: ActingTests.hasMounts, "needs root and a mount namespace"))
struct RootReportTests {
    /// Runs a script on a machine whose policy forces one key of alice.
    private func run(_ script: String) throws -> (output: String, error: String) {
        let lab = try Lab()
        chmod(lab.folder, 0o755)
        let start =
            ActingTests.machine + """
                rm /etc/managed-defaults/policies.d/*
                echo '{"Identifier":"a.b","Forced":{"d":{"k":1}}}' > /etc/managed-defaults/policies.d/10.json
                printf 'passwd: files systemd\\ngroup: files systemd\\n' > /etc/nsswitch.conf
                echo 'gone:x:2003:2003::/nonexistent/gone:/bin/sh' >> /etc/passwd
                "$program" policy apply > apply
                said() { "$program" "$@" > said; echo "[$?]"; tr -s ' \\n' ' ' < said > line; }

                """
        let run = try SpawnedProgram.run(
            "/bin/sh",
            [
                "-c", "exec unshare -m sh -c \"$1\" sh \"$2\" \"$3\"", "sh", start + script, MDefaultsProcess.path,
                lab.folder,
            ])
        return (run.output, run.error)
    }

    @Test func `a report of a machine whose users are all in its list is complete`() throws {
        let run = try run(
            """
            said report
            grep -o 'Result [^.]*[.]\\|Complete yes' line
            echo 'passwd: files sss' > /etc/nsswitch.conf
            said report
            grep -o 'Complete no\\|Users whom only[^.]*[.]conf' line
            """)
        #expect(
            run.output == """
                [0]
                Result COMPLIANT.
                Complete yes
                [0]
                Complete no
                Users whom only a directory service knows (sss in nsswitch.conf

                """, "\(run.error)")
    }

    @Test func `a home that does not answer is named, and the report is not compliant`() throws {
        let run = try run(
            """
            mkdir -p alice/.config
            { printf '<plist><dict><key>k</key><string>'; head -c 9000000 /dev/zero | tr '\\0' a
              printf '</string></dict></plist>'; } > alice/.config/d.plist
            chown -R 2002:2002 alice/.config
            said report
            grep -o 'NOT COMPLIANT\\|Complete no\\|of alice: what is stored here is not known: [^:]*:' line
            said report --json
            grep -o '"result.*\\|"code": "home-not-read"' said
            """)
        #expect(
            run.output == """
                [1]
                NOT COMPLIANT
                Complete no
                of alice: what is stored here is not known: it could not be read as its owner:
                [1]
                "result": "not compliant",
                "code": "home-not-read"

                """, "\(run.output) \(run.error)")
    }

    @Test func `without a log service doctor says that nothing keeps a trace, whatever policy says`() throws {
        let run = try run(
            """
            mount -t tmpfs none /dev
            mknod -m 666 /dev/null c 1 3
            said --user alice doctor
            grep -o '✗ This machine has nowhere to keep a trace[^:]*' line
            said doctor
            grep -c 'nowhere to keep' line
            rm -r /etc/managed-defaults/policies.d /var/lib/managed-defaults && mkdir /etc/managed-defaults/policies.d
            said --user alice doctor
            grep -c 'nowhere to keep' line
            """)
        #expect(
            run.output == """
                [1]
                ✗ This machine has nowhere to keep a trace of attempts of alice
                [0]
                0
                [0]
                0

                """, "\(run.output) \(run.error)")
    }
}
