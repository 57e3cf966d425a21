import Foundation
import TestSupport
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
    /// Nobody can tell who is who.
    static let hidden = "unshare -Urm sh -c 'mount --bind /etc/other /etc/passwd && exec \"$@\"' sh"

    /// The commands.
    static let cases = [
        Case(
            words: "policy show", says: ["policy for pupil (root in this user namespace) on room1-pc01: 1 forced key"]),
        Case(words: "policy list", says: ["policy for pupil (root in this user namespace) on room1-pc01, in order"]),
        Case(words: "explain org.x k", says: ["search list of pupil (root in this user namespace) on room1-pc01"]),
        Case(words: "--json policy digest", says: [#""user":"pupil","host":"room1-pc01""#]),
        Case(
            words: "--user root policy show", says: ["policy for root on room1-pc01", #"k = "all""#],
            not: [#"k = "own""#]),
        Case(
            words: "policy facts", code: 4, says: ["This is a user namespace, in which users, groups and names may be"]),
        Case(words: "policy apply", code: 4, says: ["only root there may apply policy."], not: ["Only root"]),
        Case(words: "policy rollback", code: 4, says: ["only root there may roll policy back."]),
        Case(
            words: "doctor", code: 1,
            says: ["The compiled table is not used in a user namespace", "1 key is forced for pupil (root in this"]),
        Case(
            words: "policy list", says: ["in its directory, and not recorded as it is: nobody can tell whether it"],
            after: #"echo '{ "Identifier": "edu.example.n", "Forced": { "org.x": { "n": 1 } } }' > $policies/50.json"#),
        Case(
            way: nobody, words: "policy show",
            says: ["policy for somebody whom nobody can tell (nobody known in this user namespace) on room1-pc01"]),
        Case(way: nobody, words: "explain org.x k", says: ["(forced, without a value: nobody can tell which of"]),
        Case(
            way: nobody, words: "--json explain org.x k", says: [#""shortfall": "doubt""#, #""unknown": "without a"#]),
        Case(way: nobody, words: "--json policy show", says: [#""shortfall": "doubt""#]),
        Case(way: nobody, words: "--json forced", says: [#""shortfall": "doubt""#]),
        Case(way: nobody, words: "--json forced org.x k", says: [#""shortfall":"doubt""#]),
        Case(
            way: nobody, words: "policy digest", code: 4,
            says: ["There is no digest of what nobody can tell here: org.x k is without a value: nobody can"]),
        Case(
            way: hidden, words: "report", code: 1, says: ["  not known ", "nobody can tell their values here"],
            not: ["Result    COMPLIANT"]),
        Case(
            way: hidden, words: "--json report", code: 1, says: [#""shortfall": "doubt""#, #""unknown": 1"#],
            not: [#""compliant": true"#]),
    ]

    @Test(.enabled(if: HiddenMachine.isPossible, HiddenMachine.need), arguments: cases)
    func `What a command says of policy and people is so outside, or nobody can tell`(_ item: Case) throws {
        let setup = """
            \(HiddenMachine.whole)
            printf 'root:x:0:0::/root:/bin/sh\\npupil:x:1001:1001::/run/pupil:/bin/sh\\n' > /etc/passwd
            printf 'root:x:0:\\npupil:x:1001:\\n' > /etc/group
            printf 'passwd: files\\ngroup: files\\n' > /etc/nsswitch.conf
            echo 'other:x:4711:4711::/:/bin/sh' > /etc/other; mkdir /run/pupil; chown 1001:1001 /run/pupil
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
                "unshare", "-m", "/bin/sh", "-ec", setup, "sh", PolicyFolder.program("mdefaults"), item.way, item.words,
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
