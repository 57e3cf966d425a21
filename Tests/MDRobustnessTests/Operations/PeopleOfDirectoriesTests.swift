import Foundation
import MDTestSupport
import Testing

/// What the machine knows of people whom only a directory has, and what their programs get of it.
@Suite(.enabled(if: OwnMachine.isPossible, OwnMachine.need))
struct PeopleOfDirectoriesTests {
    /// What shell commands print on a machine with a directory; `$1` is the command.
    private func lines(_ commands: String) throws -> [String] {
        let script = """
            \(DirectoryAwayTests.setup)
            cat > /etc/managed-defaults/policies.d/60-b.json <<'END'
            { "Identifier": "edu.example.b", "Forced": { "org.example.P": { "Page": "https://x/${user}", "In": "${home}/x" } } }
            END
            cat >> /run/directory <<'END'
            u mia=found 5020 7001 mia /home/mia -
            U 5015=found 5015 7000 2015 /home/2015 -
            U 5020=found 5020 7001 mia /home/mia -
            m 7001 mia=found 7000
            l class=found 7001 class mia leo
            u leo=found 5021 7000 leo /home/leo -
            m 7000 leo=found 7001
            END
            mkdir -p /run/systemd/users
            as() { HOME=/tmp setpriv --reuid $1 --regid 7001 --clear-groups "$2" read org.example.P $3 2>&1 || true; }
            \(commands)
            """
        let result = try SpawnedProgram.run(
            "/usr/bin/env", ["unshare", "-m", "/bin/sh", "-ec", script, "sh", TemporaryMachine.program("mdefaults")])
        #expect(result.code == 0, "\(result)")
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test func `who has a session is known by name and home, also while the directory is away`() throws {
        let found = try lines(
            """
            apply "$1" > /dev/null; as 5020 "$1" Page | grep -c mia || true
            : > /run/systemd/users/5020; apply "$1" > /dev/null
            as 5020 "$1" Page; as 5020 "$1" In
            stat -c '%a %u %n' /var/lib/managed-defaults/people*
            echo 'all=error 111' >> /run/directory; apply "$1" > /dev/null
            as 5020 "$1" Page; "$1" --user mia --json forced org.example.P In | grep -c /home/mia/x
            "$1" --user mai forced 2>&1 | grep -o 'Perhaps.*' || true
            printf x >> /var/lib/managed-defaults/people; as 5020 "$1" Page | grep -c mia || true
            "$1" doctor | grep -c 'register of people names nobody'
            apply "$1" > /dev/null; as 5020 "$1" Page
            "$1" doctor | grep -c 'register of people names nobody' || true
            """)
        #expect(
            found == [
                "0", "https://x/mia", "/home/mia/x", "644 0 /var/lib/managed-defaults/people",
                "600 0 /var/lib/managed-defaults/people.private", "https://x/mia", "1",
                "Perhaps one of these is meant: mia.", "0", "1", "https://x/mia", "0",
            ], "\(found)")
    }

    @Test func `previews count the members of groups of a directory, and say whom they do not know`() throws {
        let found = try lines(
            """
            apply "$1" > /dev/null
            echo '{ "Target": { "Groups": ["class"] }, "Forced": { "org.example.P": { "New": 1 } } }' > /run/70-c.json
            "$1" policy install --dry-run /run/70-c.json 2>&1 | grep -E '^(For|No)'
            : > /run/systemd/users/5020; apply "$1" > /dev/null; echo 'all=error 111' >> /run/directory
            "$1" policy install --dry-run /run/70-c.json 2>&1 | grep -E '^(For|No)'
            "$1" policy install --dry-run /run/70-c.json 2>&1 | grep -c 'Who is in class is not known'
            """)
        #expect(
            found == [
                "For mia and leo, by the directory, on room1-pc01:",
                "No difference for root, pupil and 2015, 1 of them by the directory.",
                "For mia, by the directory, on room1-pc01:",
                "No difference for root, pupil and 2015, 1 of them by the directory.", "1",
            ], "\(found)")
    }
}
