import MDAuditClient
import MDAuditRecord
import MDPlatform

/// The fields that all plain attempts of a connection share: what the kernel says of the process, as bytes of the line.
final class CommonFields {
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
        bytes = record.encoded(from: .kind, to: .unit).dropFirst() + [UInt8(ascii: ",")]
    }

    /// Whether the fields are those of a client that says this of its program, on a host of this name.
    func isValid(claim: ArraySlice<UInt8>?, host: String) -> Bool {
        guard self.host == host else { return false }
        guard let claim, let known = self.claim else { return claim == nil && self.claim == nil }
        return known.elementsEqual(claim)
    }
}

/// The fields of the moment in which records are stored, as bytes of the line.
///
/// Many records are stored within a second, so what is the same for all of them is written once.
struct MomentFields {
    /// The fields time, boot and mono, with the comma after them.
    private(set) var bytes: [UInt8] = []
    /// The second that the fields were written for; `nil` before the first one.
    private var second: Int64?
    /// The number of bytes up to the value of `mono`.
    private var prefix = 0

    /// The place of the decimals of the second, and their number.
    private static let decimals = (start: head.count + "2000-01-01T00:00:00.".utf8.count, count: 6)
    /// The bytes before the time.
    private static let head = RecordMember.time.bytes.dropFirst() + [UInt8(ascii: "\"")]

    /// Makes the fields of a moment.
    mutating func move(to time: Timestamp, monotonic: Int64, on machine: MachineStamp) {
        let (second, fraction) = time.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        if second == self.second, fraction >= 0 {
            var rest = fraction
            for place in (0..<MomentFields.decimals.count).reversed() {
                bytes[MomentFields.decimals.start + place] = 0x30 + UInt8(rest % 10)
                rest /= 10
            }
            bytes.removeSubrange(prefix...)
        } else {
            self.second = second
            bytes.removeAll(keepingCapacity: true)
            bytes += MomentFields.head
            bytes += time.rfc3339.utf8
            bytes += machine.bootField
            prefix = bytes.count
        }
        bytes += String(monotonic).utf8
        bytes.append(UInt8(ascii: ","))
    }
}
