import Foundation
import TestSupport
import Testing

/// What users' programs do while they cannot read what `policy apply` keeps; needs root and a mount namespace.
struct KeptFilesTests {
    @Test(.enabled(if: ActingTests.hasMounts, "needs root and a mount namespace"))
    func `without the record or a copy users' programs need good files, and apply mends the modes`() throws {
        let lab = try Lab()
        chmod(lab.folder, 0o755)
        let script =
            ActingTests.machine + """
                policies=/etc/managed-defaults/policies.d
                store=/var/lib/managed-defaults
                rm $policies/*
                mkdir -p /run/managed-defaults/policies.d
                echo '{"Identifier":"a.b","Forced":{"d":{"k":1}}}' > $policies/10.json
                "$program" policy apply > apply
                alice() { setpriv --reuid 2002 --regid 2002 --init-groups "$program" "$@" 2> said; echo "[$?]"; }
                root() { "$program" --user alice "$@" 2> said; echo "[$?]"; }
                both() { echo "$*:" $(alice "$@"), root: $(root "$@"); }
                for folder in $store $store/good; do
                    chmod 700 $folder
                    echo '{"Identifier":"a.b","Forced":{"d":{"k":1}}}' > $policies/10.json
                    both forced d k; both forced e k
                    alice doctor | grep -o '✗ .*(mode 0700)'
                    echo 'broken' > $policies/10.json
                    both forced d k; both forced e k
                    stat -c %a $folder
                    "$program" policy apply 2>&1 | grep -o 'it has the mode.*'
                    both forced d k; both forced e k
                    stat -c %a $folder
                done
                """
        let run = try SpawnedProgram.run(
            "/bin/sh",
            [
                "-c", "exec unshare -m sh -c \"$1\" sh \"$2\" \"$3\"", "sh", script, MDefaultsProcess.path, lab.folder,
            ])
        let free = "not forced [1], root: not forced [1]"
        let forced = "forced [0], root: forced [0]"
        #expect(
            run.output == """
                forced d k: \(forced)
                forced e k: \(free)
                ✗ /var/lib/managed-defaults: users' programs cannot read what is kept in this folder (mode 0700)
                forced d k: [4], root: forced [0]
                forced e k: [4], root: not forced [1]
                700
                it has the mode 0755 again.
                forced d k: \(forced)
                forced e k: \(free)
                755
                forced d k: \(forced)
                forced e k: \(free)
                ✗ /var/lib/managed-defaults/good: users' programs cannot read what is kept in this folder (mode 0700)
                forced d k: [4], root: forced [0]
                forced e k: [4], root: not forced [1]
                700
                it has the mode 0755 again.
                forced d k: \(forced)
                forced e k: \(free)
                755

                """, "\(run.error)")
    }
}
