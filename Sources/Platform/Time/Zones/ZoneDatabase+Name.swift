extension ZoneDatabase {
    /// The IANA name of the machine's own zone; `nil` where `/etc/localtime` does not say it.
    ///
    /// localtime(5): the file is a link into the database of zones. Without it the zone is UTC.
    package var localName: String? {
        if let localZone { return localZone }
        do throws(SystemError) {
            guard try root.status("/etc/localtime", followingLinks: false).kind == .link else { return nil }
            let folder = Array("zoneinfo/".utf8)
            let target = Array(try root.linkTarget("/etc/localtime").utf8)
            guard let start = target.indices.last(where: { target[$0...].starts(with: folder) }) else { return nil }
            let name = String(decoding: target[(start + folder.count)...], as: UTF8.self)
            return ZoneDatabase.isName(name) ? name : nil
        } catch {
            return error.isMissing ? "UTC" : nil
        }
    }
}
