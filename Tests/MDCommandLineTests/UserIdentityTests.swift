import Foundation
import MDPropertyList
import MDTestSupport
import Testing

/// Commands of root about other users, which run with the ids of those users.
///
/// They need root, and a mount namespace for a machine of their own.
struct UserIdentityTests {
    /// Whether this process is root.
    static let isRoot = getuid() == 0

    /// Whether mounts of its own can be made.
    static let hasMounts = isRoot && (try? shell("unshare -m mount -t tmpfs none /mnt"))?.code == 0

    /// Runs a script.
    private static func shell(_ script: String, _ arguments: [String] = []) throws -> (code: Int32, output: String) {
        let run = try SpawnedProgram.run("/bin/sh", ["-c", script, "sh"] + arguments)
        return (run.code, run.output + run.error)
    }

    @Test(.enabled(if: isRoot, "needs root")) func `root takes on the ids of a folder's owner`() throws {
        let lab = try Lab()
        chmod(lab.folder, 0o755)
        #expect(try Self.shell("chown -Rh 2002:2003 \"$1\"", [lab.path]).code == 0)
        let refused = try lab.run(as: "bob", ["write", "org.example.Browser", "HomePage", "x"])
        #expect(refused.code == 3)
        #expect(try lab.run(as: "bob", ["write", "org.example.New", "K", "v"]).code == 0)
        #expect(try lab.stored("bob", "org.example.New") == ["K": .string("v")])
        #expect(try lab.attempts().count == 1)
        let foreign = try Self.shell("find \"$1\" ! -user 2002 -o ! -group 2003", [lab.path])
        #expect(foreign.output == "")
    }

    /// Makes a machine with the user alice out of mounts: `$1` is the program, `$2` a folder with the lab in it.
    static let machine = """
        set -e
        # Each of its own line: a command before && that fails would not end the script, which would change the real /etc.
        cp -a /etc "$2/etc"
        mount --bind "$2/etc" /etc
        for folder in /run /var/lib /var/log; do mount -t tmpfs -o mode=755 none $folder; done
        echo "alice:x:2002:2002::$2/alice:/bin/sh" >> /etc/passwd
        echo 'alice:x:2002:' >> /etc/group && echo 'students:x:2100:alice' >> /etc/group
        mkdir -m 700 "$2/alice" "$2/root" && chown 2002:2002 "$2/alice"
        rm -rf /etc/managed-defaults && cp -a "$2/lab/etc/managed-defaults" /etc/ && chown -Rh 0:0 /etc/managed-defaults
        set +e
        export HOME=$2/root
        program=$1
        cd "$2"
        mdefaults() { "$program" "$@" 2>&1; echo "[exit $?]"; }

        """

    @Test(.enabled(if: hasMounts, "needs root and a mount namespace"))
    func `root acts for a user with the user's ids`() throws {
        let lab = try Lab()
        chmod(lab.folder, 0o755)
        let script =
            Self.machine + """
                mdefaults --user alice write org.example.New K v
                mdefaults --user alice write org.example.Browser HomePage x
                mdefaults --user alice read org.example.New K
                mdefaults --user alice read org.example.New Nope
                mdefaults --user alice write "$2/alice/Library/Preferences/org.example.Mac" K v
                mdefaults --user alice find org.example.mac
                mdefaults --user alice export org.example.New root/out.plist
                mdefaults write alice/.config/org.example.Browser HomePage x
                mdefaults write alice/plain K v
                mdefaults --root lab --user bob write alice/.config/org.example.Browser HomePage x
                find alice ! -user 2002
                find root -type f -printf '%u %p\n'
                rm -r alice/.config && mkdir -m 777 root/trap && ln -s "$2/root/trap" alice/.config
                mdefaults --user alice write org.example.New K v
                ls -A root/trap
                """
        let result = try Self.shell(
            "exec unshare -m sh -c \"$1\" sh \"$2\" \"$3\"", [script, MDefaultsProcess.path, lab.folder])
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.hasPrefix("[") } == [0, 3, 0, 1, 0, 0, 0, 3, 0, 2, 4].map { "[exit \($0)]" })
        #expect(lines.contains("v"))
        #expect(lines.contains("The domain/default pair of (org.example.New, Nope) does not exist"))
        #expect(lines.contains("Found 1 keys in domain 'org.example.Mac': {"))
        #expect(lines.filter { $0.contains("HomePage of org.example.Browser is set by policy") }.count == 2)
        #expect(lines.filter { $0.hasSuffix(" root/out.plist") } == ["root root/out.plist"])
        #expect(lines.filter { $0.hasPrefix("alice") } == [], "everything in the home is the user's")
        #expect(lines.last == "[exit 4]", "nothing is written where only root gets")
    }

    @Test(.enabled(if: hasMounts, "needs root and a mount namespace"))
    func `a user whose attempt is not stored is not told where it would be kept`() throws {
        let lab = try Lab()
        chmod(lab.folder, 0o755)
        let script =
            Self.machine + """
                spool=alice/.local/state/managed-defaults
                mkdir -p $spool && yes '{}' | head -c 1048575 > $spool/spool.jsonl && chown -R 2002:2002 alice/.local
                alice() {
                    setpriv --reuid 2002 --regid 2002 --init-groups env HOME="$PWD/alice" "$program" "$@" 2>&1
                    echo "[exit $?]"
                }
                alice write org.example.Browser HomePage x
                rm -r alice/.local && mkdir alice/.local
                alice write org.example.Browser HomePage y
                """
        let result = try Self.shell(
            "exec unshare -m sh -c \"$1\" sh \"$2\" \"$3\"", [script, MDefaultsProcess.path, lab.folder])
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.hasPrefix("[") } == ["[exit 3]", "[exit 3]"], "\(result)")
        #expect(result.output.contains("The spool is full; the record is only counted there."), "\(result)")
        #expect(result.output.contains("The spool could not be written: Permission denied."), "\(result)")
        #expect(!result.output.contains("managed-defaults") && !result.output.contains("/alice"), "\(result)")
    }

    @Test(.enabled(if: hasMounts, "needs root and a mount namespace"))
    func `no environment and no option takes a user's own file out of policy`() throws {
        let lab = try Lab()
        chmod(lab.folder, 0o755)
        let script =
            Self.machine + """
                mkdir -m 777 elsewhere && mkdir alice/.config && chown 2002 alice/.config
                alice() {
                    setpriv --reuid 2002 --regid 2002 --init-groups \\
                        env HOME="$PWD/alice" XDG_CONFIG_HOME="$PWD/elsewhere" "$program" "$@" 2>&1
                    echo "[exit $?]"
                }
                alice write org.example.Browser HomePage x
                alice write alice/.config/org.example.Browser HomePage x
                alice write elsewhere/org.example.Browser HomePage x
                alice --host room2-pc01 write org.example.Browser HomePage x
                alice --root lab --user bob write alice/.config/org.example.Browser HomePage x
                alice write org.example.New K v
                find alice elsewhere -name '*.plist'
                """
        let result = try Self.shell(
            "exec unshare -m sh -c \"$1\" sh \"$2\" \"$3\"", [script, MDefaultsProcess.path, lab.folder])
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.hasPrefix("[") } == [3, 3, 3, 2, 2, 0].map { "[exit \($0)]" })
        #expect(lines.filter { $0.hasSuffix(".plist") } == ["elsewhere/org.example.New.plist"])
    }
}
