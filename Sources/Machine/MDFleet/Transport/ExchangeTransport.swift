import MDPlatform

/// The centre as the network part of a host hands it over: a folder with copies of the centre's files, and with a spool that
/// the network part empties.
///
/// A file that is asked for and is not there is named in `wanted`, and fetched before the next turn.
package struct ExchangeTransport: CentreTransport {
    /// The folder of names that were asked for: each a file whose content is the path.
    static let wanted = "/wanted"
    /// The folder of those of them that the centre does not have: empty files.
    static let absent = "/absent"
    /// The file that says why the centre does not answer; absent if it does.
    static let problem = "/problem"
    /// The most bytes of these.
    static let limit = 4_096

    package let name: String
    private let folder: FolderTransport
    private let root: Root

    /// Opens the folder.
    ///
    /// - Parameters:
    ///   - path: the folder, which belongs to the user of the network part.
    ///   - centre: the centre, as people know it.
    /// - Throws: if the folder cannot be opened.
    package init(_ path: String, for centre: String) throws(FleetFault) {
        (name, folder) = (centre, try FolderTransport(path))
        do throws(SystemError) {
            root = try Root(directory: path)
        } catch {
            throw FleetFault("\(error)")
        }
    }

    package func read(_ path: String, limit: Int) throws(FleetFault) -> [UInt8]? {
        let problem = try folder.read(String(ExchangeTransport.problem.dropFirst()), limit: ExchangeTransport.limit)
        if let problem { throw FleetFault(String(decoding: problem, as: UTF8.self)) }
        if let bytes = try folder.read(path, limit: limit) { return bytes }
        do throws(SystemError) {
            try CurrentThread.usingFiles(as: root.owner) { () throws(SystemError) in
                let file = "\(ExchangeTransport.wanted)/\(ExchangeTransport.mark(path))"
                if !root.mayExist(file) { try root.replace(file, with: Array(path.utf8), mode: 0o640, durable: false) }
            }
        } catch {
            throw FleetFault("\(error)")
        }
        return nil
    }

    package func put(_ bytes: [UInt8], as name: SpoolName) throws(FleetFault) { try folder.put(bytes, as: name) }

    /// Whether it waits here; whether it waits at the centre is unknown here.
    package func isWaiting(_ name: SpoolName) throws(FleetFault) -> Bool? {
        try folder.isWaiting(name) == true ? true : nil
    }

    package func awaitNews(seconds: Int) -> Bool { false }

    /// Whether a path is one of the centre's public files.
    static func isPublic(_ path: String) -> Bool {
        let words = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return (2...3).contains(words.count) && words[0].elementsEqual("pub".utf8)
            && words.allSatisfy { word in
                !word.isEmpty && word.first != UInt8(ascii: ".")
                    && word.allSatisfy {
                        (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) || $0 == 0x2d || $0 == 0x2e
                    }
            }
    }

    /// The name of what is said of a path.
    static func mark(_ path: String) -> String { SHA256.hash(Array(path.utf8)).hex }

    package var isFetching: Bool {
        let isFetching = try? CurrentThread.usingFiles(as: root.owner) { () throws(SystemError) in
            if root.mayExist(ExchangeTransport.problem) { return false }
            for name in try root.names(in: ExchangeTransport.wanted) {
                let bytes = try root.read("\(ExchangeTransport.wanted)/\(name)", limit: ExchangeTransport.limit).bytes
                let path = String(decoding: bytes, as: UTF8.self)
                guard ExchangeTransport.isPublic(path), !root.mayExist("/\(path)") else { continue }
                if !root.mayExist("\(ExchangeTransport.absent)/\(name)") { return true }
            }
            return false
        }
        return isFetching ?? false
    }
}
