import Foundation
import TestSupport
import Testing

/// What a user can mount over what targets ask about, out of files that belong to root: nothing leads out of policy.
struct HostileMountTests {
    /// The folder of zones.
    private static let zones = "/usr/share/zoneinfo"
    /// Mounts, and the keys that files of their own force here.
    static let mounts = [
        ("true", ["Host", "Tag", "Zone", "Local", "Folder", "Shut"]),
        ("mount --bind /etc/other /etc/hostname", ["Host"]),
        ("mount --bind /etc/other /etc/managed-defaults/tags", ["Tag"]),
        ("mount --bind /dev/null /etc/managed-defaults/tags", ["Tag"]),
        ("mount --bind \(zones)/Asia/Tokyo \(zones)/Europe/Zurich", ["Zone", "Local"]),
        ("mount --bind \(zones)/Brazil \(zones)/Australia", ["Folder"]),
        ("mount --bind /etc/elsewhere \(zones)", ["Zone", "Local", "Folder"]),
        ("mount --bind /etc/share /usr/share", ["Zone", "Local"]),
        ("mount -t overlay -o lowerdir=/etc/usr:/usr none /usr", ["Zone", "Local"]),
        (
            "for part in /usr/*; do mount --rbind $part /etc/usr/${part#/usr/}; done;"
                + " mount --bind /etc/share /etc/usr/share; mount --rbind /etc/usr /usr", ["Zone", "Local"]
        ),
    ]

    /// A file that forces a key while something holds.
    private func policy(_ key: String, _ condition: String) -> String {
        """
        { "Identifier": "edu.example.\(key)", "Target": { \(condition) },
          "Forced": { "\(PolicyFolder.domain)": { "\(key)": "policy" } } }
        """
    }

