package import MDPlatform
import MDPropertyList

/// What a centre knows of itself: `centre.json` in its folder, which `fleet init` makes.
package struct CentreConfiguration: Hashable, Sendable {
    /// The path at the centre.
    package static let path = "\(CentreFolder.path)/centre.json"
    /// The most bytes.
    package static let limit = 65_536

    /// The name of the fleet.
    package var fleet: String
    /// The address of the web server, as hosts use it; `nil` for a centre that is only a folder.
    package var address: CentreAddress?
    /// Where a snapshot that was published wakes the hosts that wait: an address of this machine's own.
    package var wake: String?
    /// The root key of the fleet: a line of a public key as ssh-keygen(1) writes it.
    package var rootKey: String

    package init(fleet: String, address: CentreAddress?, wake: String?, rootKey: String) {
        (self.fleet, self.address, self.wake, self.rootKey) = (fleet, address, wake, rootKey)
    }

    /// Whether a text can be the name of a fleet, which certificates, snapshots and pages have.
    package static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 40 else { return false }
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte)
        }
        return isAlphanumeric(first)
            && text.utf8.allSatisfy { isAlphanumeric($0) || [0x20, 0x2d, 0x2e, 0x5f].contains($0) }
    }

    /// Parses the file.
    package init(_ bytes: [UInt8]) throws(FleetFault) {
        let document = try FleetDocument(bytes, limit: CentreConfiguration.limit)
        let fleet = try document.required("Fleet", try document.text("Fleet"))
        guard CentreConfiguration.isName(fleet) else { throw document.fault("Fleet", "this is no name of a fleet") }
        let word = try document.text("Address", limit: 4_096)
        let address = word.flatMap { CentreAddress($0) }
        if word != nil, address == nil { throw document.fault("Address", CentreAddress.rule) }
        self.init(
            fleet: fleet, address: address, wake: try document.text("Wake", limit: 4_096),
            rootKey: try document.required("RootKey", try document.text("RootKey", limit: 16_384)))
    }

    /// Reads the file of a centre; `nil` if there is none.
    package static func read(_ root: Root) throws(FleetFault) -> CentreConfiguration? {
        try FleetDocument.readTrusted(root, path, limit: limit) { bytes throws(FleetFault) in
            try CentreConfiguration(bytes)
        }
    }

    /// The content of the file.
    package var bytes: [UInt8] {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("Fleet", fleet)
        json.field("Address", address?.text)
        json.field("Wake", wake)
        json.field("RootKey", rootKey)
        json.endObject()
        return json.utf8 + [0x0a]
    }
}

/// The address of a centre's web server: `https://`, a name or an address, and a port if it is not 443.
package struct CentreAddress: Hashable, Sendable {
    /// Why a text is none.
    package static let rule = "this is no address like https://fleet.school.example:8443, without a path"

    /// The name, or the address; one of IPv6 without its brackets.
    package let host: String
    /// The port.
    package let port: Int
    /// Whether the host is an address.
    package let isNumeric: Bool

    /// Parses an address; `nil` for any other.
    package init?(_ text: String) {
        guard text.hasPrefix("https://") else { return nil }
        var rest = text.dropFirst(8)
        if rest.hasSuffix("/") { rest.removeLast() }
        let name: Substring
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            name = rest[rest.index(after: rest.startIndex)..<end]
            rest = rest[rest.index(after: end)...]
            guard name.utf8.allSatisfy({ CentreAddress.isHexadecimal($0) || $0 == 0x3a || $0 == 0x2e }) else {
                return nil
            }
            isNumeric = true
        } else {
            name = rest.prefix { $0 != ":" }
            rest = rest[name.endIndex...]
            guard let host = FleetHost(name) else { return nil }
            isNumeric = host.name.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2e }
        }
        guard !name.isEmpty else { return nil }
        if rest.isEmpty {
            port = 443
        } else {
            guard rest.hasPrefix(":"), let number = RecordBatch.number(rest.dropFirst().utf8),
                (1...65_535).contains(number)
            else { return nil }
            port = number
        }
        host = String(name)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }

    /// The address as hosts use it.
    package var text: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == 443 ? "https://\(name)" : "https://\(name):\(port)"
    }
}
