import MDPlatform
import MDPrograms

extension Doctor {
    /// Which installed Flatpaks and snaps do not see policy; no check where there are none.
    var sandboxes: [Check] { flatpaks + snaps }

    private var flatpaks: [Check] {
        let blind: [String]
        do {
            guard FlatpakOverride.file(in: root) != nil else { return [] }
            blind = try FlatpakOverride.blind(in: root)
        } catch {
            return [
                Check(
                    "flatpaks", false, "Whether Flatpaks see policy is unknown: \(error).",
                    remedy: "Run mdefaults doctor as \(writer).")
            ]
        }
        guard !blind.isEmpty else { return [] }
        let isEnabled = LoginInstances.areEnabled(in: root)
        return [
            Check(
                "flatpaks", false,
                "A program of \(Doctor.names(blind)) that uses ManagedDefaults obeys no policy: the overrides of Flatpak "
                    + "(\(root.display(FlatpakOverride.path))) do not show it the policy record and the audit service.",
                remedy: isEnabled
                    ? "Run mdefaults policy apply as \(writer); if the check still fails, look for the program's own override"
                        + " beside that file."
                    : "Run mdefaults programs enable as \(writer).",
                command: isEnabled ? mdefaults("policy", "apply") : mdefaults("programs", "enable"))
        ]
    }

    private var snaps: [Check] {
        let names = (try? root.names(in: "/snap"))?.filter { name in
            guard let bytes = try? root.read("/snap/\(name)/current/meta/snap.yaml", limit: 1 << 20).bytes else {
                return false
            }
            let lines = bytes.split(separator: 0x0a)
            return lines.contains { $0.starts(with: "apps:".utf8) }
                && !lines.contains { $0.elementsEqual("confinement: classic".utf8) }
        }
        guard let names, !names.isEmpty else { return [] }
        return [
            Check(
                "snaps", true,
                "\(Doctor.names(names.sorted())): a program in a snap that uses ManagedDefaults does not see policy. Whether one"
                    + " of these uses it is unknown here.")
        ]
    }

    /// The first names of some, and how many more there are.
    private static func names(_ all: [String]) -> String {
        let shown = all.prefix(10).map { Printable.escape($0) }.joined(separator: ", ")
        return all.count > 10 ? "\(shown) and \(all.count - 10) more" : shown
    }
}
