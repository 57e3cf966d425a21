import Foundation
import MDTestSupport
import Testing

/// A machine of its own in a mount namespace, with a root directory of its own, beside the one that the tests run on.
enum OwnMachine {
    /// What is said where that is not so.
    static let need: Comment = "only root can make a root directory of its own and let users make namespaces in it"
    /// Whether a root directory can be made here, ids be given away, and namespaces be made by users.
    static let isPossible =
        geteuid() == 0
        && (try? SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "sh", "-c",
                "mount -t tmpfs none /run && setpriv --reuid 1001 --clear-groups unshare -Urm true",
            ]))?.code == 0

    /// Shell commands that make the root directory, with empty directories of policy, and with one user beside root.
    static let setup = """
        mount -t tmpfs none /run; cd /run; chmod 755 .
        for place in /*; do
            name=${place#/}
            if [ -L $place ]; then cp -P $place $name
            elif [ -d $place ] && [ $name != etc ] && [ $name != run ] && [ $name != var ]; then
                mkdir $name; mount --rbind $place $name
            fi
        done
        mkdir -m 755 etc run var var/lib var/log old; cp /etc/ld.so.cache etc/; cp -P /etc/alternatives etc/ 2>/dev/null || true
        pivot_root . old; umount -l /old; rmdir /old; cd /
        printf 'root:x:0:0::/root:/bin/sh\\npupil:x:1001:1001::/tmp:/bin/sh\\n' > /etc/passwd
        echo room1-pc01 > /etc/hostname; mkdir -p -m 755 /etc/managed-defaults/policies.d
        """
}
