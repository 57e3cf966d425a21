import Foundation
import MDTestSupport
import Testing

/// What policy is in force in user namespaces: only in one of somebody else than root is the user unknown.
struct NamespaceTests {
    /// What is said for everybody, for the pupil, for his group, for all but a teacher, and for other machines.
    private static let files = [
        """
        { "Identifier": "edu.example.all", "Forced": { "org.x": {
            "All": "all", "User": "all", "Group": "all", "Host": "all", "Who": "${user} ${uid}", "Waived": "all" } },
          "Waivers": [ { "Users": ["pupil"], "Domain": "org.x", "Key": "Waived", "Until": "2999-01-01T00:00:00Z",
            "Reason": "r" } ] }
        """,
        """
        { "Identifier": "edu.example.p", "Target": { "Users": ["pupil"] },
          "Forced": { "org.x": { "User": "own" } }, "Recommended": { "org.x": { "Hint": "own" } },
          "Constraints": { "org.x": { "Level": { "OneOf": ["low", "lower"] } } } }
        """,
        #"{ "Identifier": "edu.example.g", "Target": { "Groups": ["class"] }, "Forced": { "org.x": { "Group": "own" } } }"#,
        """
        { "Identifier": "edu.example.e", "Target": { "Except": { "Users": ["teacher"] } },
          "Forced": { "org.x": { "Except": "own" } } }
        """,
        #"{ "Identifier": "edu.example.h", "Target": { "Hosts": ["other-*"] }, "Forced": { "org.x": { "Host": "no" } } }"#,
    ]
    /// The keys, and what a program finds of them: of the last, which no file names, too.
    private static let keys = "All,Host,User,Group,Except,Who,Level,Waived,Hint,Free"
    /// What it finds if the caller is known.
    private static let known = [
        "forced all refused", "forced all refused", "forced own refused", "forced own refused", "forced own refused",
        "forced pupil 1001 refused", "free - refused", "free - stored", "free own stored", "free - stored",
    ]
    /// What it finds if that is unknown.
    private static let unknown = [
        "forced all refused", "forced all refused", "forced - refused", "forced - refused", "forced - refused",
        "forced - refused", "forced - refused", "forced all refused", "free - stored", "free - stored",
    ]
    /// What it finds if it is unknown what is forced.
    private static let closed = Array(repeating: "forced - invalid", count: known.count)

    /// One machine and one way to run programs on it.
    struct Case: CustomTestStringConvertible, Sendable {
        /// What it is.
        let name: String
        /// What root does before policy is recorded.
        var before = "true"
        /// How root records policy: shell words.
        var recording = "\"$mdefaults\" policy apply"
        /// How a program is run: shell words before its own.
        var way = "pupil"
        /// What root does once policy is recorded.
        var after = "true"
        /// What the program finds.
        let answers: [String]

        /// The name.
        var testDescription: String { name }
    }

    /// A namespace that root makes for the pupil, in which root is root, and the pupil himself.
    private static let service =
        #"mapped '0 0 1\n1001 1001 1\n2001 2001 1\n' pupil setpriv --inh-caps=-all --ambient-caps=-all"#
    /// A namespace in which another uid is root.
    private static let container =
        #"mapped '0 100000 65536\n' 'setpriv --reuid 100000 --regid 100000 --clear-groups'"#
    /// The pupil in such a container.
    private static let guest = container + " setpriv --reuid 1001 --regid 1001 --groups 1001,2001"
    /// Gives the machine to that root.
    private static let given = "chown 100000:100000 /; chown -hR 100000:100000 /etc /run /var"
    /// Writes a file that forces the last key.
    private static let say =
        #"printf '{"Identifier":"a.b","Forced":{"org.x":{"Free":"new"}}}' > $policies/60.json"#
    /// A namespace in which the pupil mounts an empty directory over the one of policy.
    private static let emptied = "pupil unshare -Urm sh -c 'mount -t tmpfs t /etc && exec \"$@\"' sh"

