import Foundation
import MDTestSupport
import Testing

/// What becomes of names that only a directory service has: while it is away, when it denies them, and when it spells them
/// in its own way.
@Suite(.enabled(if: OwnMachine.isPossible, OwnMachine.need))
struct DirectoryAwayTests {
    /// A machine whose users and groups come from files and a service, which a script in the place of the helper program
    /// answers for from `/run/directory`: lines of a question, `=` and the answer.
    static let setup = """
        \(OwnMachine.setup)
        mount -t tmpfs tmpfs /usr/libexec; mkdir -m 755 /usr/libexec/managed-defaults
        cat > /usr/libexec/managed-defaults/mdefaults-names <<'END'
        #!/bin/sh
        number=0
        while IFS= read -r question; do
            answer=$(sed -n "s/^$question=//p" /run/directory)
            all=$(sed -n 's/^all=//p' /run/directory)
            echo "$number sss ${all:-${answer:-none}}"
            number=$((number + 1))
        done
        END
        chmod 755 /usr/libexec/managed-defaults/mdefaults-names
        printf 'passwd: files sss\\ngroup: files sss\\n' > /etc/nsswitch.conf
        printf 'root:x:0:\\npupil:x:1001:\\nstudents:x:1002:pupil\\n' > /etc/group
        cat > /etc/managed-defaults/policies.d/50-a.json <<'END'
        { "Identifier": "edu.example.a",
          "Target": { "Users": ["2015"], "Groups": ["Domain Users", "class", "Students"] },
          "Forced": { "\(TemporaryMachine.domain)": { "Page": "policy" } } }
        END
        cat > /run/directory <<'END'
        u 2015=found 5015 7000 2015 /home/2015 -
        g Domain Users=found 7000 domain%20users
        g class=found 7001 class
        END
        apply() { "$1" policy apply 2>&1 || true; }
        names() { grep -E '^(user|group) ' /var/lib/managed-defaults/policy.record || true; }
        """

    /// What shell commands print on such a machine after policy was applied; `$1` is the command.
    private func lines(_ commands: String) throws -> [String] {
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "/bin/sh", "-ec", "\(Self.setup)\napply \"$1\" > /dev/null\n\(commands)", "sh",
                TemporaryMachine.program("mdefaults"),
            ])
        #expect(result.code == 0, "\(result)")
        return result.output.split(separator: "\n").map(String.init)
    }

    /// The names of the directory as the record has them.
    private static let known = ["user 2015 5015", "group Domain%20Users 7000", "group class 7001"]

    @Test func `a name counts with the id of the answer, a name of digits too`() throws {
        #expect(try lines("names") == Self.known)
    }

    @Test(arguments: ["error 111", "late", "cut", "none"])
    func `while a directory is away names keep their ids, and doctor says so`(_ answer: String) throws {
        let found = try lines(
            """
            echo 'all=\(answer)' >> /run/directory
            apply "$1" > /dev/null; apply "$1" > /dev/null; names
            "$1" doctor | grep -cE 'sss does not answer since 2|no directory service says anything' || true
            "$1" policy lint | grep -c 'this machine has no group "class"' || true
            """)
        #expect(found == Self.known + ["1", "0"])
    }

    @Test func `a name that only the directory denies stays for a day, and leaves at once by policy forget`() throws {
        let found = try lines(
            """
            sed -i '/class/d' /run/directory; apply "$1" > /dev/null; names
            "$1" doctor | grep -c 'that there is no group class' || true
            "$1" policy forget --name class
            names
            """)
        #expect(
            found == Self.known + ["1", "forgotten: the group class matches nobody now"] + Self.known.dropLast())
    }

    @Test func `a name with another id has both until an administrator says that the directory was migrated`() throws {
        let found = try lines(
            """
            sed -i s/7001/8001/ /run/directory; apply "$1" > /dev/null; names | tail -1
            "$1" policy forget --directory; names | tail -1
            "$1" policy forget --directory || echo $?
            """)
        #expect(
            found == [
                "group class 7001 8001", "forgotten: the group class has the id 8001 now", "group class 8001",
                "No id of a name changes by that.", "1",
            ])
    }

    @Test func `lint says how a directory spells a name, and the near name of a file`() throws {
        let found = try lines("\"$1\" policy lint | sed 's/.*warning: //'")
        #expect(
            found.contains(
                #"the service sss spells this group "domain users"; the name counts as it is written, too [other-spelling]"#
            )
        )
        #expect(
            found.contains(
                #"this machine has no group "Students", so the name matches nobody; this machine has "students" [unknown-group]"#
            ), "\(found)")
    }

    @Test func `explain says how a directory spells a name`() throws {
        let found = try lines(
            """
            sed -i 's/"Users": .*"], "Groups"/"Groups"/' /etc/managed-defaults/policies.d/50-a.json
            "$1" --user pupil explain \(TemporaryMachine.domain) Page --all || true
            """)
        #expect(found.contains(#"The group "Domain Users" is "domain users" by the service sss."#), "\(found)")
    }

    @Test func `lint does not say that there is no group while nobody answers`() throws {
        let found = try lines(
            """
            printf 'all=error 111\\n' > /run/directory; rm -r /var/lib/managed-defaults
            "$1" policy lint | sed 's/.*warning: //' | grep class
            """)
        #expect(
            found == [
                #"no group "class" is known, and the service sss does not answer; until it does the name matches nobody"#
                    + " [unknown-group]"
            ])
    }
}
