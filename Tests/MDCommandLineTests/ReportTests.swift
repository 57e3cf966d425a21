import Foundation
import MDPlatform
import MDTestSupport
import Testing

/// `report` of the classroom machine, to standard output and to a file.
struct ReportTests {
    /// Runs `mdefaults --root LAB report …` on a lab as it is after a checkout, by a clock that is given, or the machine's.
    private func report(
        _ lab: Lab, _ words: [String] = [], at time: String? = nil
    ) throws -> MDefaultsProcess.Result {
        var environment = ["PATH": "/usr/bin:/bin"]
        environment["SOURCE_DATE_EPOCH"] = time.flatMap { Timestamp(rfc3339: $0) }.map {
            "\($0.microseconds / 1_000_000)"
        }
        return try MDefaultsProcess(folder: lab.folder).run(
            ["--root", "lab", "report"] + words, environment: environment)
    }

    /// The lab without what it recorded; its calculator, unknown there, has asked for policy too.
    private func fresh() throws -> Lab {
        let lab = try Lab()
        for uid in [1004, 1010] {
            let line = "{\"uid\":\(uid),\"exe\":\"/usr/bin/calculator\",\"domain\":\"org.example.Calculator\"}\n"
            try lab.write("run/mdefaultsd/opened", lab.text("run/mdefaultsd/opened") + line)
        }
        try lab.write("usr/bin/calculator", "")
        return lab
    }

    /// The same with every preference file as it should be.
    private func sound() throws -> Lab {
        let lab = try fresh()
        try FileManager.default.removeItem(atPath: lab.file(of: "dora", "org.example.Player"))
        return lab
    }

    @Test func `the shipped lab is not all covered, because nothing is known of the calculator`() throws {
        let result = try report(try Lab())
        #expect(result.code == 1)
        #expect(result.output.contains("NOT ALL COVERED. Policy is in force as written, and 4 of 226"))
        #expect(result.output.contains("  org.example.Calculator  2 keys of 2 users\n"))
    }

    @Test func `the lab is compliant with hidden values, and not all looked at with a damaged file`() throws {
        let lab = try fresh()
        let partial = try report(lab)
        #expect(partial.code == 1 && partial.output.contains("NOT ALL LOOKED AT. No error is known."))
        #expect(partial.output.contains("lab/home/dora/.config/org.example.Player.plist:15:15, of dora"))
        try FileManager.default.removeItem(atPath: lab.file(of: "dora", "org.example.Player"))
        let result = try report(lab)
        #expect(result.code == 0)
        #expect(result.error == "")
        #expect(result.output.contains("COMPLIANT. Policy is in force as written, and all 226"))
        #expect(result.output.contains("org.example.Browser Proxy = \"socks5://198.51.100.7:1080\""))
        #expect(!result.output.contains("\u{1b}"))
        #expect(!FileManager.default.fileExists(atPath: lab.path + "/var"), "a report changes nothing")
    }