    /// A sandbox as Flatpak makes it, whose folders are the pupil's, with what else is mounted in it.
    private static func sandbox(_ mounts: String) -> String {
        """
        pupil unshare -Urm sh -ec 'mount -t tmpfs t /mnt; cd /; for d in *; do
            if [ -L $d ]; then cp -P $d /mnt/; elif [ -d $d ] && [ $d != mnt ]; then mkdir /mnt/$d
            case $d in etc|run|var) ;; *) mount --rbind $d /mnt/$d ;; esac; fi; done; mkdir /mnt/run/pupil
        show() { mkdir -p /mnt$1; mount --bind $1 /mnt$1; mount -o remount,bind,$2 /mnt$1; }
        \(mounts); cd /mnt; mkdir old; pivot_root . old; umount -l old; rmdir old; cd /
        exec unshare -U --map-user=1001 --map-group=1001 "$@"' sh
        """
    }
    /// Shows the policy record.
    private static let record = "show /var/lib/managed-defaults ro"

    /// Starts the audit service, which identifies the caller, and records policy.
    private static let recordingBesideService = """
        "$service" 2> /run/service-said & started=$!; while ! [ -S /run/mdefaultsd/audit.sock ]; do kill -0 $started; done
        "$mdefaults" policy apply
        """

    /// The machines and ways.
    static let cases = [
        Case(name: "no namespace", answers: known),
        Case(name: "a user as root", way: "pupil unshare -Ur", answers: unknown),
        Case(
            name: "a user as root, beside the audit service", recording: recordingBesideService,
            way: "pupil unshare -Ur", answers: known),
        Case(
            name: "a user with another's id, beside the audit service", recording: recordingBesideService,
            way: "pupil unshare -U --map-user=1002 --map-group=1002", answers: known),
        Case(
            name: "an empty folder over the one of policy, beside the audit service",
            recording: recordingBesideService, way: emptied, answers: known),
        Case(name: "a user without an id", way: "pupil unshare -U", answers: unknown),
        Case(
            name: "a user with another's id", way: "pupil unshare -U --map-user=1002 --map-group=1002",
            answers: unknown),
        Case(name: "an empty folder over the one of policy", way: emptied, answers: unknown),
        Case(
            name: "an empty folder over the one of policy, with a file that is not recorded", way: emptied, after: say,
            answers: unknown),
        Case(
            name: "a file that is saved and not recorded", way: "pupil unshare -Ur", after: say, answers: unknown),
        Case(
            name: "a file that is saved and not recorded, without a namespace", after: say,
            answers: known.dropLast() + ["forced new refused"]),
        Case(
            name: "a file that is removed, and that is not recorded", before: say, way: "pupil unshare -Ur",
            after: "rm $policies/*.json", answers: unknown.dropLast() + ["forced new refused"]),
        Case(name: "no record", recording: "true", way: "pupil unshare -Ur", answers: closed),
        Case(
            name: "a damaged record", way: "pupil unshare -Ur",
            after: "echo x >> /var/lib/managed-defaults/policy.record",
            answers: closed),
        Case(
            name: "a lost copy", way: "pupil unshare -Ur", after: "rm /var/lib/managed-defaults/good/*",
            answers: closed),
        Case(name: "a service with users of its own", way: service, answers: known),
        Case(
            name: "a file that is saved and not recorded, for such a service", way: service, after: say,
            answers: known.dropLast() + ["forced new refused"]),
        Case(
            name: "a container with a root of its own", before: given,
            recording: container + " setpriv --reuid 0 --regid 0 --clear-groups \"$mdefaults\" policy apply",
            way: guest,
            answers: known),
        Case(
            name: "a file that is saved and not recorded, in such a container", before: given,
            recording: container + " setpriv --reuid 0 --regid 0 --clear-groups \"$mdefaults\" policy apply",
            way: guest,
            after: say + "; chown 100000:100000 $policies/60.json",
            answers: known.dropLast() + ["forced new refused"]),
        Case(
            name: "a sandbox in such a container", before: given,
            recording: container + " setpriv --reuid 0 --regid 0 --clear-groups \"$mdefaults\" policy apply",
            way: guest + " unshare -Ur", answers: unknown),
        Case(name: "a sandbox that shows the record", way: sandbox(record), answers: unknown),
        Case(
            name: "a sandbox that shows the record, beside an audit service that it does not show",
            recording: recordingBesideService, way: sandbox(record), answers: unknown),
        Case(
            name: "a sandbox that shows the record and the audit service", recording: recordingBesideService,
            way: sandbox("\(record); show /run/mdefaultsd ro"), answers: known),
        Case(
            name: "a sandbox that shows the record for writing", way: sandbox("show /var/lib/managed-defaults rw"),
            answers: closed),
        Case(
            name: "a sandbox with a record of the pupil's", way: sandbox("mkdir -p /mnt/var/lib/managed-defaults"),
            answers: closed),
        Case(
            name: "a sandbox that shows nothing of policy", way: sandbox("true"),
            answers: Array(repeating: "free - stored", count: known.count)),
    ]

