import Foundation
import TestSupport
import Testing

/// What a record of an attempt says that was made in a user namespace.
struct NamespaceRecordTests {
    /// A policy with the key that is tried.
    private static let policy = #"{ "Identifier": "edu.example.all", "Forced": { "org.x": { "k": "all" } } }"#

    /// One way to try, and what its record says.
    struct Case: CustomTestStringConvertible, Sendable {
        /// How the attempt is run: shell words before its own.
        let way: String
        /// The user's id.
        var uid = 1001
        /// The user's name.
        var user: String? = "pupil"
        /// What the note holds; `nil` where it says nothing of who and where.
        var note: String?
        /// What root does before policy is recorded.
        var before = "true"

        /// The way.
        var testDescription: String { way }
    }

    /// The ways.
    static let cases = [
        Case(way: ""),
        Case(way: "unshare -Ur"),
        Case(way: "unshare -Ur", before: "rm /etc/hostname"),
        Case(way: "unshare -U --map-user=1002 --map-group=1002"),
        Case(
            way: "unshare -U", uid: 65_534, user: nil,
            note: "nobody can tell who this is outside of the user namespace"),
        Case(
            way: "unshare -Urm sh -c 'mount --bind /etc/other /etc/passwd && exec \"$@\"' sh", uid: 1001, user: nil),
    ]

    @Test(.enabled(if: HiddenMachine.isPossible, HiddenMachine.need), arguments: cases)
    func `An attempt is that of whoever made it, on the machine where it was made`(_ item: Case) throws {
        let setup = """
            \(HiddenMachine.whole)
            printf 'root:x:0:0::/root:/bin/sh\\npupil:x:1001:1001::/run/pupil:/bin/sh\\n' > /etc/passwd
            printf 'root:x:0:\\npupil:x:1001:\\n' > /etc/group
            printf 'passwd: files\\ngroup: files\\n' > /etc/nsswitch.conf
            echo 'other:x:4711:4711::/:/bin/sh' > /etc/other; mkdir /run/pupil; chown 1001:1001 /run/pupil
            hostname room1-pc01
            mdefaults=$1; way=$2; before=$3; export HOME=/run/pupil XDG_STATE_HOME=/run/pupil/state
            printf '%s' "$4" > /etc/managed-defaults/policies.d/10.json
            eval "$before"
            "$mdefaults" policy apply > /dev/null || exit 77
            eval "setpriv --reuid 1001 --regid 1001 --clear-groups $way \\"\\$mdefaults\\" write org.x k mine" 2> /dev/null || true
            cat /run/pupil/.local/state/managed-defaults/spool.jsonl
            """
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-mu", "/bin/sh", "-ec", setup, "sh", PolicyFolder.program("mdefaults"), item.way,
                item.before,
                NamespaceRecordTests.policy,
            ])
        #expect(result.code == 0, "\(result)")
        let record = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any], "\(result)")
        #expect(record["host"] as? String == "room1-pc01", "\(result)")
        #expect(record["uid"] as? Int == item.uid, "\(result)")
        #expect(record["auid"] == nil || record["auid"] as? Int == item.uid, "\(result)")
        if item.note == nil || item.user != nil { #expect(record["user"] as? String == item.user, "\(result)") }
        let note = record["note"] as? String ?? ""
        #expect(item.note.map { note.contains($0) } ?? !note.contains("namespace"), "\(result)")
    }
}