    @Test func `a refused write is in the report`() throws {
        let lab = try sound()
        #expect(
            try lab.run(as: "bob", ["write", "org.example.Browser", "HomePage", "https://games.example"]).code == 3)
        let result = try report(lab)
        #expect(result.code == 0)
        #expect(result.output.contains("Override attempts of bob on record"))
        #expect(result.output.contains("tried \"https://games.example\", refused"))
        #expect(result.output.contains("Override attempts: 1 on record"))
        let json = try report(lab, ["--format", "json"])
        let parsed = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        let attempts = try #require(parsed["attempts"] as? [[String: Any]])
        #expect(attempts.map { $0["user"] as? String } == ["bob"])
        #expect((parsed["log"] as? [String: Any])?["status"] as? String == "intact")
        #expect(try report(lab, ["--json"]).output.hasPrefix("{\n"))
    }

    @Test func `an altered log is exit 1 and said`() throws {
        let lab = try fresh()
        #expect(
            try lab.run(as: "bob", ["write", "org.example.Browser", "HomePage", "https://games.example"]).code == 3)
        #expect(try lab.edit("var/log/managed-defaults/current.jsonl", "\"bob\"", "\"eve\""))
        let result = try report(lab)
        #expect(result.code == 1)
        #expect(result.output.contains("NOT COMPLIANT"))
        #expect(result.output.contains("ALTERED"))
    }

    @Test(.enabled(if: UserIdentityTests.hasMounts, "needs root and a mount namespace"))
    func `a log that a user may not read is neither sound nor unsound for them`() throws {
        let lab = try Lab()
        chmod(lab.folder, 0o755)
        let script =
            UserIdentityTests.machine + """
                rm /etc/managed-defaults/policies.d/*
                echo '{"Identifier":"a.b","Forced":{"d":{"k":1}}}' > /etc/managed-defaults/policies.d/10.json
                "$program" policy apply > apply
                alice() { setpriv --reuid 2002 --regid 2002 --init-groups "$program" report "$@" > said; echo "[$?]"; }
                alice
                tr -s ' \\n' ' ' < said > line
                for words in 'Result [^.]*[.]' 'Complete no' 'The audit log /[^,]*, who[^.]*[.]' 'NOT CHECKED' 'not verify'; do
                    grep -o "$words" line
                done
                alice --json
                grep -o '"inForceAsWritten.*\\|"complete.*\\|"verified.*\\|"status": "u.*\\|log-not-verified' said
                setpriv --reuid 2002 --regid 2002 --init-groups "$program" doctor | grep -A 1 'audit log could not'
                # Who owns the log and may not look at it has one that is not as it should be.
                setpriv --bounding-set -dac_override,-dac_read_search --inh-caps -dac_override,-dac_read_search \\
                    sh -c 'chmod 0 /var/log/managed-defaults/*; "$0" report' "$program" | grep -o 'does not verify'
                """
        let run = try SpawnedProgram.run(
            "/bin/sh",
            [
                "-c", "exec unshare -m sh -c \"$1\" sh \"$2\" \"$3\"", "sh", script, MDefaultsProcess.path, lab.folder,
            ])
        #expect(
            run.output == """
                [1]
                Result NOT ALL COVERED.
                Complete no
                The audit log /var/log/managed-defaults/current.jsonl could not be checked by alice, who may not read it; \
                whether it verifies is not known.
                NOT CHECKED
                [1]
                "inForceAsWritten": true,
                "complete": false,
                "status": "unchecked",
                ✗ The audit log could not be checked. The log could not be checked: cannot open \
                /var/log/managed-defaults/checkpoint: Permission denied.
                  → Have root run mdefaults audit verify: whether the log verifies is not known, and nothing speaks \
                against it.
                does not verify

                """, "\(run.error)")
    }

    @Test func `a broken policy file is exit 1 and said, with its place`() throws {
        let lab = try fresh()
        try lab.apply()
        #expect(try lab.edit("etc/managed-defaults/policies.d/10-site.json", "\"Version\": 12,", "\"Version\": 12"))
        let result = try report(lab)
        #expect(result.code == 1)
        #expect(result.output.contains("last good copy is in force"))
        #expect(result.output.contains("10-site.json:6:"))
        #expect(result.output.contains("(last good copy)"))
        let json = try report(lab, ["--json"])
        #expect(json.code == 1)
        let parsed = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        let reasons = try #require(parsed["reasons"] as? [String: Int])
        let numbers = try #require(parsed["requirements"] as? [String: Int])
        #expect(reasons["broken"] ?? 0 > 0 && numbers["notMet"] == reasons["broken"])
    }

    @Test func `a report goes to a file that only its owner reads`() throws {
        let lab = try sound()
        let result = try report(lab, ["-o", "report.txt", "--title", "Autumn"])
        #expect(result.code == 0)
        #expect(result.output == "")
        let path = lab.folder + "/report.txt"
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("Autumn\n======\n"))
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let failed = try report(lab, ["-o", "no/such/folder/report.txt"])
        #expect(failed.code == 4)
        #expect(failed.error.contains("/no: No such file or directory"))
        #expect(try report(lab, ["-o", "-"]).output.hasPrefix("Compliance report\n"))
    }

    @Test func `a report never takes the place of a preference file or of what is no file`() throws {
        let lab = try fresh()
        let before = try lab.stored("bob", "org.example.Browser")
        let refused = try report(lab, ["-o", "lab/home/bob/.config/org.example.Browser.plist"])
        #expect(refused.code == 2)
        #expect(refused.error.contains("is the preference file of org.example.Browser of bob"))
        #expect(try lab.stored("bob", "org.example.Browser") == before)
        let failed = try report(lab, ["-o", "lab"])
        #expect(failed.code == 4)
        #expect(failed.error.contains("lab: it is a directory, not a file"))
    }

    @Test(arguments: [
        (["--fail-under", "101"], "from 0 to 100"), (["--sign", "key"], "needs -o FILE"),
        (["--mode", "644"], "needs -o FILE"), (["-o", "x", "--mode", "4755"], "bits from 0 to 777"),
        (["-o", "x", "--mode", "rw"], "bits from 0 to 777"),
        (["--exit-zero", "--fail-under", "95"], "has no effect"),
        (["merge"], "A report is missing"),
        (["--format", "xyz"], "There is no format xyz"),
        (["--format"], "needs a value"), (["--since", "someday"], "--since someday is no time"),
        (["--since", "2026-11-21T00:00:00Z", "--until", "2026-11-20T00:00:00Z"], "earlier than --since"),
        (["extra"], "The word extra"), (["--unknown"], "The option --unknown"), (["-o", ""], "name of a file"),
        (["--json", "--format", "text"], "contradict"), (["--title", "a", "--title", "b"], "stands twice"),
        (["--user", "bob"], "covers every user"),
    ])
    func `a wrong command line is answered with the usage`(_ words: [String], _ sentence: String) throws {
        let result = try report(try fresh(), words)
        #expect(result.code == 2)
        #expect(result.output == "")
        #expect(result.error.contains(sentence))
        #expect(result.error.contains("usage: mdefaults report"))
    }

    @Test func `with exit-zero the code says whether there is a report, and not what it says`() throws {
        let lab = try fresh()
        try lab.write("etc/managed-defaults/policies.d/90-broken.json", "{")
        #expect(try report(lab, ["--summary"]).code == 1)
        let written = try report(lab, ["--summary", "--exit-zero"])
        #expect(written.code == 0 && written.output.contains("NOT COMPLIANT"))
        #expect(try report(lab, ["--exit-zero", "-o", "none/report"]).code == 4)
    }

    @Test func `the clock is given under a folder, and then the same inputs make the same bytes`() throws {
        let lab = try fresh()
        let time = "2026-11-20T10:00:00Z"
        for format in ["text", "json", "html"] {
            let first = try report(lab, ["--format", format], at: time)
            #expect(first.output.contains(format == "json" ? "\"clock\": \"given\"" : "clock given"))
            #expect(try report(lab, ["--format", format], at: time).output == first.output)
        }
        #expect(try report(lab, ["--json"]).output.contains("\"clock\": \"machine\""))
        let wrong = try MDefaultsProcess(folder: lab.folder).run(
            ["--root", "lab", "report"], environment: ["SOURCE_DATE_EPOCH": "soon"])
        #expect(wrong.code == 2 && wrong.error.contains("SOURCE_DATE_EPOCH needs a number of seconds"))
    }

    @Test func `a report of the past is refused, and one as if at another time has no result`() throws {
        let lab = try sound()
        let past = try report(lab, ["--at", "2026-11-20T10:00:00Z"])
        #expect(past.code == 2 && past.error.contains("is past") && past.error.contains("reports that were kept"))
        // The given clock decides what is past.
        #expect(try report(lab, ["--at", "2026-11-20T10:00:00Z"], at: "2026-11-20T10:00:01Z").code == 0)
        let later = ["--at", "2036-11-20T10:00:00Z"]
        let text = try report(lab, later)
        #expect(text.code == 0 && text.output.contains("as if at 2036-11-20 10:00:00 UTC: no result."))
        #expect(!text.output.contains("COMPLIANT") && !text.output.contains("Covered"))
        #expect(try report(lab, later + ["--json", "-o", "asif.json"]).code == 0)
        let parsed = try #require(
            try JSONSerialization.jsonObject(
                with: Data(contentsOf: URL(fileURLWithPath: lab.folder + "/asif.json"))) as? [String: Any])
        #expect(parsed["result"] as? String == "as if" && parsed["asIf"] as? String == "2036-11-20T10:00:00.000000Z")
        let merged = try MDefaultsProcess(folder: lab.folder).run(["report", "merge", "asif.json"])
        #expect(merged.code == 1 && merged.output.contains("NOTHING TO SAY"))
        let page = try report(lab, later + ["--format", "html"])
        #expect(page.code == 0 && page.output.contains("no result") && !page.output.contains("class=\"verdict good"))
        for words in [
            ["-o", "x", "--sign", "key"], ["--fail-under", "0"], ["--format", "csv"], ["--format", "junit"],
            ["--format", "xccdf"], ["--format", "oscal"], ["--format", "ocsf"], ["--format", "prometheus"],
        ] {
            let refused = try report(lab, later + words)
            #expect(refused.code == 2 && refused.error.contains("With --at") || refused.error.contains("with --at"))
        }
        let merge = try MDefaultsProcess(folder: lab.folder).run(later + ["report", "merge", "asif.json"])
        #expect(merge.code == 2 && merge.error.contains("report merge works on what is now"))
    }

    @Test func `a baseline is of the same machine`() throws {
        let lab = try sound()
        #expect(try report(lab, ["--json", "-o", "before.json"]).code == 0)
        #expect(try report(lab, ["--baseline", "before.json"]).code == 0)
        try lab.write("etc/hostname", "room1-pc04\n")
        let refused = try report(lab, ["--baseline", "before.json"])
        #expect(refused.code == 5 && refused.error.contains("it is of room1-pc03, and this is room1-pc04"))
        let other = try report(lab, ["--baseline", "before.json", "--other-machine"])
        #expect(other.output.contains(" of room1-pc03\n"))
        #expect(try report(lab, ["--other-machine"]).code == 2)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/ssh-keygen"), "needs ssh-keygen"))
    func `a machine signs its own report only, and a collector any`() throws {
        let lab = try sound()
        for name in ["room1-pc03", "room1-pc02", "collector@school.example"] {
            let key = "\(lab.folder)/\(name)"
            #expect(
                try SpawnedProgram.run("/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]).code == 0)
            let line = "\(name) \(try String(contentsOfFile: key + ".pub", encoding: .utf8))"
            let list = (try? String(contentsOfFile: lab.folder + "/signers", encoding: .utf8)) ?? ""
            try (list + line).write(toFile: lab.folder + "/signers", atomically: true, encoding: .utf8)
        }
        func merge(_ signer: String) throws -> MDefaultsProcess.Result {
            #expect(try report(lab, ["--json", "-o", "pc03.json", "--sign", signer]).code == 0)
            return try MDefaultsProcess(folder: lab.folder).run(
                ["--json", "report", "merge", "--signers", "signers", "pc03.json"])
        }
        let own = try merge("room1-pc03")
        #expect(own.code == 0 && own.output.contains("\"signer\": \"room1-pc03\""), "\(own.output)")
        let foreign = try merge("room1-pc02")
        #expect(foreign.code == 1)
        #expect(
            foreign.output.contains("it is signed by room1-pc02, and says it is of room1-pc03"), "\(foreign.output)")
        let collected = try merge("collector@school.example")
        #expect(collected.code == 0 && collected.output.contains("\"signer\": \"collector@school.example\""))
        let text = try MDefaultsProcess(folder: lab.folder).run([
            "report", "merge", "--signers", "signers", "pc03.json",
        ])
        #expect(text.output.contains("Signed    0 by the machines themselves, 1 by collector@school.example\n"))
    }

    @Test func `reports of several machines are merged, and damaged ones are named`() throws {
        let lab = try sound()
        let folder = lab.folder + "/reports"
        try FileManager.default.createDirectory(atPath: folder + "/old", withIntermediateDirectories: true)
        #expect(try report(lab, ["--format", "json", "-o", "reports/pc03.json"]).code == 0)
        #expect(
            try report(lab, ["--json", "-o", "reports/old/pc03.json"], at: "2026-11-20T10:00:00Z").code == 0)
        try "room1-pc03\nroom1-pc04 room1 # new\n".write(
            toFile: folder + "/hosts", atomically: true, encoding: .utf8)
        let whole = try MDefaultsProcess(folder: lab.folder).run(["report", "merge", "reports/"])
        #expect(whole.code == 0 && whole.output.contains("2 reports of 1 machine\n"))
        #expect(whole.output.contains("Day by day"))
        try Data([0x7b]).write(to: URL(fileURLWithPath: folder + "/pc05.json"))
        let words = ["report", "merge", "--expected", "reports/hosts", "reports"]
        let result = try MDefaultsProcess(folder: lab.folder).run(words)
        #expect(result.code == 1)
        #expect(result.output.contains("error    reports/pc05.json: this report cannot be used, and the rest is:"))
        #expect(result.output.contains("error    room1-pc04 (room1): there is no report of it."))
        #expect(result.output.contains("1 of 2 (50.0 %) machines are compliant"))
        let json = try MDefaultsProcess(folder: lab.folder).run(["--json"] + words)
        let parsed = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect((parsed["summary"] as? [String: Any])?["refused"] as? Int == 1)
        #expect(try MDefaultsProcess(folder: lab.folder).run(["report", "merge", "nothing.json"]).code == 1)
        // A file for each room, and one for all machines.
        let rooms = ["--format", "xccdf", "-o", "rooms/"] + words.dropFirst(2)
        #expect(try MDefaultsProcess(folder: lab.folder).run(["report", "merge"] + rooms).code == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: lab.folder + "/rooms").sorted()
        #expect(names == ["fleet.xccdf", "room1.xccdf"])
        let room = try String(contentsOfFile: lab.folder + "/rooms/room1.xccdf", encoding: .utf8)
        #expect(room.contains("room1-pc04") && !room.contains("pc05.json"))
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/ssh-keygen"), "needs ssh-keygen"))
    func `a report is signed and verified`() throws {
        let lab = try sound()
        let key = lab.folder + "/key"
        #expect(try SpawnedProgram.run("/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]).code == 0)
        let publicKey = try String(contentsOfFile: key + ".pub", encoding: .utf8)
        try "auditor \(publicKey)".write(toFile: lab.folder + "/signers", atomically: true, encoding: .utf8)
        #expect(try report(lab, ["--format", "html", "-o", "page.html", "--sign", "key"]).code == 0)
        let verify = ["--verify", "page.html", "--signers", "signers"]
        let good = try report(lab, verify)
        #expect(good.code == 0 && good.output.contains("Signed by auditor."), "\(good.output)\(good.error)")
        let page = URL(fileURLWithPath: lab.folder + "/page.html")
        var text = try String(contentsOf: page, encoding: .utf8)
        text = text.replacingOccurrences(of: "COMPLIANT", with: "Compliant")
        try text.write(to: page, atomically: true, encoding: .utf8)
        let changed = try report(lab, verify)
        #expect(changed.code == 1 && changed.output.contains("CHANGED"))
        #expect(try report(lab, ["--verify", "none.html"]).code == 4)
        let refused = try report(lab, ["-o", "x.html", "--sign", "none"])
        #expect(refused.code == 4 && !FileManager.default.fileExists(atPath: lab.folder + "/x.html"))
    }
}

