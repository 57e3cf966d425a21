import MDEngine
import MDFleet
import MDPlatform
import MDPropertyList

/// The facts of many hosts: a folder of files that `policy facts` wrote, one for each, or what the hosts of a fleet sent.
struct HostFactsFolder {
    /// The facts in byte order of the files' names.
    private(set) var facts: [HostFacts] = []
    /// The files that do not read, each with the place of what is wrong.
    private(set) var broken: [(file: String, error: String)] = []

    /// The hosts of a fleet without known facts, and why.
    private(set) var unknown: [(host: String, reason: String)] = []

    /// Reads what the hosts of a fleet sent to their centre.
    ///
    /// - Throws: exit 4 if the machine is no centre.
    init(ofCentre root: Root) throws(Failure) {
        for host in try HostClaim.hosts(ofCentre: root) {
            switch HostClaim(host, of: root).facts {
            case .known(let own): facts.append(own)
            case .unknown(let reason): unknown.append((host.name, reason))
            }
        }
    }

    /// The most hosts of one question.
    private static let bound = 10_000

    /// Reads a folder; names that begin with a dot, and folders in it, are left out.
    ///
    /// A file that does not read is one finding, and the others count.
    ///
    /// - Throws: exit 4 if the folder cannot be read, exit 5 if it has no file, or more than are taken.
    init(_ word: String) throws(Failure) {
        let (folder, names): (String, [String])
        do throws(SystemError) {
            folder = try CallerPath.absolute(word)
            names = try Root.system.names(in: folder).map { Key($0) }.sorted().map(\.string)
        } catch {
            throw .of(error)
        }
        for name in names where name.utf8.first != UInt8(ascii: ".") {
            let path = "\(folder)/\(name)"
            if let kind = try? Root.system.status(path, followingLinks: true).kind, kind != .regular { continue }
            guard facts.count < HostFactsFolder.bound else {
                throw Failure(
                    code: .badInput,
                    message: "\(Printable.escape(word)) has facts of more than \(HostFactsFolder.bound) hosts.")
            }
            do {
                let bytes = try Root.system.read(path, limit: HostFacts.sizeLimit).bytes
                facts.append(try HostFacts(reading: bytes))
            } catch let error as HostFactsError {
                broken.append(("\(word)/\(name)", "\(error.position): \(error.message)"))
            } catch let error as SystemError {
                broken.append(("\(word)/\(name)", error.text))
            } catch {
                broken.append(("\(word)/\(name)", "\(error)"))
            }
        }
        guard facts.isEmpty, broken.isEmpty else { return }
        throw Failure(
            code: .badInput,
            message: "There are no facts in \(Printable.escape(word)); mdefaults policy facts writes them on each host."
        )
    }
}

extension HostClaim {
    /// The hosts of a centre, in natural order.
    static func hosts(ofCentre root: Root) throws(Failure) -> [FleetHost] {
        do throws(FleetFault) {
            return try hosts(of: root)
        } catch {
            throw .of(error)
        }
    }
}
