package import MDPlatform
import MDPrograms
import MDPropertyList
import MDTools

/// Looks at what makes the ways around policy possible on a machine; writes and starts nothing.
package struct Hardening {
    private let root: Root
    /// The homes of the accounts of the machine's file.
    private let homes: [String]

    package init(of root: Root) {
        self.root = root
        let people = AccountDatabase(root: root).accounts.filter { (1_000..<60_000).contains($0.uid) }
        homes = people.map(\.home).filter { Key($0) != "/nonexistent" }
    }

    /// All ways, those that work on every program first.
    package func ways() -> [HardeningWay] {
        [userNamespaces, sandboxes] + executablePlaces + [memory, debuggers, terminals] + variables + [flatpak, fuse]
    }

    /// The number in a file of the kernel; `nil` if there is none.
    private func number(_ path: String) -> Int64? {
        guard let bytes = try? root.read("/proc/sys/\(path)", limit: 64).bytes else { return nil }
        return Int64(String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self))
    }

    /// Whether a file of the kernel that is missing is missing in this kernel, and not unseen.
    private var showsKernel: Bool { root.mayExist("/proc/sys/kernel/ostype") }

    /// A way that no program opens.
    private func absent(_ name: String, _ detail: String) -> HardeningWay {
        root.mayExist("/usr/bin")
            ? HardeningWay(name, .closed, detail)
            : HardeningWay(name, .unknown, "No programs can be seen here: there is no /usr/bin.")
    }

    private var userNamespaces: HardeningWay {
        let name = "user-namespaces"
        let remedy =
            "Set user.max_user_namespaces to 0, or kernel.unprivileged_userns_clone where the kernel has it. The sandboxes"
            + " of browsers and Flatpaks use them too."
        guard let most = number("user/max_user_namespaces") else {
            return HardeningWay(
                name, .unknown, "Whether users can make user namespaces cannot be seen here.", remedy: remedy)
        }
        if most == 0 { return HardeningWay(name, .closed, "No user namespaces: user.max_user_namespaces is 0.") }
        if number("kernel/unprivileged_userns_clone") == 0 {
            return HardeningWay(
                name, .closed, "Only root makes user namespaces: kernel.unprivileged_userns_clone is 0.")
        }
        let what = "users can mount an empty folder over a program's policy (unshare -Urm)"
        if number("kernel/apparmor_restrict_unprivileged_userns") == 1 {
            return HardeningWay(
                name, .unknown,
                "AppArmor restricts user namespaces, in which \(what). Which of its profiles allow them was not looked at.",
                remedy: remedy)
        }
        return HardeningWay(name, .possible, "In a user namespace \(what).", remedy: remedy)
    }

    /// Programs that mount for every user, with root's rights.
    private var sandboxes: HardeningWay {
        let name = "setuid-sandboxes"
        let found = ["/usr/bin/bwrap", "/usr/bin/firejail", "/usr/local/bin/bwrap", "/usr/local/bin/firejail"].filter {
            ((try? root.status($0, followingLinks: true))?.mode ?? 0) & 0o4000 != 0
        }
        guard let first = found.first else {
            return absent(
                name, "Neither bwrap nor firejail is setuid root in /usr/bin or /usr/local/bin.")
        }
        return HardeningWay(
            name, .possible, subject: first,
            "\(Plural.list(found, "program")) is setuid root: users can show a program other folders with it.",
            remedy: "Take the bit away (dpkg-statoverride), or let only a group run it.")
    }

    /// Places of users' own programs and libraries.
    private var executablePlaces: [HardeningWay] {
        let name = "executable-places"
        let remedy =
            "Mount it with noexec (/etc/fstab; a drop-in of user-runtime-dir@.service for /run/user). Scripts still run by"
            + " their interpreters."
        guard let bytes = try? root.read("/proc/self/mountinfo", limit: 32 << 20).bytes,
            case let mounts = MountOptions(parsing: bytes), !mounts.isEmpty
        else {
            return [
                HardeningWay(
                    name, .unknown,
                    "Where users can run programs of their own is not known: no mounts can be seen here.",
                    remedy: remedy)
            ]
        }
        let sessions = mounts.paths(beneath: "/run/user").map { (shown: "/run/user", path: $0) }
        // A report may be without names, which homes have; and one on a server that is gone is not touched.
        let own = homes.map { home in
            (shown: home.utf8.lastIndex(of: 0x2f).map { String(home[..<$0]) } ?? "", path: home)
        }
        let others = ["/tmp", "/var/tmp", "/dev/shm"].filter(root.mayExist).map { (shown: $0, path: $0) }
        var ways: [HardeningWay] = []
        for place in own + others + sessions {
            let mount = mounts.mount(of: place.path)
            let shown = Printable.escape(place.shown.isEmpty ? "/" : place.shown)
            let over = mount.map { String(decoding: $0.path, as: UTF8.self) } ?? ""
            let by =
                place.shown.utf8.starts(with: over.utf8) ? "the mount of \(Printable.escape(over))" : "a mount in it"
            let way =
                switch mount?.forbidsExecution {
                case true?: HardeningWay(name, .closed, subject: shown, "\(shown) is noexec, by \(by).")
                case false?:
                    HardeningWay(
                        name, .possible, subject: shown,
                        "Users can run programs of their own and load their libraries (LD_PRELOAD) from \(shown): \(by) is"
                            + " not noexec.", remedy: remedy)
                case nil:
                    HardeningWay(
                        name, .unknown, subject: shown, "\(shown) is mounted when it is used: how is not known.",
                        remedy: remedy)
                }
            if !ways.contains(way) { ways.append(way) }
        }
        if sessions.isEmpty {
            ways.append(
                HardeningWay(
                    name, .unknown, subject: "/run/user",
                    "How the folders of sessions in /run/user are mounted is not known: there is none now.",
                    remedy: remedy))
        }
        return ways
    }

    /// Programs that exist in memory only, which no mount forbids.
    private var memory: HardeningWay {
        let name = "programs-in-memory"
        let level = number("vm/memfd_noexec")
        if level == 2 {
            return HardeningWay(name, .closed, "No program runs from memory alone: vm.memfd_noexec is 2.")
        }
        return HardeningWay(
            name, level != nil || showsKernel ? .possible : .unknown,
            "An interpreter, such as python3 or perl, can run a program from memory (memfd_create), whatever is noexec.",
            remedy: "Set vm.memfd_noexec to 2, where the kernel has it (since 6.3).")
    }

    private var debuggers: HardeningWay {
        let name = "debuggers"
        let scope = number("kernel/yama/ptrace_scope")
        if let scope, scope >= 2 {
            return HardeningWay(name, .closed, "Users debug no program: kernel.yama.ptrace_scope is \(scope).")
        }
        return HardeningWay(
            name, scope != nil || showsKernel ? .possible : .unknown,
            "A debugger, or an interpreter in its place, changes what a program \(scope == 1 ? "that it starts " : "")has in"
                + " memory.",
            remedy: "Set kernel.yama.ptrace_scope to 2: then only root uses debuggers and strace.")
    }

    private var terminals: HardeningWay {
        let name = "terminals"
        let names = [
            "alacritty", "cool-retro-term", "deepin-terminal", "foot", "gnome-terminal", "guake", "kgx", "kitty",
            "konsole",
            "lxterm", "lxterminal", "mate-terminal", "mlterm", "ptyxis", "qterminal", "rxvt", "sakura", "st",
            "terminator",
            "terminology", "tilda", "tilix", "urxvt", "uxterm", "wezterm", "x-terminal-emulator", "xfce4-terminal",
            "xterm",
            "yakuake",
        ]
        let found = names.filter { name in ["/usr/bin", "/usr/local/bin"].contains { isRunByAll("\($0)/\(name)") } }
        guard !found.isEmpty else {
            return absent(
                name,
                "No terminal that this version knows is in /usr/bin or /usr/local/bin for everybody. Editors and file"
                    + " managers can have one too.")
        }
        return HardeningWay(
            name, .possible,
            "Users have a shell, and with it every variable, by \(Plural.list(found, "terminal")); the setting Terminal takes"
                + " GNOME's menu entry only.",
            remedy: "Remove the terminals, or let only a group run them (dpkg-statoverride).")
    }

    private func isRunByAll(_ path: String) -> Bool {
        ((try? root.status(path, followingLinks: true))?.mode ?? 0) & 0o001 != 0
    }

    /// Variables by which programs read another configuration.
    private var variables: [HardeningWay] {
        [
            ("gsettings", "GSETTINGS_BACKEND, GSETTINGS_SCHEMA_DIR, GIO_MODULE_DIR or XDG_DATA_DIRS"),
            ("kde", "XDG_CONFIG_DIRS"), ("libreoffice", "CONFIGURATION_LAYERS"),
        ].compactMap { word, names in
            guard let program = ProgramCatalog.program(named: word) else { return nil }
            let name = "environment-\(word)"
            guard program.isInstalled(in: root) else {
                return absent(name, "\(program.title) was not found on this machine.")
            }
            return HardeningWay(
                name, .possible,
                "\(names) in the environment of \(program.title) lead past policy: by a terminal, or by files of the user's"
                    + " that start programs.",
                remedy: "Only a session without a desktop closes this, such as a browser's kiosk session.")
        }
    }

    private var flatpak: HardeningWay {
        guard isRunByAll("/usr/bin/flatpak") else {
            return absent("flatpak", "Users have no /usr/bin/flatpak.")
        }
        return HardeningWay(
            "flatpak", .possible,
            "Users can take policy away from a Flatpak (flatpak override --user), and install Flatpaks of their own.",
            remedy: "Use packages of the distribution, or let only a group run flatpak (dpkg-statoverride).")
    }

    private var fuse: HardeningWay {
        let remedy = "Remove user_allow_other from /etc/fuse.conf."
        let lines: [ArraySlice<UInt8>]
        do throws(SystemError) {
            lines = try root.read("/etc/fuse.conf", limit: 1 << 16).bytes.split(separator: 0x0a)
        } catch {
            return error.isMissing
                ? HardeningWay("fuse", .closed, "Users serve root no file systems: there is no /etc/fuse.conf.")
                : HardeningWay(
                    "fuse", .unknown, "Whether users serve file systems to root is unknown: \(error).", remedy: remedy)
        }
        if lines.contains(where: { $0.elementsEqual("user_allow_other".utf8) }) {
            return HardeningWay(
                "fuse", .possible,
                "By user_allow_other in /etc/fuse.conf, users serve file systems to root, and can stop the watch of stored"
                    + " values over a home that is a mount of its own.", remedy: remedy)
        }
        return HardeningWay(
            "fuse", .closed, "Users serve root no file systems: /etc/fuse.conf has no user_allow_other.")
    }
}

