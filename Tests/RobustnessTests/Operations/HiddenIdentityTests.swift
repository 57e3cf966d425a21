import Foundation
import TestSupport
import Testing

/// What policy is in force for a user who gives himself other ids in user namespaces of his own.
struct HiddenIdentityTests {
    /// What is said for everybody, for the pupil, for a teacher, and for two groups.
    private static let files = [
        """
        { "Identifier": "edu.example.all", "Forced": { "org.x": {
          "User": "all", "Group": "all", "Other": "all", "Who": "${user} ${uid} ${home}" } } }
        """,
        #"{ "Identifier": "edu.example.p", "Target": { "Users": ["pupil"] }, "Forced": { "org.x": { "User": "own" } } }"#,
        #"{ "Identifier": "edu.example.t", "Target": { "Users": ["teacher"] }, "Forced": { "org.x": { "User": "not" } } }"#,
        #"{ "Identifier": "edu.example.g", "Target": { "Groups": ["class"] }, "Forced": { "org.x": { "Group": "own" } } }"#,
        #"{ "Identifier": "edu.example.o", "Target": { "Groups": ["staff"] }, "Forced": { "org.x": { "Other": "not" } } }"#,
    ]
    /// What a program finds where it is known who asks, and where it is not.
    ///
    /// That he is in no group that only the kernel knows can never be told.
    private static let (known, unknown) = (["own", "own", "-", "pupil 1001 /home/pupil"], ["-", "-", "-", "-"])
    /// Ways to be somebody else, and what comes of it.
    static let ways = [
        ("", ["own", "own", "all", "pupil 1001 /home/pupil"]), ("unshare -Ur", known),
        ("unshare -U --map-user=1002 --map-group=1002", known),
        ("unshare -Ur unshare -U --map-user=4711 --map-group=4711", known),
        ("unshare -Urm --propagation private", known), ("unshare -Urpf", known),
        // Nobody without an id of his own can be asked about.
        ("unshare -U", unknown),
        ("unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"' sh", unknown),
        ("unshare -Urm sh -c 'mount --bind /etc/other/passwd /etc/passwd && exec \"$@\"' sh", unknown),
        ("unshare -Urm sh -c 'mount --bind /etc/other/group /etc/group && exec \"$@\"' sh", unknown),
        ("unshare -Urm sh -c 'mount --bind /etc/other/group /etc/nsswitch.conf && exec \"$@\"' sh", known),
    ]

    @Test(.enabled(if: HiddenMachine.isPossible, HiddenMachine.need), arguments: ways)
    func `Nobody has another's policy by calling himself so`(_ way: String, _ answers: [String]) throws {
        let setup = """
            \(HiddenMachine.whole)
            printf 'root:x:0:0::/root:/bin/sh\\npupil:x:1001:1001::/home/pupil:/bin/sh\\nteacher:x:1002:1002::/:/bin/sh\\n' > /etc/passwd
            printf 'root:x:0:\\npupil:x:1001:\\nteacher:x:1002:\\nclass:x:2001:pupil\\nstaff:x:2002:teacher\\n' > /etc/group
            printf 'passwd: files systemd\\ngroup: files systemd\\n' > /etc/nsswitch.conf
            mkdir -p /etc/other
            printf 'teacher:x:1001:1001::/:/bin/sh\\n' > /etc/other/passwd
            printf 'staff:x:2002:pupil\\n' > /etc/other/group
            mdefaults=$1; probe=$2; way=$3; shift 3; number=10
            for file; do
                printf '%s' "$file" > /etc/managed-defaults/policies.d/$number.json; number=$((number + 1))
            done
            "$mdefaults" policy apply > /dev/null || exit 77
            exec setpriv --reuid 1001 --regid 1001 --groups 1001,2001 /bin/sh -c '
                for key in User Group Other Who; do eval "$2 \\"\\$1\\" / - org.x $key" || exit 78; done
                ' sh "$probe" "$way"
            """
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "/bin/sh", "-ec", setup, "sh", PolicyFolder.program("mdefaults"),
                PolicyFolder.program("library-probe"), way,
            ] + HiddenIdentityTests.files)
        if result.code == 78 { return print("skipped: a user may not do this here: \(way)") }
        #expect(result.code == 0, "\(result)")
        #expect(
            result.output.split(separator: "\n").map(String.init) == answers.map { "forced \($0) refused" },
            "\(way): \(result)")
    }
}
