import Platform

extension Doctor {
    /// Whether something records policy when it changes, on a machine where systemd can; no check elsewhere.
    ///
    /// A file that is not recorded has no copy that would outlast its breaking.
    var renewal: [Check] {
        // As sd_booted(3) has it.
        guard exists("/run/systemd/system") else { return [] }
        let obstacle = self.obstacle
        return [
            Check(
                "renewal", obstacle == nil,
                obstacle.map {
                    "\($0.clause): policy that changes is in force at once, but has no good copy until somebody runs"
                        + " mdefaults as \(writer)."
                } ?? "\(Doctor.unit) is enabled: policy is recorded and compiled whenever it changes.",
                remedy: obstacle?.remedy)
        ]
    }

    /// The unit that is enabled.
    private static let unit = "managed-defaults.path"

    /// The units that watch, and the one that looks from time to time; the first one starts the others.
    private static let watching = [unit, "managed-defaults-run.path", "managed-defaults.timer"]

    /// The units that have to be there: what watches, what that starts, and what runs `mdefaults policy apply`.
    private static let units = watching + ["managed-defaults-changed.service", "managed-defaults.service"]

    /// Where systemd finds units, the first one that has one first (systemd.unit(5)).
    private static let folders = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]

    /// Why nothing records policy when it changes, as a clause, and what to do; `nil` where something does.
    private var obstacle: (clause: String, remedy: String)? {
        let enable = "systemctl enable --now \(Doctor.unit)"
        for unit in Doctor.units {
            guard let path = Doctor.folders.lazy.map({ "\($0)/\(unit)" }).first(where: { exists($0) }) else {
                return ("\(unit) is not installed", "Install the units that come with mdefaults, then: \(enable)")
            }
            if isMask(path) { return ("\(unit) is masked", "systemctl unmask \(unit), then: \(enable)") }
        }
        guard Doctor.folders.contains(where: { exists("\($0)/paths.target.wants/\(Doctor.unit)") }) else {
            return ("\(Doctor.unit) is not enabled", enable)
        }
        for unit in Doctor.watching {
            guard let state = runningState(of: unit), state != "active" else { continue }
            return (
                "\(unit) is not running: it is \(state)",
                "systemctl start \(unit); what ended it is in: systemctl status \(unit)"
            )
        }
        return nil
    }

    /// Whether a unit's file says that there shall be none: a link to `/dev/null`, or an empty file.
    private func isMask(_ path: String) -> Bool {
        if let target = try? root.linkTarget(path) { return target == "/dev/null" }
        return (try? root.status(path, followingLinks: false)).map { $0.kind == .regular && $0.size == 0 } ?? false
    }

    /// What systemd says of a unit now, in a word; `nil` in a folder, and where nobody can be asked.
    private func runningState(of unit: String) -> String? {
        guard root.isSystem else { return nil }
        let tool = exists("/usr/bin/systemctl") ? "/usr/bin/systemctl" : "/bin/systemctl"
        guard let result = try? Subprocess.run(tool, ["is-active", unit], timeoutMilliseconds: 5_000, limit: 64)
        else { return nil }
        let word = String(decoding: result.output.prefix { $0 != 0x0a }, as: UTF8.self)
        return word.isEmpty || word == "unknown" ? nil : Printable.escape(word)
    }

    /// Whether a path beneath the root is there.
    private func exists(_ path: String) -> Bool { (try? root.status(path, followingLinks: false)) != nil }
}