/// The mounts of a process, by what they forbid.
struct MountOptions {
    struct Mount {
        /// The folder that it covers, as the kernel spells it.
        let path: [UInt8]
        /// Whether programs cannot be run from it; `nil` if another mount is made over it when it is used.
        let forbidsExecution: Bool?
    }

    private let mounts: [Mount]

    /// Reads the lines of /proc/self/mountinfo (proc(5)); a line of another form is left out.
    init(parsing text: [UInt8]) {
        mounts = text.split(separator: 0x0a).compactMap { line in
            let fields = line.split(separator: 0x20)
            guard fields.count > 7, let dash = fields.firstIndex(of: [0x2d]), dash + 1 < fields.count else {
                return nil
            }
            let options = fields[5].split(separator: 0x2c)
            return Mount(
                path: Array(fields[4]),
                forbidsExecution: fields[dash + 1].elementsEqual("autofs".utf8)
                    ? nil : options.contains { $0.elementsEqual("noexec".utf8) })
        }
    }

    var isEmpty: Bool { mounts.isEmpty }

    /// The mount that a path leads to: the last one of the longest folder that it is in.
    func mount(of path: String) -> Mount? {
        let path = Array(path.utf8)
        return mounts.filter { MountOptions.leads(path, through: $0.path) }.reduce(nil) { best, mount in
            guard let best, mount.path.count < best.path.count else { return mount }
            return best
        }
    }

    /// The folders right in a folder that something is mounted on.
    func paths(beneath folder: String) -> [String] {
        let start = Array((folder + "/").utf8)
        return mounts.map(\.path).filter { $0.starts(with: start) && !$0.dropFirst(start.count).contains(0x2f) }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private static func leads(_ path: [UInt8], through folder: [UInt8]) -> Bool {
        folder == [0x2f] || path == folder || path.starts(with: folder + [0x2f])
    }
}
