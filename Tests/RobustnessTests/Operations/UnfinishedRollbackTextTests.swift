import Foundation
import TestSupport
import Testing

/// What commands say while a rollback is not over, because a file cannot be replaced, and once it is.
struct UnfinishedRollbackTextTests {
    /// A command, and what it says.
    struct Step: Sendable {
        /// The shell words.
        let words: String
        /// What it says.
        var says: [String] = []
        /// What it does not say.
        var not: [String] = []
    }

    /// What is done and said, one after the other.
    static let steps = [
        Step(
            words: "mdefaults policy rollback 1",
            says: ["the next policy apply does what is left to do; policy rollback 2 takes it back"]),
        Step(
            words: "policy 50-new.json new && mdefaults policy apply --dry-run",
            says: ["; the rollback to generation 1 is not over, and policy apply ends it", "nothing was written"],
            not: ["nothing changed"]),
        Step(
            words: "mdefaults policy apply",
            says: [
                "0 policy files in force, 1 as generation 1 says; the rollback to generation 1 is not over",
                "50-new.json: takes no part: it is not in generation 1",
            ], not: ["last good copy", "nothing changed"]),
        Step(words: "mdefaults --json policy apply", says: [#""rollback": 1"#]),
        Step(
            words: "mdefaults policy history",
            says: ["The rollback to generation 1 is not over: mdefaults policy apply ends it, and mdefaults policy"],
            not: ["*"]),
        Step(words: "mdefaults --json policy history", says: [#""rollback": true"#]),
        Step(
            words: "mdefaults doctor",
            says: ["run that again as root; or take it back with mdefaults policy rollback 2.", "Lint finds no error"],
            not: ["Run mdefaults policy lint", "Run mdefaults doctor as root", "which writes what is missing"]),
        Step(
            words: "umount $policies/10-a.json && mdefaults policy apply --dry-run",
            says: ["the rollback to generation 1 is not over, and policy apply ends it"]),
        Step(
            words: "mdefaults policy apply", says: ["; the rollback to generation 1 is over"], not: ["nothing changed"]),
        Step(words: "mdefaults policy history", says: ["*"], not: ["is not over"]),
        Step(
            words: "hold; mdefaults policy rollback 2; mdefaults policy rollback 3; release",
            says: ["generation 3 is in place, as before the rollback that is taken back", "kept: the rollback"],
            not: ["was 3"]),
        Step(
            words: "touch -d yesterday $policies/.managed-defaults-rollback && mdefaults doctor",
            says: [".managed-defaults-rollback is a temporary file that a killed process has left behind"]),
    ]

    @Test(.enabled(if: HiddenMachine.isPossible, HiddenMachine.need))
    func `Commands say that a rollback is not over, and what becomes of it`() throws {
        let setup = """
            \(HiddenMachine.setup)
            mdefaults=$1; shift; policies=/etc/managed-defaults/policies.d
            mdefaults() { "$mdefaults" "$@"; }
            policy() { printf '{"Identifier":"e.%s","Forced":{"d":{"%s":"%s"}}}' ${1%.json} $2 $2 > $policies/$1; }
            hold() { mount --bind $policies/10-a.json $policies/10-a.json; }
            release() { umount $policies/10-a.json; }
            policy 10-a.json one; mdefaults policy apply > /dev/null
            policy 10-a.json two; mdefaults policy apply > /dev/null; hold
            for words; do eval "$words" 2>&1 || true; echo "=="; done
            """
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            ["unshare", "-m", "/bin/sh", "-ec", setup, "sh", PolicyFolder.program("mdefaults")]
                + UnfinishedRollbackTextTests.steps.map(\.words))
        #expect(result.code == 0, "\(result)")
        let answers = result.output.components(separatedBy: "==\n")
        try #require(answers.count == UnfinishedRollbackTextTests.steps.count + 1, "\(result)")
        for (step, answer) in zip(UnfinishedRollbackTextTests.steps, answers) {
            let said = answer.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
            for text in step.says { #expect(said.contains(text), "\(step.words): \(answer)") }
            for text in step.not { #expect(!said.contains(text), "\(step.words): \(answer)") }
        }
    }
}