    /// A machine with two users, and how to run programs as one of them.
    private static let machine = """
        \(OwnMachine.setup)
        printf 'root:x:0:0::/root:/bin/sh\\npupil:x:1001:1001::/run/pupil:/bin/sh\\n' > /etc/passwd
        echo teacher:x:1002:1002::/:/bin/sh >> /etc/passwd
        mkdir /run/pupil; chmod 777 /run/pupil; export HOME=/run/pupil
        printf 'root:x:0:\\npupil:x:1001:\\nclass:x:2001:pupil\\n' > /etc/group
        printf 'passwd: files\\ngroup: files\\n' > /etc/nsswitch.conf
        mdefaults=$1; service=$2; probe=$3; shift 3; policies=/etc/managed-defaults/policies.d
        pupil='setpriv --reuid 1001 --regid 1001 --groups 1001,2001'
        pupil() { $pupil "$@"; }
        # Runs a program in a namespace of some ids, which somebody makes.
        mapped() {
            map=$1 maker=$2; shift 2
            rm -f /run/pid /run/go; mkfifo /run/pid /run/go; chmod 666 /run/pid /run/go
            $maker unshare -U --keep-caps /bin/sh -ec 'echo $$ > /run/pid; read go < /run/go; exec "$@"' sh "$@" &
            read pid < /run/pid
            printf "$map" > /proc/$pid/uid_map; printf "$map" > /proc/$pid/gid_map
            echo > /run/go; wait $!
        }
        """

    @Test(.enabled(if: OwnMachine.isPossible, OwnMachine.need), arguments: cases)
    func `only what is recorded counts in a namespace of somebody else than root, and its user is unknown`(
        _ item: Case
    ) throws {
        let script = """
            \(NamespaceTests.machine)
            before=$1; recording=$2; way=$3; after=$4; keys=$5; started=; shift 5; number=10
            for file; do printf '%s' "$file" > $policies/$number.json; number=$((number + 1)); done
            eval "$before"
            eval "$recording" > /run/said 2>&1 || test $? = 1
            eval "$after"
            eval "$way \\"\\$probe\\" / - org.x $keys" || exit 78
            if [ -n "$started" ]; then kill $started; wait $started; fi
            """
        let words = [
            "unshare", "-m", "/bin/sh", "-ec", script, "sh", TemporaryMachine.program("mdefaults"),
            TemporaryMachine.program("mdefaultsd"),
            TemporaryMachine.program("library-probe"), item.before, item.recording, item.way, item.after,
            NamespaceTests.keys,
        ]
        let result = try SpawnedProgram.run("/usr/bin/env", words + NamespaceTests.files)
        #expect(result.code == 0, "\(result)")
        #expect(result.output.split(separator: "\n").map(String.init) == item.answers, "\(result)")
    }
}
