import Foundation
import MDPropertyList
import MDTestSupport
import Testing

/// Users and groups that only `getent` answers; needs root and a mount namespace.
struct AccountDatabaseTests {
    /// Whether a machine of its own, with a directory service, can be made.
    static let isPossible =
        UserIdentityTests.hasMounts && FileManager.default.isExecutableFile(atPath: "/usr/bin/getent")

    /// A machine whose directory service says that alice and dora, unknown to any file, are in the group stud.
    ///
    /// The service is asked through a `getent` of the machine's own, which notes every question. On a busy machine a quarter
    /// of a second may be too short for an answer: what depends on one is asked again.
    static let machine =
        UserIdentityTests.machine + """
            cat > "$2/getent" <<EOF
            #!/bin/sh
            echo "\\$2 \\$3" >> "$2/asked"
            case "\\$2 \\$3" in
            "initgroups alice") echo "alice 2002 5100" ;;
            "initgroups dora") echo "dora 5001 5100" ;;
            "passwd dora") echo "dora:x:5001:5001::$2/dora:/bin/sh" ;;
            "group stud" | "group 5100") echo "stud:x:5100:alice,dora" ;;
            "group dora" | "group 5001") echo "dora:x:5001:" ;;
            *) exit 2 ;;
            esac
            EOF
            chmod 755 "$2/getent" && : > "$2/asked" && chmod 666 "$2/asked"
            mkdir -m 700 "$2/dora" && chown 5001:5001 "$2/dora"
            mount --bind "$2/getent" /usr/bin/getent || echo "no getent"
            policies=/etc/managed-defaults/policies.d
            rm "$policies"/*
            answered() {
                for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
                    output=$("$program" "$@" 2>&1); code=$?
                    case "$output" in *"answer in time"* | *"has no user dora"*) ;; *) break ;; esac
                done
                echo "$output"; echo "[exit $code]"
            }

            """

    /// What makes the files of the group stud, in force with the id that the service gives it.
    static let policy = """
        echo '{"Identifier":"school.stud","Target":{"Groups":["stud"]},"Forced":{"d":{"k":"stud"}}}' > $policies/10.json
        until grep -aqs 5100 /var/lib/managed-defaults/policy.record; do "$program" policy apply > apply 2>&1; done

        """

    /// Runs a script on the machine.
    private static func lines(_ script: String) throws -> [String] {
        let lab = try Lab()
        chmod(lab.folder, 0o755)
        let run = try SpawnedProgram.run(
            "/bin/sh",
            [
                "-c", "exec unshare -m sh -c \"$1\" sh \"$2\" \"$3\"", "sh", machine + script, MDefaultsProcess.path,
                lab.folder,
            ])
        return (run.output + run.error).split(separator: "\n").map(String.init)
    }

    @Test(.enabled(if: isPossible, "needs root, a mount namespace and getent"))
    func `groups of a directory service count for others as for oneself`() throws {
        let lines = try Self.lines(
            Self.policy + """
                mdefaults forced d k
                answered --user alice forced d k
                answered --user dora forced d k
                answered --user alice policy list
                answered --user alice write d k foo
                answered --user dora write d k foo
                answered --user alice policy facts
                answered report --json
                """)
        #expect(lines.filter { $0.hasPrefix("[exit") } == [1, 0, 0, 0, 3, 3, 0, 1].map { "[exit \($0)]" })
        #expect(lines.prefix(6) == ["not forced", "[exit 1]", "forced", "[exit 0]", "forced", "[exit 0]"])
        #expect(lines.contains { $0.contains("10.json") && !$0.contains("applies to") })
        #expect(!lines.contains { $0.contains("applies to group stud") })
        #expect(lines.contains { $0.contains("\"stud\": 5100") }, "facts name the group")
    }

    @Test(.enabled(if: isPossible, "needs root, a mount namespace and getent"))
    func `the ids of names that temporary policy is the first to use are recorded before its files are there`() throws {
        let lines = try Self.lines(
            """
            record=/var/lib/managed-defaults/policy.record
            echo '{"Identifier":"school.a","Forced":{"d":{"k":"a"}}}' > $policies/10.json
            mkdir -p /etc/managed-defaults/sets.d /run/managed-defaults/policies.d
            echo '{"Identifier":"school.exam","Target":{"Groups":["stud"]},"Forced":{"d":{"k":"exam"}}}' \
                > /etc/managed-defaults/sets.d/e1.json
            "$program" policy apply > apply 2>&1
            # Nothing can be put there, so what is recorded is recorded before.
            mount --bind -o ro /run/managed-defaults/policies.d /run/managed-defaults/policies.d
            mount -o remount,bind,ro /run/managed-defaults/policies.d
            grep -Eac 'stud|dora' $record
            for round in 1 2 3 4 5 6 7 8 9 10; do
                "$program" policy exam start e1 --for 5m; echo "[exit $?]"
                if grep -aqs 5100 $record; then break; fi
            done
            grep -aq 5100 $record && echo "stud is known"
            for round in 1 2 3 4 5 6 7 8 9 10; do
                "$program" policy grant --for 5m --user dora --reason x d k v; echo "[exit $?]"
                if grep -aqs 5001 $record; then break; fi
            done
            grep -aq 5001 $record && echo "dora is known"
            ls /run/managed-defaults/policies.d
            """)
        #expect(lines.first == "0")
        #expect(lines.contains("stud is known") && lines.contains("dora is known"))
        #expect(Set(lines.filter { $0.hasPrefix("[exit") }) == ["[exit 4]"])
        #expect(lines.contains { $0.contains("Read-only file system") })
        #expect(!lines.contains { $0.hasPrefix("00-") })
    }

