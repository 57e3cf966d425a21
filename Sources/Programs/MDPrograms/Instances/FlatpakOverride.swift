package import MDPlatform
import MDPolicyModel

/// The override that shows the policy record and the audit service to all Flatpaks of a machine (flatpak-override(1)).
///
/// A Flatpak has its own `/etc`, `/run` and `/var`, so that without it a program in one is free.
package enum FlatpakOverride {
    /// The folder of the system's installation.
    private static let home = Sandbox.flatpaks
    /// The folder of the overrides that root made: one file for all programs, and one for each named one.
    private static let folder = "\(home)/overrides"
    /// The file for all programs.
    package static let path = "\(folder)/global"
    /// The folders that a program needs.
    private static let shown = [StorePath.home, "/run/mdefaultsd"]
    private static let items = ["\(StorePath.home):ro", "/run/mdefaultsd:ro"]
    private static let list = KeyFileList(group: "Context", key: "filesystems")
    /// The most bytes of an override that are read.
    private static let sizeLimit = 1 << 20

    /// The file, where Flatpak is installed.
    package static func file(in root: Root) -> ProgramFile? {
        guard root.mayExist(home) || root.mayExist("/usr/bin/flatpak") else { return nil }
        return ProgramFile(path, .items(items, group: list.group, key: list.key))
    }

    /// The Flatpaks of the system's installation that do not see policy, by what root's overrides say, in byte order.
    ///
    /// Those of users' own installations, and users' own overrides, are in their homes and are not read.
    ///
    /// - Throws: if the programs or an override cannot be read.
    package static func blind(in root: Root) throws(SystemError) -> [String] {
        let global = try filesystems(path, in: root)
        var blind: [String] = []
        for name in try installed(in: root) {
            let own = try filesystems("\(folder)/\(name)", in: root)
            if !shown.allSatisfy({ isShown($0, by: global + own) }) { blind.append(name) }
        }
        return blind
    }

    /// The names of the Flatpaks of the system's installation.
    private static func installed(in root: Root) throws(SystemError) -> [String] {
        do throws(SystemError) {
            return try root.names(in: "\(home)/app").sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        } catch {
            if error.isMissing { return [] }
            throw error
        }
    }

    /// What an override says of files, in order.
    private static func filesystems(_ path: String, in root: Root) throws(SystemError) -> [String] {
        do throws(SystemError) {
            return list.items(in: try root.read(path, limit: sizeLimit).bytes)
        } catch {
            if error.isMissing { return [] }
            throw error
        }
    }

    /// Whether a folder is shown, by the last item that names it; `!` takes it away.
    private static func isShown(_ folder: String, by items: [String]) -> Bool {
        for item in items.reversed() {
            let name = String(Substring(item.utf8.prefix { $0 != UInt8(ascii: ":") }))
            if name == folder { return true }
            if name == "!\(folder)" { return false }
        }
        return false
    }
}
