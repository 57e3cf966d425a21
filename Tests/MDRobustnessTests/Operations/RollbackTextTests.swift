import Foundation
import MDTestSupport
import Testing

/// What `policy rollback` says where it cannot be done, or cannot be recorded.
struct RollbackTextTests {
    /// Whether file systems can be mounted here, one over another too.
    static let isPossible =
        geteuid() == 0
        && (try? SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "sh", "-c",
                "mount -t tmpfs n /mnt && mkdir /mnt/a /mnt/b /mnt/c /mnt/d"
                    + " && mount -t overlay o -o lowerdir=/mnt/a,upperdir=/mnt/b,workdir=/mnt/c /mnt/d",
            ]))?.code == 0

    /// Runs a script in a mount namespace, with `$rollback`, `$root` and `$home` (of policy) on a machine with two
    /// generations, whose second one is in place.
    private static func run(_ script: String) throws -> SpawnedProgram.Result {
        let machine = try TemporaryMachine()
        try machine.force("10-a", "Page", "one")
        #expect(try machine.applies())
        try machine.force("10-a", "Page", "two")
        try machine.force("20-b", "Level", "two")
        #expect(try machine.applies())
        let setup = """
            root=$2; home=$root/etc/managed-defaults
            program=$1; mdefaults() { "$program" --root "$root" "$@"; }
            """
        return try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "/bin/sh", "-c", "\(setup)\n\(script)", "sh", TemporaryMachine.program("mdefaults"),
                machine.path,
            ])
    }

    /// What was said, in one line.
    private static func said(_ result: SpawnedProgram.Result) -> String {
        (result.output + " " + result.error).split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    }

    @Test(.enabled(if: isPossible, "nothing can be mounted here"))
    func `a file system that cannot exchange directories is said`() throws {
        let result = try Self.run(
            """
            mkdir "$root/upper" && mount -t tmpfs none "$root/upper" && mkdir "$root/upper/u" "$root/upper/w"
            mount -t overlay none -o "lowerdir=$home,upperdir=$root/upper/u,workdir=$root/upper/w" "$home" || exit 77
            mdefaults policy rollback --yes 1; code=$?
            ls -A "$home" "$home/policies.d"; exit $code
            """)
        let said = Self.said(result)
        #expect(result.code == 4, "\(result)")
        #expect(
            said.contains("The file system of ")
                && said.contains(
                    "policies.d cannot exchange it for another directory (Invalid cross-device link), so nothing"),
            "\(result)")
        #expect(said.contains("10-a.json 20-b.json") && !said.contains(".policies.d.new"), "\(result)")
    }

    @Test(.enabled(if: isPossible, "nothing can be mounted here"))
    func `what is removed and could not be recorded is said`() throws {
        let result = try Self.run(
            """
            record=$root/var/lib/managed-defaults/policy.record; mount --bind "$record" "$record"
            mdefaults policy rollback --yes 1; echo "code $?"; umount "$record"; mdefaults policy apply; exit $?
            """)
        #expect(result.code == 0, "\(result)")
        let said = Self.said(result)
        #expect(said.contains("generation 1 is in place again"), "\(result)")
        #expect(said.contains("policies.d/20-b.json: removed, in force until mdefaults policy apply."), "\(result)")
        #expect(said.contains("code 4"), "\(result)")
    }

    @Test(.enabled(if: isPossible, "nothing can be mounted here"))
    func `a file that is immutable blocks no change without a word`() throws {
        let result = try Self.run(
            """
            mount -t tmpfs none /mnt && cp -a "$home" /mnt/home && mount --bind /mnt/home "$home" || exit 77
            file=$home/policies.d/20-b.json; touch "$home/policies.d/README"
            chattr +i "$file" "$home/policies.d/README" || exit 77
            mdefaults policy rollback --yes 1; echo "first $?"; chattr -i "$home/policies.d/README"
            mdefaults policy rollback --yes 1; echo "second $?"
            mdefaults policy rollback --yes 2; echo "third $?"
            touch -d 1970-01-02 "$home/.policies.d.new"; mdefaults --user pupil doctor
            chattr -R -ia "$home/.policies.d.new"; rm -r "$home/.policies.d.new"
            mdefaults policy rollback --yes 2; exit $?
            """)
        if result.code == 77 { return }
        let said = Self.said(result)
        let remedy = ".policies.d.new if a file in it is immutable (lsattr shows i or a)"
        #expect(result.code == 0 && said.contains("first 4") && said.contains("second 4"), "\(result)")
        #expect(said.contains("README: Operation not permitted; an immutable file"), "\(result)")
        // The rollback is done, and its leftover blocks the next one.
        #expect(said.contains("third 4") && said.contains("Nothing was changed: the directory "), "\(result)")
        #expect(said.components(separatedBy: remedy).count == 4, "\(result)")
    }

    @Test func `what cannot be carried over is said, and doctor names what a killed rollback left`() throws {
        let machine = try TemporaryMachine()
        try machine.force("10-a", "Page", "one")
        #expect(try machine.applies())
        try machine.write("etc/managed-defaults/policies.d/notes/today", "x")
        let refused = try machine.run([], "policy", "rollback", "--yes", "1")
        #expect(refused.code == 4)
        #expect(Self.said(refused).contains("policies.d/notes is a directory, and only files and links"), "\(refused)")
        try machine.write("etc/managed-defaults/.policies.d.new/10-a.json", "{}")
        let left = machine.path + "/etc/managed-defaults/.policies.d.new"
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: left)
        let doctor = Self.said(try machine.run([], "--user", "pupil", "doctor"))
        #expect(
            doctor.contains(".policies.d.new is a directory that an install or a rollback has left behind"), "\(doctor)"
        )
        #expect(doctor.contains("rm -r \(left)"), "\(doctor)")
    }
}
