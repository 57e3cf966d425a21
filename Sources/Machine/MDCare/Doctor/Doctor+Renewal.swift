import MDPlatform

extension Doctor {
    /// Whether a unit of systemd records policy when it changes; no check on a machine without systemd.
    ///
    /// A file that is not recorded has no recorded copy if it breaks.
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
                remedy: obstacle?.remedy, command: root.isSystem ? obstacle?.command : nil)
        ]
    }

    /// The unit to enable.
    private static let unit = "managed-defaults-apply.path"

    /// The unit that watches for changes, and the timer.
    private static let watching = [unit, "managed-defaults-apply.timer"]

    /// All required units: those that watch, and the one that runs `mdefaults policy apply`.
    private static let units = watching + ["managed-defaults-apply.service"]

    /// The folders of systemd's units, in the order of precedence (systemd.unit(5)).
    static let folders = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]

    /// Why policy is not recorded when it changes, as a clause, and what to do; `nil` if it is.
    private var obstacle: (clause: String, remedy: String, command: [String]?)? {
        let command = ["systemctl", "enable", "--now"] + Doctor.watching
        let enable = command.joined(separator: " ")
        for unit in Doctor.units {
            guard let path = Doctor.folders.lazy.map({ "\($0)/\(unit)" }).first(where: { exists($0) }) else {
                return ("\(unit) is not installed", "Install the units that come with mdefaults, then: \(enable)", nil)
            }
            if isMask(path) { return ("\(unit) is masked", "systemctl unmask \(unit), then: \(enable)", nil) }
        }
        for (unit, target) in zip(Doctor.watching, ["paths.target", "timers.target"])
        where !isWanted(unit, by: target) {
            return ("\(unit) is not enabled", enable, command)
        }
        for unit in Doctor.watching {
            guard let state = runningState(of: unit), state != "active" else { continue }
            return (
                "\(unit) is not running: it is \(state)",
                "systemctl start \(unit); what ended it is in: systemctl status \(unit)",
                ["systemctl", "start", unit]
            )
        }
        return nil
    }

    /// Whether the start of a target starts a unit.
    func isWanted(_ unit: String, by target: String) -> Bool {
        Doctor.folders.contains { exists("\($0)/\(target).wants/\(unit)") }
    }

    /// Whether the file of a unit masks it: a link to `/dev/null`, or an empty file.
    func isMask(_ path: String) -> Bool {
        if let target = try? root.linkTarget(path) { return target == "/dev/null" }
        return (try? root.status(path, followingLinks: false)).map { $0.kind == .regular && $0.size == 0 } ?? false
    }

    /// The state of a unit by `systemctl is-active`; `nil` under a folder, or if unknown.
    private func runningState(of unit: String) -> String? {
        guard root.isSystem else { return nil }
        let tool = exists("/usr/bin/systemctl") ? "/usr/bin/systemctl" : "/bin/systemctl"
        guard let result = try? Subprocess.run(tool, ["is-active", unit], timeoutMilliseconds: 5_000, limit: 64)
        else { return nil }
        let word = String(decoding: result.output.prefix { $0 != 0x0a }, as: UTF8.self)
        return word.isEmpty || word == "unknown" ? nil : Printable.escape(word)
    }

    /// Whether a path under the root exists.
    func exists(_ path: String) -> Bool { (try? root.status(path, followingLinks: false)) != nil }
}
