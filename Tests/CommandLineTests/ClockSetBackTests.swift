import Foundation
import TestSupport
import Testing

/// A clock that was set back behind what the machine has recorded; needs root and a mount namespace.
struct ClockSetBackTests {
    @Test(.enabled(if: ActingTests.hasMounts, "needs root and a mount namespace"))
    func `users' programs know what root's commands know of the clock`() throws {
        let lab = try Lab()
        chmod(lab.folder, 0o755)
        let script =
            ActingTests.machine + """
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
