import Platform

extension Doctor {
    /// Whether something records policy when it changes, on a machine where systemd can; no check elsewhere.
    ///
    /// A file that is not recorded has no copy that would outlast its breaking.
    var renewal: [Check] {
        // As sd_booted(3) has it.
        guard exists("/run/systemd/system") else { return [] }
        let folders = ["/etc/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system"]
        let isEnabled = folders.contains { exists("\($0)/paths.target.wants/\(Doctor.unit)") }
        return [
            Check(
                "renewal", isEnabled,
                isEnabled
                    ? "\(Doctor.unit) is enabled: policy is recorded and compiled whenever it changes."
                    : "\(Doctor.unit) is not enabled: policy that changes is in force at once, but has no good copy until"
                        + " somebody runs mdefaults as \(writer).",
                remedy: "Install the units that come with mdefaults, then: systemctl enable --now \(Doctor.unit)")
        ]
    }

    /// The unit that runs `mdefaults policy apply` on every change.
    private static let unit = "managed-defaults.path"

    /// Whether a path beneath the root is there.
    private func exists(_ path: String) -> Bool { (try? root.status(path, followingLinks: false)) != nil }
}
