import MDAuditClient
import MDPlatform

/// The fields that all plain attempts of a connection share: what the kernel says of the process, as bytes of the line.
struct CommonFields {
    /// The fields from the kind up to the unit, with the comma after them.
    let bytes: [UInt8]
    /// The beginning of what makes two attempts equal.
    let identity: AttemptIdentity.Fields
    /// The path of the program as the client says it.
    private let claim: [UInt8]?
    /// The name of the host.
    private let host: String

    /// Makes the fields of a connection.
    init(of stamp: RecordStamp, sender: Int, claim: ArraySlice<UInt8>?, machine: MachineStamp) {
        (self.claim, host) = (claim.map { Array($0) }, machine.host)
        var record = AuditRecord(kind: .override, src: .client)
        record.exe = claim.map { String(decoding: $0, as: UTF8.self) }
        stamp.apply(to: &record, machine: machine, time: Timestamp(microseconds: 0), monotonic: 0)
        identity = AttemptIdentity.Fields(beginOf: record, of: sender)
        (record.time, record.mono, record.boot) = (nil, nil, nil)
        let head = AuditRecord(kind: .override).encoded().prefix { $0 != UInt8(ascii: ",") }.count + 1
        bytes = Array(record.encoded().dropFirst(head).dropLast()) + [UInt8(ascii: ",")]
    }

    /// Whether the fields are those of a client that says this of its program, on a host of this name.
    func isValid(claim: ArraySlice<UInt8>?, host: String) -> Bool {
        guard self.host == host else { return false }
        guard let claim, let known = self.claim else { return claim == nil && self.claim == nil }
        return known.elementsEqual(claim)
    }
}

/// The fields of the moment in which records are stored, as bytes of the line.
struct MomentFields {
    /// The fields time, boot and mono, with the comma after them.
    let bytes: [UInt8]

    /// Makes the fields.
    init(machine: MachineStamp, time: Timestamp, monotonic: Int64) {
        var bytes = Array(#""time":""#.utf8)
        bytes.reserveCapacity(160)
        bytes += time.rfc3339.utf8
        bytes += machine.bootField
        bytes += String(monotonic).utf8
        bytes.append(UInt8(ascii: ","))
        self.bytes = bytes
    }
}
