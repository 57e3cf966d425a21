import Glibc

/// Reads the rules of time zones from TZif files, never from the environment.
///
/// Reads each file once. Safe to use from several threads.
package final class ZoneDatabase: @unchecked Sendable {
    /// The folder of zones.
    static let folder = "/usr/share/zoneinfo"

    /// The root whose `/etc/localtime` is the machine's own zone.
    let root: Root
    /// The name of the machine's own zone, if the caller knows it.
    let localZone: String?
    /// The lock of `results`; not ``Guarded``, because every process creates a database and few need a zone.
    private let lock = Lock()
    /// The result for each name; that for the machine's own zone has the empty name.
    private var results: [String: Result<Zone, ZoneError>] = [:]

    /// Makes a database of a root.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - localZone: the name of the machine's own zone; `nil` asks its `/etc/localtime`.
    package init(root: Root, localZone: String? = nil) {
        self.root = root
        self.localZone = localZone
    }

    /// Reads a zone.
    ///
    /// - Parameter name: its IANA name; `nil` for the machine's own zone, which is UTC if the machine has none.
    /// - Returns: the zone.
    /// - Throws: an error if there is no such zone, or its file cannot be read, is not trusted or is damaged.
    package func zone(named name: String?) throws(ZoneError) -> Zone {
        let name = name ?? localZone
        let slot = name ?? ""
        if let known = result(slot) { return try known.get() }
        let result: Result<Zone, ZoneError>
        do throws(ZoneError) {
            result = .success(try file(of: name).map(ZoneDatabase.parse) ?? .utc)
        } catch {
            result = .failure(error)
        }
        record(result, slot)
        return try result.get()
    }

    /// The recorded result for a name; `nil` if the name was not requested before.
    private func result(_ slot: String) -> Result<Zone, ZoneError>? {
        lock.acquire()
        defer { lock.release() }
        return results[slot]
    }

    /// Records the result for a name.
    private func record(_ result: Result<Zone, ZoneError>, _ slot: String) {
        lock.acquire()
        defer { lock.release() }
        results[slot] = result
    }

    /// Whether a text can be the name of a zone: letters, digits, `_`, `-` and `+` between single slashes.
    package static func isName(_ text: String) -> Bool {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= 255 else { return false }
        return bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.allSatisfy(isOfName)
        }
    }

    /// Whether a byte is allowed in a part of a name; points are not, so that no part leads upwards.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"):
            true
        default: false
        }
    }

    /// Whether the root has a folder of zones; a folder without one uses the zones of this machine.
    var hasZones: Bool { root.isSystem || (try? root.status(ZoneDatabase.folder, followingLinks: true)) != nil }

    /// A zone's file as it was read.
    private struct File {
        /// Its content.
        let bytes: [UInt8]
        /// Its path as people are shown it.
        let path: String
        /// The name of the zone; `nil` if the file does not show it.
        let name: String?
    }

    /// The path of the machine's own zone.
    package static let machineFile = "/etc/localtime"

    /// Reads the file of a zone; `nil` for the machine's own if it has none.
    private func file(of name: String?) throws(ZoneError) -> File? {
        if let name { return try named(name) }
        return try machineZone()
    }

    /// Reads a zone of the root, or of this machine if the root is a folder without zones.
    private func named(_ name: String) throws(ZoneError) -> File {
        guard ZoneDatabase.isName(name) else { throw .invalidName(name) }
        return try ZoneDatabase.file(of: name, in: hasZones ? root : .system)
    }

    /// Reads the machine's own zone; `nil` if it has none.
    private func machineZone() throws(ZoneError) -> File? {
        let path = ZoneDatabase.machineFile
        let (target, bytes): (String?, [UInt8]?)
        do throws(TrustError) {
            target = try linkTarget(path)
            bytes = try trustedBytes(path)
        } catch {
            throw .unreadable(error)
        }
        let name = target.flatMap(ZoneDatabase.name(ofLink:))
        if let bytes { return File(bytes: bytes, path: root.display(path), name: name) }
        guard target != nil else { return nil }
        // The link exists and its zone does not: a folder without zones uses those of this machine.
        if !root.isSystem, let name { return try named(name) }
        throw .unreadable(.system(SystemError(operation: "read", path: root.display(path), code: ENOENT)))
    }

    /// The target of a link; `nil` if the path is missing or no link.
    private func linkTarget(_ path: String) throws(TrustError) -> String? {
        do throws(SystemError) {
            return try root.linkTarget(path)
        } catch {
            if error.isMissing || error.code == EINVAL { return nil }
            throw .system(error)
        }
    }

    /// The content of a trusted file; `nil` if it, or the target of a link, is missing.
    private func trustedBytes(_ path: String) throws(TrustError) -> [UInt8]? {
        do throws(TrustError) {
            return try root.readTrusted(path, limit: Zone.fileLimit).bytes
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// The name of the zone that a link to its file leads to.
    private static func name(ofLink target: String) -> String? {
        let parts = target.utf8.split(separator: UInt8(ascii: "/"))
        guard let folder = parts.lastIndex(where: { $0.elementsEqual("zoneinfo".utf8) }) else { return nil }
        let name = parts[(folder + 1)...].map { String(Substring($0)) }.joined(separator: "/")
        return isName(name) ? name : nil
    }

    /// Reads a zone's file, which no link leads out of the folder of zones.
    private static func file(of name: String, in root: Root) throws(ZoneError) -> File {
        let shown = root.display("\(folder)/\(name)")
        let place: (zones: String, file: String)
        do throws(TrustError) {
            let zones = try realPath(folder + "/", in: root)
            place = (zones, try realPath("\(folder)/\(name)", in: root))
        } catch {
            throw .unreadable(error)
        }
        guard place.file.hasPrefix(place.zones + "/") else { throw .outside(path: shown) }
        do throws(TrustError) {
            return File(
                bytes: try root.readTrusted(place.file, limit: Zone.fileLimit).bytes, path: shown, name: name)
        } catch {
            throw .unreadable(error)
        }
    }

    /// Resolves a path through trusted directories and links only.
    ///
    /// - Parameters:
    ///   - path: the path.
    ///   - root: the root of the path.
    /// - Returns: the path without links.
    /// - Throws: what is not trusted, and errors of the kernel.
    private static func realPath(_ path: String, in root: Root) throws(TrustError) -> String {
        var walk = try PathWalk(root: root, rule: TrustRule(root: root))
        guard let name = try walk.advance(along: path, followingLast: true) else { return walk.path }
        return "\(walk.path)/\(name)"
    }

    /// Reads the content of a zone's file.
    private static func parse(_ file: File) throws(ZoneError) -> Zone {
        do {
            return try Zone(file: file.bytes, name: file.name)
        } catch {
            throw .damaged(path: file.path, problem: error)
        }
    }
}

extension ZoneDatabase {
    /// The IANA name of the machine's own zone; `nil` if `/etc/localtime` does not show it.
    ///
    /// localtime(5): the file is a link into the database of zones. Without it the zone is UTC.
    package var localName: String? {
        if let localZone { return localZone }
        do throws(SystemError) {
            guard try root.status(ZoneDatabase.machineFile, followingLinks: false).kind == .link else { return nil }
            let folder = Array("zoneinfo/".utf8)
            let target = Array(try root.linkTarget(ZoneDatabase.machineFile).utf8)
            guard let start = target.indices.last(where: { target[$0...].starts(with: folder) }) else { return nil }
            let name = String(decoding: target[(start + folder.count)...], as: UTF8.self)
            return ZoneDatabase.isName(name) ? name : nil
        } catch {
            return error.isMissing ? "UTC" : nil
        }
    }
}

extension ZoneDatabase {
    /// The lists of zones that a database may have beside its files, with how each of them writes a name; the first that
    /// can be read counts.
    private static let lists: [(name: String, zone: @Sendable (Substring.UTF8View) -> Substring.UTF8View?)] = [
        ("tzdata.zi", zoneOfSource), ("zone1970.tab", zoneOfTable), ("zone.tab", zoneOfTable),
    ]
    /// The most bytes of a list; one of today has 110 KB.
    private static let listLimit = 1 << 20
    /// The most names of a list; one of today has 600.
    private static let nameLimit = 10_000

    /// The names in the database's list of zones; empty if there is no list that can be read and is trusted.
    ///
    /// The files of some may not be installed. Complexity: O(size of the list) on each call.
    package var names: [String] {
        let place = hasZones ? root : .system
        for list in ZoneDatabase.lists {
            let path = "\(ZoneDatabase.folder)/\(list.name)"
            guard let bytes = try? place.readTrusted(path, limit: ZoneDatabase.listLimit).bytes else { continue }
            return Array(ZoneDatabase.names(bytes, list.zone).prefix(ZoneDatabase.nameLimit))
        }
        return []
    }

    /// The names in a list; lines without one, and what cannot be a name, are passed over.
    private static func names(
        _ bytes: [UInt8], _ zone: (Substring.UTF8View) -> Substring.UTF8View?
    ) -> [String] {
        String(decoding: bytes, as: UTF8.self).utf8.split(separator: 0x0a).compactMap { line in
            zone(line).map { String(Substring($0)) }.flatMap { isName($0) ? $0 : nil }
        }
    }

    /// The zone of a line of zic's source in its short form, `Z NAME …` or `L TARGET NAME`; `nil` for any other.
    private static func zoneOfSource(_ line: Substring.UTF8View) -> Substring.UTF8View? {
        let words = line.split(separator: 0x20, maxSplits: 3)
        switch line.first {
        case UInt8(ascii: "Z") where words.count > 2 && words[0].count == 1: return words[1]
        case UInt8(ascii: "L") where words.count == 3 && words[0].count == 1: return words[2]
        default: return nil
        }
    }

    /// The zone of a line of a table: countries, coordinates, name; `nil` for a comment.
    private static func zoneOfTable(_ line: Substring.UTF8View) -> Substring.UTF8View? {
        let words = line.split(separator: 0x09, maxSplits: 3)
        return line.first == UInt8(ascii: "#") || words.count < 3 ? nil : words[2]
    }
}

/// Why the rules of a time zone cannot be had.
package enum ZoneError: Error, Hashable, Sendable {
    /// A name that no zone can have.
    case invalidName(String)
    /// A zone's file that cannot be read, or is not trusted.
    case unreadable(TrustError)
    /// A link that leads out of the folder of zones; its path as people are shown it.
    case outside(path: String)
    /// A file that is no TZif file, or a damaged one.
    case damaged(path: String, problem: ZoneFileError)

    /// Whether the zone simply does not exist.
    package var isMissing: Bool {
        if case .unreadable(let error) = self { error.isMissing } else { false }
    }
}

extension ZoneError: CustomStringConvertible {
    /// The failure as a sentence without its full stop.
    package var description: String {
        switch self {
        case .invalidName(let name): "\(Printable.escape(name)) is no name of a time zone"
        case .unreadable(let error): error.description
        case .outside(let path): "\(Printable.escape(path)) leads out of the folder of time zones"
        case .damaged(let path, let problem): "\(Printable.escape(path)) is damaged: \(problem)"
        }
    }
}
