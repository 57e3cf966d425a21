import Foundation
import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDTestSupport
import MDTools
import Testing

/// Policy at other times, and with a clock that is behind.
struct TimeTests {
    /// Runs `forced` for alice at a time.
    private func forced(_ lab: Lab, _ key: String, at time: String) throws -> Int32 {
        try lab.managed(["--user", "alice", "--at", time, "forced", "org.example.Quiz", key]).code
    }

    @Test func `a schedule, a calendar and two bounds are asked about at any time`() throws {
        let lab = try Lab()
        try lab.add(
            policy: "90-quiz.json",
            """
            { "Identifier": "org.example.quiz",
              "Target": { "Schedule": [{ "Days": ["Mon"], "From": "22:00", "To": "06:00", "TimeZone": "Etc/GMT-1" }] },
              "Forced": { "org.example.Quiz": { "Night": true } } }
            """)
        try lab.add(
            policy: "91-quiz.json",
            """
            { "Identifier": "org.example.week", "Target": { "Schedule": ["exam-week"] },
              "Calendars": { "exam-week": [{ "Days": ["Tue"], "TimeZone": "UTC" }] },
              "Forced": { "org.example.Quiz": { "Week": true } } }
            """)
        try lab.add(
            policy: "92-quiz.json",
            """
            { "Identifier": "org.example.bounds",
              "Target": { "NotBefore": "2026-11-23T08:00:00Z", "NotAfter": "2026-11-24T08:00:00+01:00" },
              "Forced": { "org.example.Quiz": { "Bounds": true } } }
            """)
        let rows: [(key: String, time: String, code: Int32)] = [
            ("Night", "2026-11-23T20:59:59Z", 1), ("Night", "2026-11-23T21:00:00Z", 0),
            ("Night", "2026-11-24T04:59:59.999999Z", 0), ("Night", "2026-11-24T05:00:00Z", 1),
            ("Week", "2026-11-23T23:59:59Z", 1), ("Week", "2026-11-24T00:00:00Z", 0),
            ("Week", "2026-11-25T00:00:00Z", 1), ("Bounds", "2026-11-23T07:59:59Z", 1),
            ("Bounds", "2026-11-23T09:00:00+01:00", 0), ("Bounds", "2026-11-24T07:00:00Z", 1),
        ]
        for row in rows {
            #expect(try forced(lab, row.key, at: row.time) == row.code, "\(row)")
        }
        let list = try lab.managed(["--user", "alice", "--at", "2026-11-23T07:00:00Z", "policy", "list"]).output
        #expect(list.contains("applies from Mon 2026-11-23 08:00 UTC on"))
        #expect(list.contains("changes next: Mon 2026-11-23 21:00 UTC"))
        let files = try lab.managed(["--user", "alice", "--at", "2026-11-23T07:00:00Z", "policy", "list", "--json"])
        let next = try files.objects.first { ($0["file"] as? String)?.hasSuffix("91-quiz.json") == true }
        #expect(next?["nextChange"] as? String == "2026-11-24T00:00:00.000000Z")
        // A question about another time records nothing.
        #expect(!FileManager.default.fileExists(atPath: lab.path + "/var"))
    }

    @Test func `a zone and a calendar that are not there count as open and are said`() throws {
        let lab = try Lab()
        try lab.add(
            policy: "90-quiz.json",
            """
            { "Identifier": "org.example.quiz",
              "Target": { "Schedule": ["no-such-week", { "From": "09:00", "To": "10:00", "TimeZone": "No/Where" }] },
              "Forced": { "org.example.Quiz": { "Hour": true } },
              "Waivers": [{ "Users": ["alice"], "Domain": "org.example.Quiz", "Key": "Hour",
                            "Until": "2100-01-01T00:00:00Z", "Reason": "late" }] }
            """)
        #expect(try lab.managed("--user", "alice", "forced", "org.example.Quiz", "Hour").code == 0)
        let list = try lab.managed("--user", "alice", "policy", "list").output
        #expect(list.contains("[unknown-zone]") && list.contains("[unknown-calendar]"))
        // Its waiver lifts nothing, and is named all the same.
        let words = list.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let waiver = "waiver of org.example.Quiz Hour, lifts nothing, because it is unknown whether its file applies"
        #expect(words.contains(waiver))
        #expect(try lab.managed("--user", "alice", "policy", "show").output.contains("in doubt until 2100"))
        let explained = try lab.managed("--user", "alice", "explain", "org.example.Quiz", "Hour")
        #expect(explained.error.contains("no-such-week") && explained.error.contains("No/Where"))
        let doctor = try lab.managed("--user", "alice", "doctor")
        #expect(doctor.code == 1)
        #expect(doctor.output.contains("No/Where cannot be read"))
        // A window that is open whatever the zone is makes it certain that the file applies.
        let name = "etc/managed-defaults/policies.d/90-quiz.json"
        #expect(try lab.edit(name, "\"no-such-week\"", "{ \"From\": \"00:00\", \"To\": \"24:00\" }"))
        #expect(try lab.managed("--user", "alice", "forced", "org.example.Quiz", "Hour").code == 1)
        #expect(try lab.managed("--user", "alice", "policy", "list").output.contains("[unknown-zone]"))
    }

