/// One event of inotify(7).
struct KernelEvent {
    /// The watch that it belongs to; -1 where events were lost.
    let watch: Int32
    /// What happened.
    let mask: UInt32
    /// The name in the watched directory; empty where it happened to the directory itself.
    let name: [UInt8]

    /// Takes apart what read(2) gave: for each event watch, mask, cookie and the length of the name, 4 bytes each in the
    /// machine's order, then the name, filled up with NUL.
    static func events(in bytes: [UInt8]) -> [KernelEvent] {
        var events: [KernelEvent] = []
        var start = 0
        while bytes.count - start >= 16 {
            let length = Int(number(in: bytes, at: start + 12))
            guard length <= bytes.count - start - 16 else { break }
            let name = bytes[(start + 16)..<(start + 16 + length)].prefix { $0 != 0 }
            events.append(
                KernelEvent(
                    watch: Int32(bitPattern: number(in: bytes, at: start)), mask: number(in: bytes, at: start + 4),
                    name: Array(name)))
            start += 16 + length
        }
        return events
    }

    /// A number of 4 bytes in the machine's order.
    private static func number(in bytes: [UInt8], at start: Int) -> UInt32 {
        var number: UInt32 = 0
        for offset in 0..<4 { number |= UInt32(bytes[start + offset]) << UInt32(8 * offset) }
        return UInt32(littleEndian: number)
    }
}