/// `report` and `doctor` of root about a whole machine; needs root and a mount namespace.
@Suite(.enabled(if: UserIdentityTests.hasMounts, "needs root and a mount namespace"))
struct RootReportTests {
    /// Runs a script on a machine whose policy forces one key of alice.
    private func run(_ script: String) throws -> (output: String, error: String) {
        let lab = try Lab()
        chmod(lab.folder, 0o755)
        let start =
            UserIdentityTests.machine + """
                rm /etc/managed-defaults/policies.d/*
                echo '{"Identifier":"a.b","Forced":{"d":{"k":1}}}' > /etc/managed-defaults/policies.d/10.json
                printf 'passwd: files systemd\\ngroup: files systemd\\n' > /etc/nsswitch.conf
                echo 'gone:x:2003:2003::/nonexistent/gone:/bin/sh' >> /etc/passwd
                "$program" policy apply > apply
                said() { "$program" "$@" > said; echo "[$?]"; tr -s ' \\n' ' ' < said > line; }

                """
        let run = try SpawnedProgram.run(
            "/bin/sh",
            [
                "-c", "exec unshare -m sh -c \"$1\" sh \"$2\" \"$3\"", "sh", start + script, MDefaultsProcess.path,
                lab.folder,
            ])
        return (run.output, run.error)
    }