    @Test func `a clock that is behind is said, and what has not begun counts as begun`() throws {
        let lab = try Lab()
        try lab.add(
            policy: "90-quiz.json",
            """
            { "Identifier": "org.example.quiz", "Target": { "NotBefore": "2100-01-01T00:00:00Z" },
              "Forced": { "org.example.Quiz": { "Late": true } } }
            """)
        try lab.apply()
        let words = ["--user", "alice", "forced", "org.example.Quiz", "Late"]
        #expect(try lab.managed(words).code == 1)
        let record = lab.path + "/var/lib/managed-defaults/policy.record"
        let ahead = Date(timeIntervalSinceNow: 86_400)
        try FileManager.default.setAttributes([.modificationDate: ahead], ofItemAtPath: record)
        let forced = try lab.managed(words)
        #expect(forced.code == 0 && forced.error.contains("The clock is earlier than "))
        let doctor = try lab.managed("--user", "alice", "doctor")
        #expect(doctor.code == 1 && doctor.output.contains("The clock is earlier than "))
        let grant = try lab.managed("policy", "grant", "--for", "5m", "--user", "bob", "--reason", "x", "a.b", "c")
        #expect(grant.code == 1 && grant.error.contains("would count as ended at once"))
        let exam = try lab.managed("policy", "exam", "start", "--yes", Lab.repository + "/Policies/exam", "--for", "2h")
        #expect(exam.code == 1 && exam.error.contains("The clock is earlier than "))
        // Another time is asked about as if the clock were right.
        #expect(try lab.managed(["--at", "2026-11-23T00:00:00Z"] + words).code == 1)
    }

    @Test func `no variable moves a window`() throws {
        let lab = try Lab()
        try lab.add(
            policy: "90-quiz.json",
            """
            { "Identifier": "org.example.quiz", "Target": { "Schedule": [{ "From": "09:00", "To": "10:00" }] },
              "Forced": { "org.example.Quiz": { "Hour": true } } }
            """)
        let words = ["--root", "lab", "--user", "alice", "--at", "2026-11-23T09:30:00Z", "forced", "org.example.Quiz"]
        for zone in ["Pacific/Kiritimati", ":/nonexistent", "UTC-14"] {
            let environment = ["TZ": zone, "TZDIR": "/nonexistent", "PATH": "/usr/bin:/bin"]
            let process = MDefaultsProcess(folder: lab.folder)
            let result = try process.run(words + ["Hour"], environment: environment)
            #expect(result.code == 0)
        }
    }

    @Test(arguments: [
        ["write", "org.example.Editor", "Font", "Mono"], ["delete", "org.example.Editor"], ["policy", "apply"],
        ["policy", "grant", "--for", "5m", "--user", "bob", "--reason", "x", "a.b", "c"], ["audit", "list"], ["doctor"],
    ]) func `what is not asked about policy takes no time`(_ verb: [String]) throws {
        let lab = try Lab()
        let result = try lab.managed(["--user", "alice", "--at", "2026-11-23T09:30:00Z"] + verb)
        #expect(result.code == 2)
        #expect(result.error.contains("--at asks what policy says at another time"))
    }

    @Test(arguments: ["soon", "2026-11-31", "2026-11-23 09", "2026-02-30T00:00:00Z"])
    func `what is no time is refused`(_ time: String) throws {
        let result = try Lab().managed(["--at", time, "forced"])
        #expect(result.code == 2 && result.error.contains("is no time such as"))
    }

    @Test(.enabled(if: UserIdentityTests.hasMounts, "needs root and a mount namespace"))
    func `users' programs know what root's commands know of the clock`() throws {
        let lab = try Lab()
        chmod(lab.folder, 0o755)
        let script =
            UserIdentityTests.machine + """
                policies=/etc/managed-defaults/policies.d
                store=/var/lib/managed-defaults
                alice() { setpriv --reuid 2002 --regid 2002 --init-groups "$program" forced d k; }
                later=$(date -u -d '+10 hours' +%Y-%m-%dT%H:%M:%SZ)
                rm $policies/*
                echo '{"Identifier":"a.b","Forced":{"d":{"k":1}},"Waivers":[{"Users":["alice"],"Domain":"d","Key":"k",
                    "Until":"'$later'","Reason":"thesis"}]}' > $policies/10.json
                "$program" policy apply > apply
                alice
                for file in record table clock; do
                    touch -d '+2 hours' $store/policy.$file
                    echo "$file:"; "$program" --user alice forced d k 2> apply; alice
                    "$program" policy apply > apply 2>&1
                    echo 'still behind:'; alice
                    "$program" policy forget --clock > apply; echo "[$?]"
                    "$program" policy apply > apply 2>&1
                    echo 'right again:'; alice
                done
                touch -d '+3 hours' $store/policy.record
                "$program" policy apply > apply 2>&1
                kept() { ls -i $store/policy.record $store/policy.table; }
                kept > before; "$program" policy apply > apply 2>&1
                "$program" policy list > apply 2>&1; kept | diff before - && echo "written once"
                """
        let run = try SpawnedProgram.run(
            "/bin/sh",
            [
                "-c", "exec unshare -m sh -c \"$1\" sh \"$2\" \"$3\"", "sh", script, MDefaultsProcess.path, lab.folder,
            ])
        let round = { (file: String) in
            "\(file):\nforced\nforced\nstill behind:\nforced\n[0]\nright again:\nnot forced\n"
        }
        let rounds = ["record", "table", "clock"].map(round).joined()
        #expect(run.output == "not forced\n\(rounds)written once\n", "\(run.error)")
    }
}
