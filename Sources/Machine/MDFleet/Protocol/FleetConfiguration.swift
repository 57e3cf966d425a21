package import MDPlatform
import MDPropertyList

/// What a host knows of its fleet: `/etc/managed-defaults/fleet.json`, which `fleet enroll` makes, one a host.
package struct FleetConfiguration: Hashable, Sendable {
    /// Where the centre is.
    package enum Centre: Hashable, Sendable {
        /// A folder in the file system of the caller: a mounted one, or the demo's. It has `pub`, `in` and `ack`.
        case folder(String)
        /// The address of the centre's web server, without a slash at its end; `https` only.
        case address(String)

        /// The centre, as people know it.
        package var name: String {
            switch self {
            case .folder(let path): path
            case .address(let address): address
            }
        }
    }

    /// The path on a host.
    package static let path = "/etc/managed-defaults/fleet.json"
    /// The most bytes.
    package static let limit = 65_536

    /// The name of the fleet.
    package var fleet: String
    /// The name of this host.
    package var host: FleetHost
    /// Where the centre is.
    package var centre: Centre
    /// The machine that was enrolled (``FleetMachine/text``); `nil` until it is bound.
    package var machine: String?
    /// The files of the host's certificate, of its key, and of the authority that signed the centre's, all in PEM, for a
    /// centre with an address; `nil` for those in `/etc/managed-defaults/fleet`.
    package var certificate: String?
    package var key: String?
    package var authority: String?
    /// The root key of the fleet: a line of a public key as ssh-keygen(1) writes it.
    package var rootKey: String?
    /// The least epoch and number of a snapshot that is taken.
    package var leastEpoch = 0
    package var leastSerial = 0
    /// Whether the machine begins a new log at each boot, which is no alarm.
    package var resetsAtBoot = false

    package init(fleet: String, host: FleetHost, centre: Centre) {
        (self.fleet, self.host, self.centre) = (fleet, host, centre)
    }

    /// Parses the file.
    package init(_ bytes: [UInt8]) throws(FleetFault) {
        let document = try FleetDocument(bytes, limit: FleetConfiguration.limit)
        let name = try document.required("Host", try document.text("Host"))
        guard let host = FleetHost(name) else {
            throw document.fault("Host", "this is no name of a host: a-z, 0-9, hyphen and dot, at most 64")
        }
        let word = try document.required("Centre", try document.text("Centre", limit: 4_096))
        let centre: Centre
        if word.hasPrefix("https://"), word.utf8.count > 8, word.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) {
            centre = .address(word.hasSuffix("/") ? String(word.dropLast()) : word)
        } else if word.hasPrefix("/") {
            centre = .folder(word)
        } else {
            throw document.fault(
                "Centre", "this is neither an address that begins with https:// nor the path of a folder")
        }
        self.init(fleet: try document.required("Fleet", try document.text("Fleet")), host: host, centre: centre)
        machine = try document.text("Machine", limit: 64)
        if let machine, FleetMachine(machine) == nil { throw document.fault("Machine", "this is no machine") }
        certificate = try document.path("Certificate")
        key = try document.path("Key")
        authority = try document.path("Authority")
        rootKey = try document.text("RootKey", limit: 16_384)
        leastEpoch = try document.count("LeastEpoch") ?? 0
        leastSerial = try document.count("LeastSerial") ?? 0
        resetsAtBoot = try document.truth("ResetsAtBoot") ?? false
    }

    /// Reads the file of a machine; `nil` if it belongs to no fleet.
    package static func read(_ root: Root) throws(FleetFault) -> FleetConfiguration? {
        try FleetDocument.readTrusted(root, path, limit: limit) { bytes throws(FleetFault) in
            try FleetConfiguration(bytes)
        }
    }

    /// The content of the file.
    package var bytes: [UInt8] {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("Fleet", fleet)
        json.field("Host", host.name)
        switch centre {
        case .folder(let path): json.field("Centre", path)
        case .address(let address): json.field("Centre", address)
        }
        json.field("Machine", machine)
        json.field("Certificate", certificate)
        json.field("Key", key)
        json.field("Authority", authority)
        json.field("RootKey", rootKey)
        if leastEpoch > 0 { json.field("LeastEpoch", leastEpoch) }
        if leastSerial > 0 { json.field("LeastSerial", leastSerial) }
        if resetsAtBoot { json.field("ResetsAtBoot", true) }
        json.endObject()
        return json.utf8 + [0x0a]
    }
}
