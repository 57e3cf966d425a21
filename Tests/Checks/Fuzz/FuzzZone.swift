@testable import MDPlatform

/// Feeds the reader of time zones, and asks what was read about the ends of time and the years around now.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let zone: Zone
    do throws(ZoneFileError) {
        zone = try Zone(file: bytes)
    } catch {
        guard error.offset >= 0, error.offset <= bytes.count, !error.reason.isEmpty else {
            fatalError("a mistake has no place or no message")
        }
        return 0
    }
    let ends: [Int64] = [.min / 1_000_000, .max / 1_000_000]
    for second in ends + [-4_000_000_000, -1, 0, 1_800_000_000, 4_000_000_000] {
        var time = Timestamp(microseconds: second * 1_000_000)
        for _ in 0..<4 {
            let local = zone.local(at: time)
            guard (0..<86_400).contains(local.secondOfDay), (0..<7).contains(local.weekday), !local.date.isEmpty else {
                fatalError("a wall clock shows nonsense")
            }
            guard let next = zone.nextTransition(after: time) else { break }
            guard next > time, zone.local(at: next).offset != local.offset else { fatalError("a jump is none") }
            let before = Timestamp(microseconds: next.microseconds - 1)
            guard zone.local(at: before).offset == local.offset else { fatalError("a jump was passed over") }
            time = next
        }
    }
    return 0
}
