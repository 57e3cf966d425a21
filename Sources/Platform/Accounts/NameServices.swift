/// Where a machine's C library finds users and groups: `passwd`, `group` and `initgroups` of nsswitch.conf(5).
package struct NameServices {
    /// Whether the file could be read, or is not there.
    package let isKnown: Bool
    /// Whether each of the sources names all of its users and groups to whoever asks for the list.
    ///
    /// Directory services over the network mostly do not: sssd(8) lists nobody unless it is told to.
    let areListed: Bool
    /// Whether no source takes part but the files of the machine.
    let areFilesAlone: Bool
    /// The sources of users beside the files of the machine and what systemd(1) makes up, in order.
    package let directories: [String]

    /// The sources that keep their lists on the machine and give them out whole.
    private static let listed = ["files", "systemd", "altfiles", "extrausers", "db", "cache"]
    /// The sources of users that are no directory service.
    private static let ownSources = ["files", "compat", "systemd", "altfiles", "db"]
    /// The databases that matter.
    private static let databases = ["passwd", "group", "initgroups"]
    /// The path of the file.
    static let path = "/etc/nsswitch.conf"
    /// The most bytes of the file that are read.
    private static let limit = 1 << 16

    /// Reads the file of a root; where there is none, the C library asks for files, and what else it may ask is listed.
    package init(root: Root) {
        do throws(SystemError) {
            self.init(text: try root.read(NameServices.path, limit: NameServices.limit).bytes)
        } catch {
            self.init(text: error.isMissing ? [] : nil)
        }
    }

    /// Reads the text of the file; `nil` for one that cannot be read, so that anything may take part.
    init(text: [UInt8]?) {
        let lines = text?.split(separator: 0x0a).compactMap { NameServices.sources(in: $0) }
        isKnown = text != nil
        areListed = lines?.allSatisfy { $0.sources.allSatisfy(NameServices.listed.contains) } ?? false
        areFilesAlone = lines?.allSatisfy { $0.sources.allSatisfy { $0 == "files" } } ?? false
        directories = (lines ?? []).filter { $0.database == "passwd" }.flatMap(\.sources)
            .filter { !NameServices.ownSources.contains($0) }
    }

    /// The database that a line is about, and the sources that it names; `nil` for a line about anything else.
    private static func sources(in line: ArraySlice<UInt8>) -> (database: String, sources: [String])? {
        let line = line.prefix { $0 != UInt8(ascii: "#") }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = line[..<colon].filter { $0 != 0x20 && $0 != 0x09 }
        guard let database = databases.first(where: { $0.utf8.elementsEqual(name) }) else { return nil }
        var sources: [String] = []
        var isAction = false
        for word in line[line.index(after: colon)...].split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }) {
            if word.first == UInt8(ascii: "[") { isAction = true }
            if !isAction { sources.append(String(decoding: word, as: UTF8.self)) }
            if word.last == UInt8(ascii: "]") { isAction = false }
        }
        return (database, sources)
    }
}