    @Test func `a report of a machine whose users are all in its list is complete`() throws {
        let run = try run(
            """
            said report
            grep -o 'Result [^.]*[.]\\|Complete yes' line
            echo 'passwd: files sss' > /etc/nsswitch.conf
            said report
            grep -o 'Complete yes\\|further users of sss[^.]*' line
            """)
        #expect(
            run.output == """
                [1]
                Result NOT ALL COVERED.
                Complete yes
                [1]
                Complete yes
                further users of sss, who have left no trace on this machine, are not covered

                """, "\(run.error)")
    }

    @Test func `the clock of a machine is its own, and one that is behind what is recorded is an error`() throws {
        let run = try run(
            """
            SOURCE_DATE_EPOCH=1795000000 "$program" report --json > said
            grep -o '"clock": "[a-z]*"\\|clock-behind' said
            SOURCE_DATE_EPOCH=1795000000 "$program" --root / report --json > said
            grep -o '"clock": "[a-z]*"' said
            touch -d tomorrow /var/lib/managed-defaults/policy.record
            said report --json
            grep -o '"result": "not c.*\\|"code": "clock-behind"' said
            said doctor
            grep -o '✗ The clock is earlier than' line
            """)
        #expect(
            run.output == """
                "clock": "machine"
                "clock": "machine"
                [1]
                "result": "not compliant",
                "code": "clock-behind"
                [1]
                ✗ The clock is earlier than

                """, "\(run.output) \(run.error)")
    }

    @Test func `a home that does not answer is named, and the report is not compliant`() throws {
        let run = try run(
            """
            mkdir -p alice/.config
            { printf '<plist><dict><key>k</key><string>'; head -c 9000000 /dev/zero | tr '\\0' a
              printf '</string></dict></plist>'; } > alice/.config/d.plist
            chown -R 2002:2002 alice/.config
            said report
            grep -o 'NOT COMPLIANT\\|Complete no\\|of alice: what is stored here is not known: [^:]*:' line
            said report --json
            grep -o '"result": "not c.*\\|"code": "home-not-read"' said
            """)
        #expect(
            run.output == """
                [1]
                NOT COMPLIANT
                Complete no
                of alice: what is stored here is not known: it could not be read as its owner:
                [1]
                "result": "not compliant",
                "code": "home-not-read"

                """, "\(run.output) \(run.error)")
    }

    @Test func `a file that its owner has made unreadable is a finding, and the report is not complete`() throws {
        let run = try run(
            """
            sed -i 's/{"d":/{"org.chromium.Chromium":{"BookmarkBarEnabled":true},"d":/' /etc/managed-defaults/policies.d/10.json
            "$program" policy apply > apply
            file=alice/.config/chromium/Default/Preferences
            mkdir -p alice/.config/chromium/Default
            echo '{}' > $file
            echo x > alice/.config/d.plist
            chmod 000 $file alice/.config/d.plist
            chown -R 2002:2002 alice/.config
            said report
            grep -o 'Complete [a-z]*\\|What alice has stored in [^ ]*/[A-Za-z.]* is not known: [^.]*' line | sed 's:/[^ ]*/::'
            said report --json
            grep -o '"code": "unreadable-preferences"' said
            said audit scan
            chmod 600 $file alice/.config/d.plist
            printf '{ k = 1; }' > alice/.config/d.plist
            said report
            grep -o 'Complete [a-z]*' line
            """)
        #expect(
            run.output == """
                [1]
                Complete no
                What alice has stored in Preferences is not known: cannot be read: Permission denied
                What alice has stored in d.plist is not known: cannot be read: Permission denied
                [1]
                "code": "unreadable-preferences"
                "code": "unreadable-preferences"
                [1]
                [1]
                Complete yes

                """, "\(run.output) \(run.error)")
    }

    @Test func `without a log service doctor says that nothing keeps a trace, whatever policy says`() throws {
        let run = try run(
            """
            mount -t tmpfs none /dev
            mknod -m 666 /dev/null c 1 3
            said --user alice doctor
            grep -o '✗ This machine has nowhere to keep a trace[^:]*' line
            said doctor
            grep -o '✗ This machine has nowhere to keep a trace[^:]*' line
            rm -r /etc/managed-defaults/policies.d /var/lib/managed-defaults && mkdir /etc/managed-defaults/policies.d
            said --user alice doctor
            grep -c 'nowhere to keep' line
            """)
        #expect(
            run.output == """
                [1]
                ✗ This machine has nowhere to keep a trace of attempts of alice
                [1]
                ✗ This machine has nowhere to keep a trace of attempts of users
                [0]
                0

                """, "\(run.output) \(run.error)")
    }
}
