import Foundation
import MDTestSupport
import Testing

/// Where the records of a user's programs wait, whatever the environment says.
struct SpoolPlaceTests {
    /// A policy with the key that is tried.
    private static let policy = #"{ "Identifier": "edu.example.all", "Forced": { "org.x": { "k": "all" } } }"#

    /// A user and an environment, and where the record waits then.
    struct Case: CustomTestStringConvertible, Sendable {
        /// The user's id.
        var uid = 1001
        /// The environment: variables as env(1) takes them.
        let environment: String
        /// The home of the spool.
        let home: String
        /// Whether the record says that root's report does not look there.
        var isNoted = false
        /// What root does before.
        var before = "true"

        /// User and environment.
        var testDescription: String { "\(uid) \(environment) \(before)" }
    }

    /// The users and environments.
    static let cases = [
        Case(environment: "HOME=/run/pupil", home: "/run/pupil"),
        Case(environment: "HOME=/run/pupil/ XDG_STATE_HOME=/run/hidden", home: "/run/pupil"),
        Case(environment: "HOME=/run/hidden XDG_STATE_HOME=/run/hidden", home: "/run/pupil"),
        Case(environment: "-u HOME", home: "/run/pupil"),
        Case(uid: 1002, environment: "HOME=/run/hidden", home: "/run/hidden", isNoted: true),
        Case(environment: "HOME=/run/hidden", home: "/run/hidden", isNoted: true, before: "rmdir /run/pupil"),
    ]

    @Test(.enabled(if: OwnMachine.isPossible, OwnMachine.need), arguments: cases)
    func `attempts wait in the home of the user database`(_ item: Case) throws {
        let setup = """
            \(OwnMachine.setup)
            printf 'root:x:0:0::/root:/bin/sh\\npupil:x:1001:1001::/run/pupil:/bin/sh\\n' > /etc/passwd
            printf 'root:x:0:\\npupil:x:1001:\\n' > /etc/group
            printf 'passwd: files\\ngroup: files\\n' > /etc/nsswitch.conf
            mkdir /run/pupil /run/hidden; chown 1001:1001 /run/pupil; chmod 777 /run/hidden
            mdefaults=$1; uid=$2; home=$4; before=$5
            printf '%s' "$3" > /etc/managed-defaults/policies.d/10.json
            eval "$before"
            "$mdefaults" policy apply > /dev/null || exit 77
            env \(item.environment) setpriv --reuid $uid --regid $uid --clear-groups "$mdefaults" write org.x k mine \
                2> /dev/null || true
            cat "$home/.local/state/managed-defaults/spool.jsonl"
            find /run -name spool.jsonl | wc -l
            """
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-mu", "/bin/sh", "-ec", setup, "sh", TemporaryMachine.program("mdefaults"), "\(item.uid)",
                SpoolPlaceTests.policy, item.home, item.before,
            ])
        #expect(result.code == 0, "\(result)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.last == "1", "\(result)")
        let record = try #require(
            try JSONSerialization.jsonObject(with: Data((lines.first ?? "").utf8)) as? [String: Any], "\(result)")
        #expect(record["uid"] as? Int == item.uid)
        #expect((record["note"] as? String ?? "").contains("HOME says") == item.isNoted, "\(result)")
    }
}
