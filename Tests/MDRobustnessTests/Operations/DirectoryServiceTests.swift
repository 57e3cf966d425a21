import Foundation
import MDTestSupport
import Testing

/// What lint says of the existing users, on a system whose users and groups are not all in files.
struct DirectoryServiceTests {
    /// Whether this machine's own files can be hidden behind others.
    private static let canHide =
        geteuid() == 0
        && (try? SpawnedProgram.run("/usr/bin/env", ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/run"]))?.code
            == 0

    /// A target, the lines of nsswitch.conf, what is done to the machine, and how the finding begins; `nil` for none.
    struct Case: Sendable {
        /// The clauses of the target.
        var target: String
        /// What `passwd` and `group` ask.
        var sources: String
        /// Shell commands behind those that make the machine.
        var change = ":"
        /// How the only finding begins.
        var words: String?
    }

    /// Puts a getent in place that answers some questions, and passes on the others.
    private static func answers(_ cases: String) -> String {
        """
        cp /usr/bin/getent /run/getent
        printf '#!/bin/sh\\ncase "$*" in\\n%s\\n*) exec /run/getent "$@" ;;\\nesac\\n' '\(cases)' > /run/answers
        chmod 755 /run/answers; mount --bind /run/answers /usr/bin/getent
        """
    }

    /// The finding where a group has no members.
    private static let empty = "by getent passwd and getent group nobody is in one of these groups"
    /// The finding where no user of the machine's own is in a group, and other users are unknown.
    private static let unsure =
        "nobody of the user database of this machine is in one of these groups; of those whom only the directory service"
    /// What lint says where the directory service, which may say more, does not even answer.
    private static let silent =
        "nobody of the user database of this machine is in one of these groups; whether a directory service has others"
    /// The finding where only the machine's own files list users, whatever getent says.
    private static let own = "by /etc/passwd and /etc/group nobody is in one of these groups"
    /// The finding where no named user is in a group.
    private static let outside = "none of these users is in the groups of this target"

    /// The cases.
    static let cases: [Case] = [
        Case(target: #""Groups": ["none"]"#, sources: "files", words: empty),
        Case(target: #""Groups": ["none"]"#, sources: "files systemd [NOTFOUND=return] # sss", words: empty),
        Case(target: #""Groups": ["pupils"]"#, sources: "files"),
        Case(target: #""Groups": ["none"]"#, sources: "files", change: "rm /etc/nsswitch.conf", words: empty),
        // What may have others, does not list them all, or does not answer: the machine's own users are known all the same.
        Case(target: #""Groups": ["none"]"#, sources: "files sss", words: unsure),
        Case(target: #""Groups": ["pupils"]"#, sources: "files sss"),
        Case(target: #""Groups": ["none"]"#, sources: "compat", words: unsure),
        Case(
            target: #""Groups": ["none"]"#, sources: "files", change: "echo 'initgroups: ldap' >> /etc/nsswitch.conf",
            words: unsure),
        Case(target: #""Groups": ["none"]"#, sources: "files", change: answers("*passwd) exit 3 ;;"), words: own),
        Case(
            target: #""Groups": ["none"]"#, sources: "files sss", change: answers("*initgroups*) exit 3 ;;"),
            words: silent),
        Case(
            target: #""Groups": ["none"]"#, sources: "files", change: answers("*group) exec sleep 300 ;;"),
            words: own),
        Case(
            target: #""Groups": ["none"]"#, sources: "files sss",
            change:
                "echo 'none:x:1003:far' > /etc/group.new; grep -v none /etc/group >> /etc/group.new; mv /etc/group.new /etc/group"
        ),
        Case(
            target: #""Groups": ["none"]"#, sources: "files",
            change: "mkdir /etc/security; echo '*;*;*;Al0000-2400;none' > /etc/security/group.conf"),
        Case(
            target: #""Groups": ["none"]"#, sources: "files",
            change: "mkdir /etc/security; echo '# *;*;*;Al0000-2400;none' > /etc/security/group.conf", words: empty),
        // Users in the lists that are not in the files.
        Case(
            target: #""Groups": ["none"]"#, sources: "files systemd",
            change: answers("*passwd) echo far:x:5000:1003:::; echo root:x:0:0:::; ;;")),
        Case(
            target: #""Groups": ["none"]"#, sources: "files systemd",
            change: answers("*group) echo none:x:1003:; echo none:x:1003:pupil ;;")),
        Case(
            target: #""Except": { "Users": ["root", "pupil"] }"#, sources: "files systemd",
            change: answers("*passwd) echo far:x:5000:1003:::; echo root:x:0:0:::; ;;")),
        Case(
            target: #""Except": { "Users": ["root", "pupil"] }"#, sources: "files systemd",
            words: "by getent passwd and getent group the exceptions of this target take out everybody"),
        // Named users are asked for, whatever the sources.
        Case(target: #""Users": ["pupil"], "Groups": ["none"]"#, sources: "files sss", words: outside),
        Case(
            target: #""Users": ["pupil"], "Groups": ["none"]"#, sources: "files sss",
            change: answers("*initgroups*) echo pupil 1001 1003 ;;")),
        Case(
            target: #""Users": ["pupil"], "Groups": ["none"]"#, sources: "files sss",
            change: answers("*initgroups*) exit 3 ;;")),
        Case(
            target: #""Users": ["far"], "Groups": ["none"]"#, sources: "files sss",
            change: answers("*passwd?far) echo far:x:5000:1003::: ;;")),
        Case(
            target: #""Users": ["far"], "Groups": ["none"]"#, sources: "files sss",
            change: answers("*passwd?far) echo far:x:5000:1001::: ;;"), words: outside),
    ]

    /// What nsswitch.conf says, what is done to the machine, and what is said of a group that is found nowhere.
    static let unknownGroups: [(sources: String, change: String, words: String)] = [
        ("files", ":", #"this machine has no group "nix", so the name matches nobody"#),
        ("files sss", ":", #"this machine has no group "nix", so the name matches nobody"#),
        (
            "files sss", answers("*group?nix) exit 3 ;;"),
            #"no group "nix" is known, and the directory service does not answer; until it does the name matches"#
        ),
        (
            "files sss", "\"$1\" policy apply > /dev/null || :; " + answers("*) exit 3 ;;"),
            #"no group "nix" is known, and the directory service does not answer; until it does the name matches"#
        ),
        (
            "files", "\"$1\" policy apply > /dev/null || :; " + answers("*) exit 3 ;;"),
            #"this machine has no group "nix", so the name matches nobody"#
        ),
    ]

    /// What lint says of one policy file for a target, on a machine with groups beside those of root and the pupil, where
    /// users and groups come from some sources, and the shell changes something before.
    private func lint(
        _ target: String, groups: String, sources: String, change: String
    ) throws -> SpawnedProgram.Result {
        let policy = """
            { "Identifier": "edu.example.a", "Target": { \(target) },
              "Forced": { "\(TemporaryMachine.domain)": { "Page": "policy" } } }
            """
        let setup = """
            \(OwnMachine.setup)
            printf 'root:x:0:\\npupil:x:1001:\\n%s\\n' "$5" > /etc/group
            printf 'passwd: %s\\ngroup: %s\\n' "$3" "$3" > /etc/nsswitch.conf
            printf '%s' "$2" > /etc/managed-defaults/policies.d/50-a.json
            eval "$4"
            exec "$1" policy lint
            """
        return try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "/bin/sh", "-ec", setup, "sh", TemporaryMachine.program("mdefaults"), policy, sources,
                change, groups,
            ])
    }

    @Test(.enabled(if: canHide, "only root can hide this machine's directories"), arguments: unknownGroups)
    func `lint tells whether there is a group`(_ sources: String, _ change: String, _ words: String) throws {
        let result = try lint(
            #""Groups": ["nix", "none"]"#, groups: "none:x:1003:pupil", sources: sources, change: change)
        let lines = result.output.split(separator: "\n").filter { $0.hasSuffix("[unknown-group]") }
        #expect(lines.count == 1 && lines.first?.contains(": warning: \(words)") == true, "\(result)")
    }

    @Test(.enabled(if: canHide, "only root can hide this machine's directories"), arguments: cases)
    func `lint tells whom there is where that is certain`(_ one: Case) throws {
        let result = try lint(
            one.target, groups: "pupils:x:1002:pupil\nnone:x:1003:", sources: one.sources, change: one.change)
        #expect(result.code == 0, "\(result)")
        let lines = result.output.split(separator: "\n")
        guard let words = one.words else {
            #expect(lines == [], "\(one)")
            return
        }
        #expect(lines.count == 1 && result.output.contains(": warning: \(words)"), "\(one): \(result)")
    }
}
