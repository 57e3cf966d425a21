/// Where a machine's C library finds users and groups: `passwd`, `group` and `initgroups` of nsswitch.conf(5).
struct NameServices {
    /// Whether each of the sources names all of its users and groups to whoever asks for the list.
    ///
    /// Directory services over the network mostly do not: sssd(8) lists nobody unless it is told to.
    let areListed: Bool

    /// The sources that keep their lists on the machine and give them out whole.
    private static let listed = ["files", "systemd", "altfiles", "extrausers", "db", "cache"]
    /// The databases that matter.
    private static let databases = ["passwd", "group", "initgroups"]
    /// The most bytes of the file that are read.
    private static let limit = 1 << 16

    /// Reads the file of a root; where there is none, the C library asks for files, and what else it may ask is listed.
    init(root: Root) {
        do throws(SystemError) {
            let text = try root.read("/etc/nsswitch.conf", limit: NameServices.limit).bytes
            areListed = text.split(separator: 0x0a).allSatisfy { NameServices.isListed($0) }
        } catch {
            areListed = error.isMissing
        }
    }

    /// Whether a line names only sources that give out their lists, or is about something else.
    private static func isListed(_ line: ArraySlice<UInt8>) -> Bool {
        let line = line.prefix { $0 != UInt8(ascii: "#") }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return true }
        let name = line[..<colon].filter { $0 != 0x20 && $0 != 0x09 }
        guard databases.contains(where: { $0.utf8.elementsEqual(name) }) else { return true }
        var isAction = false
        for word in line[line.index(after: colon)...].split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }) {
            if word.first == UInt8(ascii: "[") { isAction = true }
            if !isAction, !listed.contains(where: { $0.utf8.elementsEqual(word) }) { return false }
            if word.last == UInt8(ascii: "]") { isAction = false }
        }
        return true
    }
}
