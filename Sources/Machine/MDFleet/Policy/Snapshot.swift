package import MDPlatform
import MDPolicyModel
package import MDPropertyList

/// The number of a snapshot: the epoch of its signers, and the number within it.
package struct SnapshotNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let epoch: Int
    package let serial: Int

    package init(epoch: Int, serial: Int) { (self.epoch, self.serial) = (epoch, serial) }

    package static func < (left: SnapshotNumber, right: SnapshotNumber) -> Bool {
        (left.epoch, left.serial) < (right.epoch, right.serial)
    }

    /// Parses `EPOCH.SERIAL`; `nil` for anything else.
    package init?(_ text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, let epoch = RecordBatch.number(parts[0]), let serial = RecordBatch.number(parts[1])
        else { return nil }
        self.init(epoch: epoch, serial: serial)
    }

    package var description: String { "\(epoch).\(serial)" }
}

/// The policy of a fleet under one number: `pub/snapshot`, signed by a signer of `pub/root`.
package struct Snapshot: Hashable, Sendable {
    /// A teacher's key, and the exams that it may start.
    package struct Delegate: Hashable, Sendable {
        package let key: SigningKey
        package let who: String
        package let sets: [String]
        package let rooms: [String]
        package let maximumHours: Int

        package init(_ key: SigningKey, who: String, sets: [String], rooms: [String], maximumHours: Int) {
            (self.key, self.who) = (key, who)
            (self.sets, self.rooms, self.maximumHours) = (sets, rooms, maximumHours)
        }
    }

    /// The fleet.
    package let fleet: String
    /// The number.
    package let number: SnapshotNumber
    /// When it was signed, by the publisher's clock.
    package let issued: Timestamp
    /// When it becomes stale; it stays in force.
    package let expires: Timestamp
    /// Why, for people; `nil` if nothing was said.
    package var reason: String?
    /// The policy files and their signatures, by name.
    package let files: [Key: Digest]
    /// The files of exam sets, by the name of the set.
    package var sets: [Key: [Key: Digest]] = [:]
    /// The teachers' keys.
    package var delegates: [Delegate] = []

    package init(
        fleet: String, _ number: SnapshotNumber, issued: Timestamp, expires: Timestamp, files: [Key: Digest]
    ) {
        (self.fleet, self.number, self.issued, self.expires, self.files) = (fleet, number, issued, expires, files)
    }

    /// The most bytes of the document.
    package static let limit = 1 << 20
    /// The most files of a snapshot, of a set, the most sets, and the most delegates.
    private static let files = 2_000
    private static let sets = 100
    private static let delegates = 1_000

    /// Whether it has expired.
    package func isStale(at time: Timestamp) -> Bool { expires <= time }

    /// Why a name cannot be that of a file of policies.d, as a clause; `nil` if it can.
    package static func objection(to name: String) -> String? {
        if name.utf8.contains(UInt8(ascii: "/")) { return "is no plain name" }
        return PolicyFileName.reasonToIgnore(PolicyFileName.signed(name) ?? name)
    }

    /// Parses a document.
    ///
    /// - Throws: the first thing that is wrong, with its place.
    package init(_ bytes: [UInt8]) throws(FleetFault) {
        let document = try FleetDocument(bytes, limit: Snapshot.limit)
        let epoch = try document.required("Epoch", try document.count("Epoch"))
        let serial = try document.required("Serial", try document.count("Serial"))
        guard epoch > 0, serial > 0 else {
            throw document.fault(epoch > 0 ? "Serial" : "Epoch", "numbers are counted from 1")
        }
        let files = try document.required("Files", try document.dictionary("Files", atMost: Snapshot.files))
        self.init(
            fleet: try document.required("Fleet", try document.text("Fleet")),
            SnapshotNumber(epoch: epoch, serial: serial),
            issued: try document.required("Issued", try document.time("Issued")),
            expires: try document.required("Expires", try document.time("Expires")),
            files: try Snapshot.digests(files))
        reason = try document.text("Reason", limit: 1_024)
        if let sets = try document.dictionary("Sets", atMost: Snapshot.sets) {
            for name in sets.names {
                let inner = try sets.dictionary(name.string, atMost: Snapshot.files)
                self.sets[name] = try Snapshot.digests(try sets.required(name.string, inner))
            }
        }
        for delegate in try document.dictionaries("Delegates", atMost: Snapshot.delegates) ?? [] {
            let hours = try delegate.count("MaximumHours")
            delegates.append(
                Delegate(
                    try delegate.key("Key"), who: try delegate.required("Who", try delegate.text("Who")),
                    sets: try delegate.texts("Sets", atMost: Snapshot.sets) ?? [],
                    rooms: try delegate.texts("Rooms", atMost: Snapshot.sets) ?? [],
                    maximumHours: try delegate.required("MaximumHours", hours)))
        }
    }

    /// The digests of files by their names.
    private static func digests(_ document: FleetDocument) throws(FleetFault) -> [Key: Digest] {
        var digests: [Key: Digest] = [:]
        let names = document.names
        let known = Set(names)
        for name in names {
            if let objection = objection(to: name.string) {
                throw document.fault(name.string, "policies.d takes no such name: it \(objection)")
            }
            let file = PolicyFileName.signed(name.string)
            if let file, !known.contains(Key(file)) {
                throw document.fault(name.string, "this is the signature of a file that is not here")
            }
            digests[name] = try document.required(name.string, try document.digest(name.string))
        }
        return digests
    }

    /// The document, with the newline at its end.
    package var bytes: [UInt8] {
        /// Writes digests by names.
        func write(_ digests: [Key: Digest], to json: inout JSONWriter) {
            json.beginObject()
            for (name, digest) in digests.sorted(by: { $0.key < $1.key }) { json.field(name.string, digest.hex) }
            json.endObject()
        }
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("Fleet", fleet)
        json.field("Epoch", number.epoch)
        json.field("Serial", number.serial)
        json.field("Issued", issued.rfc3339)
        json.field("Expires", expires.rfc3339)
        json.field("Reason", reason)
        json.member("Files")
        write(files, to: &json)
        json.member("Sets")
        json.beginObject()
        for (name, files) in sets.sorted(by: { $0.key < $1.key }) {
            json.member(name.string)
            write(files, to: &json)
        }
        json.endObject()
        json.member("Delegates")
        json.beginArray()
        for delegate in delegates {
            json.beginObject()
            json.field("Key", delegate.key.description)
            json.field("Who", delegate.who)
            json.field("Sets", .array(delegate.sets.map { .string($0) }))
            json.field("Rooms", .array(delegate.rooms.map { .string($0) }))
            json.field("MaximumHours", delegate.maximumHours)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.utf8 + [0x0a]
    }
}
