import Foundation
import MDTestSupport
import Testing

/// What commands say in user namespaces whose policy is that of the machine outside of them.
struct NamespaceTextTests {
    /// What is said for everybody, and for the pupil.
    private static let files = [
        #"{ "Identifier": "edu.example.all", "Forced": { "org.x": { "k": "all" } } }"#,
        #"{ "Identifier": "edu.example.p", "Target": { "Users": ["pupil"] }, "Forced": { "org.x": { "k": "own" } } }"#,
    ]

    /// One command, and what it says.
    struct Case: CustomTestStringConvertible, Sendable {
        /// How it is run: shell words before its own.
        var way = NamespaceTextTests.root
        /// Its words.
        let words: String
        /// Its exit code.
        var code: Int32 = 0
        /// What it says.
        var says: [String] = []
        /// What it does not say.
        var not: [String] = []
        /// What root does once policy is recorded.
        var after = "true"

        /// Command and way.
        var testDescription: String { "\(way) mdefaults \(words)" }
    }

    /// The pupil is root of a namespace of his own.
    static let root = "unshare -Ur"
    /// The pupil has no id of his own.
    static let nobody = "unshare -U"
    /// What is said of a key of a file for some users.
    private static let doubt = "a policy file for some users lists it, and who this user is is unknown here"

    /// The commands.
    static let cases = [
        Case(words: "policy show", says: ["policy for an unknown user on room1-pc01: 1 forced key", doubt]),
        Case(
            words: "policy list",
            says: [
                "policy for an unknown user on room1-pc01, in order",
                "applies to some users only, and who this is is unknown in a user namespace: its keys have no value",
            ]),
        Case(
            words: "explain org.x k",
            says: ["search list of an unknown user on room1-pc01", "(forced, without a value: \(doubt))"]),
        Case(words: "--json explain org.x k", says: [#""shortfall": "user""#, #""unknown": "without a value"#]),
        Case(
            way: nobody, words: "policy show", says: ["policy for an unknown user on room1-pc01: 1 forced key", doubt]),
        Case(way: nobody, words: "--json policy show", says: [#""shortfall": "user""#]),
        Case(way: nobody, words: "--json forced", says: [#""shortfall": "user""#]),
        Case(way: nobody, words: "--json forced org.x k", says: [#""shortfall":"user""#]),
        Case(words: "policy digest", code: 4, says: ["org.x k is without a value: \(doubt)"]),
        Case(
            words: "--user root policy show", says: ["policy for root on room1-pc01", #"k = "all""#],
            not: [#"k = "own""#]),
        Case(words: "--user pupil policy show", says: ["policy for pupil on room1-pc01", #"k = "own""#]),
        Case(
            words: "policy facts", code: 4, says: ["This is a user namespace, in which users, groups and names may be"]),
        Case(words: "policy apply", code: 4, says: ["only root there may apply policy."], not: ["Only root"]),
        Case(words: "policy rollback", code: 4, says: ["only root there may roll policy back."]),
        Case(
            words: "doctor -v", code: 1,
            says: [
                "The compiled table is not used in a user namespace", "1 key is forced for an unknown user",
            ], not: ["/root/"]),
        Case(
            words: "policy show", says: ["policy for an unknown user on room1-pc01: 1 forced key"],
            after: #"echo '{ "Identifier": "edu.example.n", "Forced": { "org.x": { "n": 1 } } }' > $policies/50.json"#),
    ]

    @Test(.enabled(if: OwnMachine.isPossible, OwnMachine.need), arguments: cases)
    func `a command says what is recorded, and that its user is unknown`(_ item: Case) throws {
        let setup = """
            \(OwnMachine.setup)
            printf 'root:x:0:0::/root:/bin/sh\\npupil:x:1001:1001::/run/pupil:/bin/sh\\n' > /etc/passwd
            printf 'root:x:0:\\npupil:x:1001:\\n' > /etc/group
            printf 'passwd: files\\ngroup: files\\n' > /etc/nsswitch.conf
            mkdir /run/pupil; chown 1001:1001 /run/pupil
            mdefaults=$1; way=$2; words=$3; after=$4; shift 4; export HOME=/run/pupil COLUMNS=200
            policies=/etc/managed-defaults/policies.d; number=10
            for file; do printf '%s' "$file" > $policies/$number.json; number=$((number + 1)); done
            "$mdefaults" policy apply > /dev/null || exit 77
            eval "$after"
            eval "exec setpriv --reuid 1001 --regid 1001 --clear-groups $way \\"\\$mdefaults\\" $words" 2>&1
            """
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "/bin/sh", "-ec", setup, "sh", TemporaryMachine.program("mdefaults"), item.way,
                item.words,
                item.after,
            ] + NamespaceTextTests.files)
        #expect(result.code == item.code, "\(result)")
        // Where lines are wrapped is no matter here.
        let said = result.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        for text in item.says {
            let words = text.split(separator: " ").joined(separator: " ")
            #expect(said.contains(words), "\(text): \(result)")
        }
        for text in item.not {
            let words = text.split(separator: " ").joined(separator: " ")
            #expect(!said.contains(words), "\(text): \(result)")
        }
    }
}
