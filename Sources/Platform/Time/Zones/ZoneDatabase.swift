import Glibc

/// Where the rules of time zones come from: TZif files, never the environment.
///
/// Each file is read once in the life of a database. Safe to use from several threads.
package final class ZoneDatabase: @unchecked Sendable {
    /// The folder of zones.
    static let folder = "/usr/share/zoneinfo"

    /// The root whose `/etc/localtime` is the machine's own zone.
    let root: Root
    /// The name of the machine's own zone, where it is known from elsewhere.
    let localZone: String?
    /// The lock of `results`; not `Guarded`, because every process has a database and few ask for a zone.
    private let lock = Lock()
    /// What came of each name; the machine's own zone stands under an empty one.
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

    /// A zone.
    ///
    /// - Parameter name: its IANA name; `nil` is the machine's own, UTC where it has none.
    /// - Returns: the zone.
    /// - Throws: where there is no such zone, or its file cannot be read, is not trusted or is damaged.
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
        keep(result, slot)
        return try result.get()
    }

    /// What came of a name; `nil` where nobody has asked for it.
    private func result(_ slot: String) -> Result<Zone, ZoneError>? {
        lock.acquire()
        defer { lock.release() }
        return results[slot]
    }

    /// Keeps what came of a name.
    private func keep(_ result: Result<Zone, ZoneError>, _ slot: String) {
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

    /// Whether a byte may stand in a part of a name; points may not, so that no part leads upwards.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"):
            true
        default: false
        }
    }

    /// Whether the root has a folder of zones; those of this machine stand in where a folder that is the root has none.
    var hasZones: Bool { root.isSystem || (try? root.status(ZoneDatabase.folder, followingLinks: true)) != nil }

    /// A zone's file as it was read.
    private struct File {
        /// What it holds.
        let bytes: [UInt8]
        /// Its path as people are shown it.
        let path: String
        /// The name of the zone; `nil` where the file does not tell it.
        let name: String?
    }

    /// What says the machine's own zone.
    private static let machineFile = "/etc/localtime"

    /// Reads the file of a zone; `nil` for the machine's own where it has none.
    private func file(of name: String?) throws(ZoneError) -> File? {
        if let name { return try named(name) }
        return try machineZone()
    }

    /// Reads a zone of the root, or of this machine where the root is a folder without zones.
    private func named(_ name: String) throws(ZoneError) -> File {
        guard ZoneDatabase.isName(name) else { throw .invalidName(name) }
        return try ZoneDatabase.file(of: name, in: hasZones ? root : .system)
    }

    /// Reads the machine's own zone; `nil` where it has none.
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
        // The link is there and its zone is not: a folder without zones of its own has those of this machine.
        if !root.isSystem, let name { return try named(name) }
        throw .unreadable(.system(SystemError(operation: "read", path: root.display(path), code: ENOENT)))
    }

    /// Where a link leads; `nil` where there is none, or a file instead.
    private func linkTarget(_ path: String) throws(TrustError) -> String? {
        do throws(SystemError) {
            return try root.linkTarget(path)
        } catch {
            if error.isMissing || error.code == EINVAL { return nil }
            throw .system(error)
        }
    }

    /// The content of a trusted file; `nil` where it, or what a link leads to, is missing.
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

    /// The path that another one leads to, through nothing but trusted directories and links.
    ///
    /// - Parameters:
    ///   - path: the path.
    ///   - root: beneath which it lies.
    /// - Returns: that path, without links.
    /// - Throws: what is not trusted, and what the kernel says.
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
