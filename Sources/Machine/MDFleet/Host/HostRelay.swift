import MDAuditLog
import MDPlatform

/// The network part of a host: fetches the centre's files into the exchange folder, and sends what root's part left there.
///
/// It runs as a user of its own, reads nothing else of the machine, and believes nothing of what it carries: root's part
/// checks it. A class, because it keeps in memory what the centre called the files that it fetched.
package final class HostRelay {
    /// How often root's part is asked again because it wanted more files.
    private static let mostRounds = 4
    /// The most files that are fetched in a turn.
    private static let mostWanted = 1_024
    /// The most bytes of a file of the centre.
    private static let mostBytes = 64 << 20

    private let root: Root
    private let host: FleetHost
    private let centre: any CentreTransport
    /// The tags of files that were the same when they were fetched twice: a tag has the second of a change, in which there may
    /// be another one.
    private var tags: [String: String] = [:]

    /// Prepares a relay; nothing is fetched yet.
    ///
    /// - Parameters:
    ///   - folder: the exchange folder, which belongs to this process's user.
    ///   - host: the host's name in its fleet.
    ///   - centre: the way to the centre.
    /// - Throws: if the folder cannot be opened.
    package init(_ folder: String, of host: FleetHost, to centre: any CentreTransport) throws(FleetFault) {
        (self.host, self.centre) = (host, centre)
        root = try HostRelay.faulting { () throws(SystemError) in try Root(directory: folder) }
    }

    /// Fetches, lets root's part work, and sends.
    ///
    /// - Parameter rootPart: runs root's part to its end.
    /// - Throws: if the centre does not answer, which root's part was told too, or the folder cannot be used.
    package func turn(_ rootPart: () throws(FleetFault) -> Void) throws(FleetFault) {
        try HostRelay.faulting { () throws(SystemError) in
            for folder in ["/in", "/ack", "/pub/files", ExchangeTransport.wanted, ExchangeTransport.absent] {
                try root.createDirectory(folder, mode: 0o700)
            }
        }
        do throws(FleetFault) {
            try fetch("ack/\(host)")
            try fetchWanted()
            try keep(nil, at: ExchangeTransport.problem)
        } catch {
            try keep(Array("\(error)".utf8.prefix(ExchangeTransport.limit)), at: ExchangeTransport.problem)
            try rootPart()
            throw error
        }
        try rootPart()
        for _ in 0..<HostRelay.mostRounds {
            // What came only now was asked for just now.
            guard try fetchWanted(onlyNew: true) else { break }
            try rootPart()
        }
        try send()
    }

    /// Fetches what root's part asked for: files that have their digest as name once, others in each turn.
    ///
    /// - Parameter onlyNew: whether to leave alone what is there already.
    /// - Returns: whether a file came that was not there.
    /// - Throws: if the centre does not answer, or the folder cannot be used.
    @discardableResult
    private func fetchWanted(onlyNew: Bool = false) throws(FleetFault) -> Bool {
        let names = try HostRelay.faulting { () throws(SystemError) in try root.names(in: ExchangeTransport.wanted) }
        var isNew = false
        for name in names.prefix(HostRelay.mostWanted) {
            let file = "\(ExchangeTransport.wanted)/\(name)"
            let bytes = try HostRelay.faulting { () throws(SystemError) in
                try root.read(file, limit: ExchangeTransport.limit).bytes
            }
            let path = String(decoding: bytes, as: UTF8.self)
            let isContent = path.utf8.starts(with: "pub/files/".utf8)
            let isThere = root.mayExist("/" + path)
            if ExchangeTransport.isPublic(path), !isThere || !(onlyNew || isContent) {
                let isFetched = try fetch(path)
                isNew = isNew || (isFetched && !isThere)
                try keep(isFetched ? nil : [], at: "\(ExchangeTransport.absent)/\(ExchangeTransport.mark(path))")
            }
            // Asked for once; what the centre does not have is asked for again if it is still wanted.
            if isContent || !ExchangeTransport.isPublic(path) { try keep(nil, at: file) }
        }
        return isNew
    }

    /// Fetches a file; returns whether the centre has it.
    @discardableResult
    private func fetch(_ path: String) throws(FleetFault) -> Bool {
        let tag = root.mayExist("/" + path) ? tags[path] : nil
        switch try centre.fetch(path, limit: HostRelay.mostBytes, unless: tag) {
        case .unchanged: return true
        case .missing:
            tags[path] = nil
            try keep(nil, at: "/" + path)
            return false
        case .content(let bytes, let tag):
            let isChanged = try keep(bytes, at: "/" + path)
            tags[path] = isChanged ? nil : tag
            return true
        }
    }

    /// Replaces a file by other content, or removes it; one that is the same stays.
    ///
    /// - Returns: whether it was another one.
    @discardableResult
    private func keep(_ bytes: [UInt8]?, at path: String) throws(FleetFault) -> Bool {
        try HostRelay.faulting { () throws(SystemError) in
            let known = try LogFiles.ifPresent { () throws(SystemError) in
                try root.read(path, limit: HostRelay.mostBytes).bytes
            }
            if known == bytes { return false }
            if let bytes {
                try root.replace(path, with: bytes, mode: 0o600, durable: false)
            } else {
                try root.remove(path)
            }
            return true
        }
    }

    /// Sends what root's part left, and removes it.
    private func send() throws(FleetFault) {
        for kind in SpoolName.Kind.allCases {
            let name = SpoolName(host, kind)
            let bytes = try HostRelay.faulting { () throws(SystemError) in
                try LogFiles.ifPresent { () throws(SystemError) in
                    try root.read("/in/\(name)", limit: kind.limit).bytes
                }
            }
            guard let bytes else { continue }
            try centre.put(bytes, as: name)
            try keep(nil, at: "/in/\(name)")
        }
    }

    private static func faulting<Result>(_ work: () throws(SystemError) -> Result) throws(FleetFault) -> Result {
        do {
            return try work()
        } catch {
            throw FleetFault("\(error)")
        }
    }
}
