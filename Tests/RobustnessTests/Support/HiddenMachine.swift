import Foundation
import TestSupport
import Testing

/// A machine of its own in a mount namespace, which hides the one that the tests run on.
enum HiddenMachine {
    /// What is said where that is not so.
    static let need: Comment = "only root can hide this machine's directories and let users mount others over them"
    /// Whether this machine's own directories can be hidden behind others, ids be given away, and mounts made by users.
    static let isPossible =
        geteuid() == 0
        && (try? SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "sh", "-c",
                "mount -t tmpfs none /run && setpriv --reuid 1001 --clear-groups unshare -Urm true",
            ]))?.code == 0
    /// Shell commands that put empty directories over those of policy, with one user beside root.
    static let setup = """
        cp /etc/ld.so.cache /tmp/ld.$$; mount -t tmpfs none /etc; mount -t tmpfs none /run; mount -t tmpfs none /var
        chmod 755 /etc /run /var; mkdir -m 755 /var/lib /var/log; cp /tmp/ld.$$ /etc/ld.so.cache; rm /tmp/ld.$$
        printf 'root:x:0:0::/root:/bin/sh\\npupil:x:1001:1001::/tmp:/bin/sh\\n' > /etc/passwd
        echo room1-pc01 > /etc/hostname; mkdir -p -m 755 /etc/managed-defaults/policies.d
        """

    /// The same as a root of its own in place of the old one, for what depends on `/etc` being no mount.
    static let whole = """
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