    /// Six hours around the present time of day in a zone, or around another one, on every day.
    private func window(_ zone: String?, asIn clock: String, hoursLater: Int = 0) throws -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: clock))
        let hour = calendar.component(.hour, from: Date()) + hoursLater
        let (from, to) = ((hour + 21) % 24, (hour + 3) % 24)
        let name = zone.map { ", \"TimeZone\": \"\($0)\"" } ?? ""
        return "\"Schedule\": [ { \"From\": \"\(from < 10 ? "0" : "")\(from):00\","
            + " \"To\": \"\(to < 10 ? "0" : "")\(to):00\"\(name) } ]"
    }

    @Test(
        .enabled(if: HiddenMachine.isPossible, HiddenMachine.need),
        arguments: mounts)
    func `A mount of a file that belongs to root frees no key`(_ mount: String, _ keys: [String]) throws {
        guard !keys.contains("Folder") || FileManager.default.fileExists(atPath: HostileMountTests.zones + "/Brazil")
        else { return print("skipped: this machine has no zone of Brazil's: \(mount)") }
        let files = [
            policy("Host", "\"Hosts\": [\"room1-*\"]"), policy("Tag", "\"Tags\": [\"lab\"]"),
            policy("Zone", try window("Europe/Zurich", asIn: "Europe/Zurich")),
            policy("Local", try window(nil, asIn: "Europe/Zurich")),
            policy("Folder", try window("Australia/West", asIn: "Australia/West")),
            policy("Shut", try window("Europe/Zurich", asIn: "Europe/Zurich", hoursLater: 12)),
        ]
        let setup = """
            \(HiddenMachine.setup)
            printf 'root:x:0:\\npupil:x:1001:\\n' > /etc/group
            echo word > /etc/other; echo lab exam > /etc/managed-defaults/tags
            ln -s \(HostileMountTests.zones)/Europe/Zurich /etc/localtime
            mkdir -p /etc/elsewhere; cp -rL \(HostileMountTests.zones)/Asia /etc/elsewhere/Europe
            cp -r /etc/elsewhere/Europe /etc/elsewhere/Australia
            cp /etc/elsewhere/Europe/Tokyo /etc/elsewhere/Europe/Zurich
            cp \(HostileMountTests.zones)/America/Manaus /etc/elsewhere/Australia/West
            mkdir -p /etc/share /etc/usr/share; cp -r /etc/elsewhere /etc/share/zoneinfo
            cp -r /etc/share/zoneinfo /etc/usr/share
            for part in /usr/*; do mkdir -p /etc/usr/${part#/usr/}; done
            mdefaults=$1; probe=$2; domain=$3; keys=$4; mount=$5; shift 5; number=10
            for file; do
                printf '%s' "$file" > /etc/managed-defaults/policies.d/$number.json; number=$((number + 1))
            done
            "$mdefaults" policy apply > /dev/null || exit 77
            exec setpriv --reuid 1001 --regid 1001 --clear-groups unshare -Urm /bin/sh -ec '
                eval "$4" || exit 78
                for key in $3; do "$1" / - "$2" $key; done
                ' sh "$probe" "$domain" "$keys" "$mount"
            """
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "/bin/sh", "-ec", setup, "sh", PolicyFolder.program("mdefaults"),
                PolicyFolder.program("library-probe"), PolicyFolder.domain, keys.joined(separator: " "), mount,
            ] + files)
        if result.code == 78 { return print("skipped: a user may not make this mount here: \(mount)") }
        #expect(result.code == 0, "\(result)")
        let answers = result.output.split(separator: "\n").map(String.init)
        // What may be meant for other machines is given to none of which nobody can tell which one it is.
        let others = mount == "true" ? [] : ["Host", "Tag"]
        #expect(
            answers
                == keys.map { key in
                    key == "Shut"
                        ? "free - stored" : others.contains(key) ? "forced - refused" : "forced policy refused"
                },
            "\(mount): \(result)")
    }

    /// Names that a user of a namespace gives himself, and what a forced value is made of.
    @Test(.enabled(if: HiddenMachine.isPossible, HiddenMachine.need))
    func `A user who gives himself another name gets his own, or none where nobody can tell`() throws {
        let policy = """
            { "Identifier": "edu.example.v", "Forced": { "\(PolicyFolder.domain)": {
              "User": "x/${user}", "Home": "${home}/x", "Id": "${uid}", "Host": "${host}", "Plain": "policy" } } }
            """
        let setup = """
            \(HiddenMachine.setup)
            printf 'root:x:0:\\npupil:x:1001:\\n' > /etc/group
            printf '%s' "$3" > /etc/managed-defaults/policies.d/10.json
            "$1" policy apply > /dev/null || exit 77
            exec setpriv --reuid 1001 --regid 1001 --clear-groups /bin/sh -c '
                for key in User Home Id Host Plain; do
                    for way in "-U" "-Ur" "-U --map-user=4711 --map-group=4711"; do
                        unshare $way "$1" / - "$2" $key || exit 78
                    done
                done
                ' sh "$2" "$4"
            """
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "/bin/sh", "-ec", setup, "sh", PolicyFolder.program("mdefaults"),
                PolicyFolder.program("library-probe"), policy, PolicyFolder.domain,
            ])
        #expect(result.code == 0, "\(result)")
        let answers = result.output.split(separator: "\n").map(String.init)
        // Names are not known where `/etc` is a mount, and so not which ids a user may give himself.
        #expect(
            answers == Array(repeating: "forced - refused", count: 9)
                + Array(repeating: "forced room1-pc01 refused", count: 3)
                + Array(repeating: "forced policy refused", count: 3), "\(result)")
    }

    /// The folder of good copies.
    private static let copies = "/var/lib/managed-defaults/good"
    /// What hides them, and whether it hides the files in `/run` as well.
    static let hidings: [(String, Bool?)] = [
        ("true", false),
        ("mount --bind /usr/share \(copies)", false),
        ("mount --bind /usr/share \(copies)/run", false),
        ("mount --bind \(copies)/etc \(copies)/run", false),
        ("mount -t tmpfs none \(copies)", false),
        // Of what is not recorded it cannot be told what is in force.
        ("mount --bind /var/snapshot /var/lib/managed-defaults", nil),
        ("mount --bind /usr/share \(copies); mount --bind /usr/share /run/managed-defaults/policies.d", true),
    ]

    /// Temporary policy, the copies of which a user hides from his own programs.
    @Test(
        .enabled(if: HiddenMachine.isPossible, HiddenMachine.need),
        arguments: hidings)
    func `Temporary policy holds where its copies are hidden`(_ mount: String, _ hidesFiles: Bool?) throws {
        let (domain, target) = (PolicyFolder.domain, #""Target": { "Users": ["pupil"] }"#)
        let files = [
            #"{ "Identifier": "edu.example.base", "Forced": { "\#(domain)": { "Exam": "base", "Base": "policy" } } }"#,
            #"{ "Identifier": "edu.example.exam", "Enforced": true, "Forced": { "\#(domain)": { "Exam": "policy" } } }"#,
            """
            { "Identifier": "edu.example.grant", "Enforced": true, \(target),
              "Forced": { "\(domain)": { "Base": "granted", "Grant": "granted" } } }
            """,
        ]
        let setup = """
            \(HiddenMachine.setup)
            printf 'root:x:0:\\npupil:x:1001:\\n' > /etc/group
            mkdir -p -m 755 /run/managed-defaults/policies.d
            printf '%s' "$5" > /etc/managed-defaults/policies.d/10.json
            "$1" policy apply > /dev/null || exit 77
            cp -a /var/lib/managed-defaults /var/snapshot
            printf '%s' "$6" > /run/managed-defaults/policies.d/00-exam.json
            printf '%s' "$7" > /run/managed-defaults/policies.d/00-grant-1.json
            "$1" policy apply > /dev/null || exit 77
            exec setpriv --reuid 1001 --regid 1001 --clear-groups /bin/sh -c '
                for key in Exam Base Grant; do "$1" / - "$2" $key; done
                unshare -Urm /bin/sh -ec "
                    eval \\"\\$3\\" || exit 78
                    for key in Exam Base Grant; do \\"\\$1\\" / - \\"\\$2\\" \\$key; done
                    " sh "$1" "$2" "$3"
                ' sh "$2" "$3" "$4"
            """
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "/bin/sh", "-ec", setup, "sh", PolicyFolder.program("mdefaults"),
                PolicyFolder.program("library-probe"), domain, mount,
            ] + files)
        if result.code == 78 { return print("skipped: a user may not make this mount here: \(mount)") }
        #expect(result.code == 0, "\(result)")
        let unknown = "forced - invalid"
        #expect(
            result.output.split(separator: "\n").map(String.init)
                == ["forced policy refused", "forced granted refused", "forced granted refused"]
                // Names are not known where `/etc` is a mount, as it is here, and so not whose the grant is.
                + (hidesFiles == true
                    ? [unknown, unknown, unknown]
                    : [hidesFiles == nil ? "forced - refused" : "forced policy refused", "forced policy refused"]
                        + ["forced - refused"]),
            "\(mount): \(result)")
    }

    /// What root does behind the record's back, what a user mounts, and what his programs find of two keys; `nil` where nobody
    /// knows, as of a record in a `/var` that is a mount, beside a directory that cannot be listed.
    static let sources: [(String, String, [String]?)] = [
        ("", "", ["policy", "old"]),
        // A record of his own, in a folder of somebody whom the namespace does not know.
        ("", "mount --bind /run/other /var/lib/managed-defaults", ["policy", "old"]),
        ("", "mount --bind /etc/empty /etc/managed-defaults/policies.d", nil),
        ("", "mount --bind /etc/loose /etc/managed-defaults/policies.d", nil),
        // Saved, and recorded by nobody yet.
        ("cp /etc/loose/10.json /etc/managed-defaults/policies.d", "", ["policy", "-"]),
        ("rm /etc/managed-defaults/policies.d/10.json", "", ["policy", "old"]),
        // Replaced, which a record in a `/var` that is a mount does not vouch for; and for a while, until the machine started anew.
        ("cp /etc/loose/10.json /run/managed-defaults/policies.d; $mdefaults policy apply", "", ["policy", "-"]),
        (
            "cp /etc/loose/10.json /run/managed-defaults/policies.d; $mdefaults policy apply; "
                + "rm /run/managed-defaults/policies.d/*; cd /var/lib/managed-defaults/good/run; mv * earlier; cd /",
            "", ["policy", "-"]
        ),
    ]

    @Test(
        .enabled(if: HiddenMachine.isPossible, HiddenMachine.need),
        arguments: sources)
    func `Neither another record nor another folder frees a key`(
        _ change: String, _ mount: String, _ values: [String]?
    ) throws {
        let domain = PolicyFolder.domain
        let files = [
            #"{ "Identifier": "edu.example.k", "Enforced": true, "Forced": { "\#(domain)": { "Key": "policy", "V": "old" } } }"#,
            #"{ "Identifier": "edu.example.k", "Forced": { "\#(domain)": { "Key": "policy", "V": "new" } } }"#,
        ]
        let setup = """
            \(HiddenMachine.setup)
            mdefaults=$1; mkdir -p -m 755 /run/managed-defaults/policies.d /etc/empty /etc/loose
            printf '%s' "$6" > /etc/managed-defaults/policies.d/10.json; printf '%s' "$7" > /etc/loose/10.json
            $mdefaults policy apply > /dev/null || exit 77
            mkdir -m 755 /run/other; cd /run/other
            printf 'managed-defaults policy record 4\nhome %s %s\nhost room1-pc01\ntags\n' $(stat -c '%d %i' .) > text
            printf 'sha256 %s\n' "$(sha256sum < text | cut -d' ' -f1)" | cat text - > policy.record; rm text
            chown -R 1235:1235 .; cd /
            eval "$4" > /dev/null || exit 77
            exec setpriv --reuid 1001 --regid 1001 --clear-groups unshare -Urm /bin/sh -ec '
                eval "$3" || exit 78
                for key in Key V; do "$1" / - "$2" $key; done
                ' sh "$2" "$3" "$5"
            """
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "/bin/sh", "-ec", setup, "sh", PolicyFolder.program("mdefaults"),
                PolicyFolder.program("library-probe"), domain, change, mount,
            ] + files)
        if result.code == 78 { return print("skipped: a user may not make this mount here: \(mount)") }
        #expect(result.code == 0, "\(result)")
        #expect(
            result.output.split(separator: "\n").map(String.init)
                == (values?.map { "forced \($0) refused" } ?? ["forced - invalid", "forced - invalid"]),
            "\(change); \(mount): \(result)")
    }
}
