import Foundation
import TestSupport
import Testing

/// A clock that was set back behind what only root can see; needs root and a mount namespace.
struct ClockSetBackTests {
    @Test(.enabled(if: ActingTests.hasMounts, "needs root and a mount namespace"))
    func `users' programs know what root's commands know of the clock`() throws {
        let lab = try Lab()
        chmod(lab.folder, 0o755)
        let script =
            ActingTests.machine + """
                policies=/etc/managed-defaults/policies.d
                store=/var/lib/managed-defaults
                checkpoint=/var/log/managed-defaults/checkpoint
                alice() { setpriv --reuid 2002 --regid 2002 --init-groups "$program" forced d k; }
                later=$(date -u -d '+10 hours' +%Y-%m-%dT%H:%M:%SZ)
                rm $policies/*
                echo '{"Identifier":"a.b","Forced":{"d":{"k":1}},"Waivers":[{"Users":["alice"],"Domain":"d","Key":"k",
                    "Until":"'$later'","Reason":"thesis"}]}' > $policies/10.json
                "$program" policy apply > apply && ls $checkpoint > apply
                alice
                touch -d '+2 hours' $checkpoint
                echo 'root:'; "$program" --user alice forced d k 2> apply; alice
                touch $store/policy.* $checkpoint
                "$program" policy apply > apply 2>&1
                echo 'right again:'; alice
                touch -d '+3 hours' $checkpoint
                echo 'behind:'; alice
                "$program" policy apply > apply 2>&1
                alice
                ls -i $store > before; "$program" policy apply > apply 2>&1
                "$program" policy list > apply 2>&1; ls -i $store | diff before - && echo "written once"
                """
        let run = try SpawnedProgram.run(
            "/bin/sh",
            [
                "-c", "exec unshare -m sh -c \"$1\" sh \"$2\" \"$3\"", "sh", script, MDefaultsProcess.path, lab.folder,
            ])
        #expect(
            run.output == """
                not forced
                root:
                forced
                forced
                right again:
                not forced
                behind:
                not forced
                forced
                written once

                """, "\(run.error)")
    }
}