    @Test(.enabled(if: isPossible, "needs root, a mount namespace and getent"))
    func `groups that nobody tells count as matching, and are said to be unknown`() throws {
        let lines = try Self.lines(
            Self.policy + """
                printf '#!/bin/sh\\nexit 3\\n' > "$2/getent"
                mdefaults --user alice forced d k
                mdefaults --user alice write d k foo
                mdefaults --user alice policy facts
                mdefaults report
                """)
        #expect(lines.filter { $0.hasPrefix("[exit") }.prefix(3) == ["[exit 0]", "[exit 3]", "[exit 4]"])
        #expect(lines.first { $0 == "forced" || $0 == "not forced" } == "forced")
        #expect(lines.filter { $0.contains("does not tell the groups of alice") }.count >= 3)
        #expect(lines.contains { $0.contains("Facts without it would be wrong elsewhere.") })
    }

    @Test(.enabled(if: isPossible, "needs root, a mount namespace and getent"))
    func `a variable that a user's own programs cannot tell leaves no wrong value, for root either`() throws {
        let lines = try Self.lines(
            """
            sed -i "s/^passwd:.*/passwd: files ldap/" /etc/nsswitch.conf
            echo '{"Identifier":"school.var","Forced":{"d":{"u":"x/${user}","h":["${home}/a"],"n":"${uid}","p":"plain"}},
            "Recommended":{"d":{"r":"${user}"}}}' > $policies/10.json
            "$program" policy apply > apply 2>&1
            home="$2/dora"
            own() {
                env -u XDG_CONFIG_HOME -u XDG_STATE_HOME HOME="$home" setpriv --reuid 5001 --regid 5001 \
                    --clear-groups "$program" "$@" 2>&1
            }
            for key in u h n p r; do
                echo "$key own: $(own forced d $key) $(own read d $key | tr -d '\\n')"
                echo "$key root: $(answered --user dora forced d $key | head -1) $(answered --user dora read d $key | head -1)"
            done
            echo "alice: $(answered --user alice read d u | head -1)"
            test "$(own policy digest)" = "$(answered --user dora policy digest | head -1)" && echo "same digest"
            own explain d u | grep -o "a variable in it is unknown here"
            answered --user dora policy facts | grep Directory
            """)
        let absent = "forced The domain/default pair of (d, u) does not exist"
        #expect(lines.contains { $0.hasPrefix("u own: \(absent)") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("u root: \(absent)") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("h own: forced The domain/default pair") }, "\(lines)")
        #expect(lines.contains("n own: forced 5001") && lines.contains("n root: forced 5001"), "\(lines)")
        #expect(lines.contains("p own: forced plain") && lines.contains("p root: forced plain"), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("r own: not forced The domain/default pair") }, "\(lines)")
        #expect(lines.contains("alice: x/alice") && lines.contains("same digest"), "\(lines)")
        #expect(lines.contains("a variable in it is unknown here"), "\(lines)")
        #expect(lines.contains { $0.contains("\"Directory\": true") }, "\(lines)")
    }

    /// A service that lists no users may have people whose primary group is one of the machine's own.
    @Test(.enabled(if: isPossible, "needs root, a mount namespace and getent"))
    func `a group in which nobody is of the machine's own users is found beside a service that lists nobody`() throws {
        let lines = try Self.lines(
            """
            lint() {
                sed -i "s/^passwd:.*/passwd: $1/; s/^group:.*/group: $1/" /etc/nsswitch.conf
                echo '{"Identifier":"a.b","Target":'"$2"',"Forced":{"d":{"k":1}}}' > $policies/10.json
                "$program" policy lint 2>&1 | grep -o 'warning: .*' || echo nothing
            }
            echo 'nobody1:x:2200:' >> /etc/group && echo 'theirs:x:2201:dora' >> /etc/group
            echo 'learners:x:2202:alice' >> /etc/group
            sed -i 's#"initgroups alice").*#"passwd " | "group ") cat "/etc/$2" ;;#' "$2/getent"
            lint 'files' '{"Groups":["nobody1"]}'
            lint 'files sss' '{"Groups":["nobody1"]}'
            lint 'files sss' '{"Groups":["theirs"]}'
            lint 'files sss' '{"Groups":["learners"]}'
            lint 'files sss' '{"Groups":["learners"],"Except":{"Users":["alice"]}}'
            """)
        let end =
            "; of those whom only the directory service knows, the file can apply to nobody but those whose primary group it is"
        #expect(
            lines == [
                "warning: by getent passwd and getent group nobody is in one of these groups, so the file applies to nobody"
                    + " on this machine [matches-nobody]",
                "warning: nobody of the user database of this machine is in one of these groups\(end) [matches-nobody]",
                "nothing", "nothing",
                "warning: nobody of the user database of this machine is in one of these groups and outside of the"
                    + " exceptions of this target\(end) [matches-nobody]",
            ])
    }

    @Test(.enabled(if: isPossible, "needs root, a mount namespace and getent"))
    func `nobody is asked while no file names groups`() throws {
        let lines = try Self.lines(
            """
            echo '{"Identifier":"school.all","Forced":{"d":{"k":"all"}}}' > $policies/10.json
            mdefaults policy apply
            mdefaults --user alice forced d k
            mdefaults --user alice policy show
            echo "asked: $(cat "$2/asked")"
            mdefaults report
            echo "asked for the report: $(cat "$2/asked")"
            """)
        #expect(lines.contains("forced"))
        #expect(lines.contains("asked: "))
        #expect(lines.last == "asked for the report: passwd 5001", "only whose a home is that no account file knows")
    }
}
