import Platform

/// What the kernel says of a file that changes whenever its content, owner or mode does.
struct Fingerprint: Hashable, Sendable {
    /// Device, inode, owner, mode, size, and the times of modification and change in nanoseconds.
    let fields: [Int64]

    /// How much older than the table a file's ctime must be for the table to have seen its last change, in nanoseconds.
    ///
    /// The kernel stamps files with a clock that ticks every 4 to 10 ms: two changes within one tick have one stamp.
    static let settlingTime: Int64 = 20_000_000

    /// Takes what the kernel said.
    init(_ status: FileStatus) {
        fields = [
            Int64(bitPattern: status.device), Int64(bitPattern: status.inode), Int64(status.owner), Int64(status.mode),
            Int64(status.size), status.modified, status.changed,
        ]
    }

    /// Reads what ``description`` wrote.
    init?(_ text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
        guard parts.count == 7, numbers.count == 7 else { return nil }
        fields = numbers
    }

    /// Whether a table that was written at some time, in nanoseconds, has seen this state settled.
    func isSettled(at time: Int64) -> Bool {
        guard let changed = fields.last else { return false }
        let (limit, overflow) = time.subtractingReportingOverflow(Fingerprint.settlingTime)
        return !overflow && changed <= limit
    }
}

extension Fingerprint: CustomStringConvertible {
    /// The fields in decimal digits, with commas between them.
    var description: String { fields.map(String.init).joined(separator: ",") }
}
