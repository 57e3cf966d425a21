import Foundation
import MDTestSupport
import Testing

/// What a record of a write says that was made in a user namespace.
struct NamespaceRecordTests {
    /// A key for everybody, and one for the pupil.
    private static let files = [
        #"{ "Identifier": "edu.example.all", "Forced": { "org.x": { "all": "all" } } }"#,
        """
        { "Identifier": "edu.example.p", "Target": { "Users": ["pupil"] }, "OnOverride": "shadow",
          "Forced": { "org.x": { "own": "own" } } }
        """,
    ]

    /// One way to write, and what its record says.
    struct Case: CustomTestStringConvertible, Sendable {
        /// How the write is run: shell words before its own.
        let way: String
        /// The key.
        let key: String
        /// Whether it is removed.
        var isRemoval = false
        /// The kind of the record.
        var kind = "override"
        /// The user's name.
        var user: String?
        /// Whether the note says that the user is unknown.
        var isNoted = true
        /// What root does before policy is recorded.
        var before = "true"

        /// The words of the command.
        var words: String { isRemoval ? "delete org.x \(key)" : "write org.x \(key) mine" }

        /// Way and words.
        var testDescription: String { "\(way) \(words) \(before)" }
    }

    /// The ways.
    static let cases = [
        Case(way: "", key: "all", user: "pupil", isNoted: false),
        Case(way: "", key: "own", user: "pupil", isNoted: false),
        Case(way: "unshare -Ur", key: "all"),
        Case(way: "unshare -Ur", key: "all", before: "rm /etc/hostname"),
        Case(way: "unshare -U --map-user=1002 --map-group=1002", key: "all"),
        Case(way: "unshare -U", key: "all"),
        Case(way: "unshare -Ur", key: "own", kind: "damaged"),
        Case(way: "unshare -U", key: "own", kind: "damaged"),
        Case(way: "unshare -Ur", key: "own", isRemoval: true, kind: "damaged"),
    ]

    @Test(.enabled(if: OwnMachine.isPossible, OwnMachine.need), arguments: cases)
    func `a write to a key that may be forced is no attempt, and its user is not named`(_ item: Case) throws {
        let setup = """
            \(OwnMachine.setup)
            printf 'root:x:0:0::/root:/bin/sh\\npupil:x:1001:1001::/run/pupil:/bin/sh\\n' > /etc/passwd
            printf 'root:x:0:\\npupil:x:1001:\\n' > /etc/group
            printf 'passwd: files\\ngroup: files\\n' > /etc/nsswitch.conf
            mkdir /run/pupil; chown 1001:1001 /run/pupil; hostname room1-pc01
            mdefaults=$1; way=$2; before=$3; words=$4; export HOME=/run/pupil
            printf '%s' "$5" > /etc/managed-defaults/policies.d/10.json
            printf '%s' "$6" > /etc/managed-defaults/policies.d/11.json
            eval "$before"
            "$mdefaults" policy apply > /dev/null || exit 77
            eval "setpriv --reuid 1001 --regid 1001 --clear-groups $way \\"\\$mdefaults\\" $words" \
                2> /dev/null || test $? = 3
            cat /run/pupil/.local/state/managed-defaults/spool.jsonl
            """
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-mu", "/bin/sh", "-ec", setup, "sh", TemporaryMachine.program("mdefaults"), item.way,
                item.before, item.words,
            ] + NamespaceRecordTests.files)
        #expect(result.code == 0, "\(result)")
        let record = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any], "\(result)")
        #expect(record["kind"] as? String == item.kind, "\(result)")
        if item.kind == "damaged" { #expect(record["outcome"] as? String == "refused", "\(result)") }
        #expect(record["host"] as? String == "room1-pc01", "\(result)")
        #expect(record["user"] as? String == item.user, "\(result)")
        let note = record["note"] as? String ?? ""
        #expect(note.contains("who this is outside of the user namespace is unknown") == item.isNoted, "\(result)")
        #expect(note.contains("a policy file for some users lists the key") == (item.kind == "damaged"), "\(result)")
    }
}
