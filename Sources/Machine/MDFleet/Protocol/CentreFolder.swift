package import MDPlatform

/// The paths of a fleet's centre, beneath its root.
///
/// Hosts read `pub` and `ack`, and write `in`; everything else is the collector's.
package enum CentreFolder {
    /// The folder of everything.
    package static let path = "/var/lib/managed-defaults-fleet"
    /// What is published to all hosts: `snapshot`, `root` and `files/SHA256`.
    package static let published = "\(path)/pub"
    /// What hosts sent, until the collector took it; a flat folder.
    package static let spool = "\(path)/in"
    /// What the collector has of each host's log: a file a host.
    package static let acknowledgements = "\(path)/ack"
    /// What the collector keeps: a folder a host.
    package static let hosts = "\(path)/hosts"
    /// One alarm a line, the oldest first.
    package static let alarms = "\(path)/alarms.jsonl"
    /// The heads of all logs, a file a day, and the centre's own log, which has their digests.
    package static let heads = "\(path)/heads"
    /// The pages for people.
    package static let pages = "\(path)/pages"

    /// The root whose audit log is the centre's own, which the collector's user writes.
    package static func own(_ root: Root) throws(SystemError) -> Root { try Root(directory: root.display(heads)) }

    /// The snapshot of the fleet's policy.
    package static let snapshot = "\(published)/snapshot"
    /// Epoch and signers of snapshots.
    package static let root = "\(published)/root"
    /// Policy files by their digests.
    package static let files = "\(published)/files"

    /// What the collector has of the log of a host.
    package static func acknowledgement(_ host: FleetHost) -> String { "\(acknowledgements)/\(host)" }
    /// What the collector keeps of a host.
    package static func folder(_ host: FleetHost) -> String { "\(hosts)/\(host)" }
    /// The copy of a host's log, in the form of the host's own folder.
    package static func log(_ host: FleetHost) -> String { "\(folder(host))/log" }
    /// The last status of a host, as it sent it.
    package static func status(_ host: FleetHost) -> String { "\(folder(host))/status" }
    /// The last report of a host, unpacked.
    package static func report(_ host: FleetHost) -> String { "\(folder(host))/report.json" }
    /// What policy asks about a host, as its last report has it.
    package static func facts(_ host: FleetHost) -> String { "\(folder(host))/facts" }
    /// The room of a host, as it was enrolled.
    package static func room(_ host: FleetHost) -> String { "\(folder(host))/room" }
    /// The public key of a host's checkpoints, in PEM.
    package static func publicKey(_ host: FleetHost) -> String { "\(folder(host))/public-key" }
    /// There if the host was enrolled as one that forgets everything at each boot.
    package static func resets(_ host: FleetHost) -> String { "\(folder(host))/resets-at-boot" }
    /// What the collector knows of a host.
    package static func head(_ host: FleetHost) -> String { "\(folder(host))/head" }
    /// What is kept of a host that contradicts itself.
    package static func disputed(_ host: FleetHost) -> String { "\(folder(host))/disputed" }
}

/// The name of a file that a host sends: nginx lets it write these three and no others.
package struct SpoolName: Hashable, Sendable, CustomStringConvertible {
    /// What a file is.
    package enum Kind: String, CaseIterable, Sendable {
        /// Lines of the log, packed.
        case batch = "batch.gz"
        /// The sign of life.
        case status = "status"
        /// The report of the machine, packed.
        case report = "report.json.gz"

        /// The most bytes of such a file.
        package var limit: Int {
            switch self {
            case .batch: 1 << 20
            case .status: 1_024
            case .report: 4 << 20
            }
        }

        /// The most bytes of its content.
        package var unpackedLimit: Int {
            switch self {
            case .batch: 16 << 20
            case .status: 1_024
            case .report: 64 << 20
            }
        }
    }

    /// The host that sent it.
    package let host: FleetHost
    /// What it is.
    package let kind: Kind

    package init(_ host: FleetHost, _ kind: Kind) { (self.host, self.kind) = (host, kind) }

    /// Parses a name; `nil` for any other.
    package init?(_ name: String) {
        let parts = name.split(separator: "~", omittingEmptySubsequences: false)
        guard parts.count == 2, let host = FleetHost(parts[0]), let kind = Kind(rawValue: String(parts[1])) else {
            return nil
        }
        self.init(host, kind)
    }

    package var description: String { "\(host)~\(kind.rawValue)" }
    /// The file's path at the centre.
    package var path: String { "\(CentreFolder.spool)/\(self)" }
}
