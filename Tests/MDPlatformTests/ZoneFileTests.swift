import Testing

@testable import MDPlatform

/// A zone's file is read strictly, and no damage of it ends the process.
struct ZoneFileTests {
    /// A whole file with transitions, types, a leap second, flags and a rule.
    static let whole: [UInt8] = {
        let header = Array("TZif3".utf8) + [UInt8](repeating: 0, count: 15)
        /// A count of four bytes.
        func count(_ number: UInt8) -> [UInt8] { [0, 0, 0, number] }
        let counts = count(2) + count(2) + count(1) + count(2) + count(2) + count(8)
        /// A block whose times have so many bytes.
        func block(_ length: Int) -> [UInt8] {
            /// A time.
            func time(_ number: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: length - 2) + [number, 0] }
            let types: [UInt8] = [0, 0, 14, 16, 0, 0, 0, 0, 28, 32, 1, 4]
            return time(10) + time(20) + [1, 0] + types + Array("CET\0CES\0".utf8) + time(15) + count(1) + [0, 0, 0, 0]
        }
        return header + counts + block(4) + header + counts + block(8) + Array("\nCET-1CEST,M3.5.0,M10.5.0/3\n".utf8)
    }()

    @Test func `a whole file is read, leap seconds taken out`() throws {
        let zone = try Zone(file: ZoneFileTests.whole)
        #expect(zone.transitions == [10 * 256, 20 * 256 - 1])
        #expect(zone.types.map(\.offset) == [3_600, 7_200])
        #expect(zone.types.map(\.abbreviation) == ["CET", "CES"])
        #expect(zone.rule != nil)
        #expect(zone.local(at: Timestamp(microseconds: 0)).offset == 3_600)
        #expect(zone.local(at: Timestamp(microseconds: 2_560 * 1_000_000)).offset == 7_200)
        #expect(zone.local(at: Timestamp(microseconds: 2_560 * 1_000_000 - 1)).offset == 3_600)
    }

    @Test func `a file of version 1 ends with its block`() throws {
        var bytes = Array(ZoneFileTests.whole[..<(44 + 52 - 2)])
        bytes[4] = 0
        let second = try #require(
            (45...bytes.count).first { bytes[$0...].starts(with: Array("TZif".utf8)) || $0 == 92 })
        let zone = try Zone(file: Array(bytes[..<second]))
        #expect(zone.rule == nil && zone.transitions.count == 2)
        #expect(throws: ZoneFileError.self) { try Zone(file: bytes[..<second] + [0]) }
    }

    @Test func `no file that ends early is read`() {
        for length in 0..<ZoneFileTests.whole.count {
            #expect(throws: ZoneFileError.self) { try Zone(file: Array(ZoneFileTests.whole[..<length])) }
        }
    }

    @Test func `every change of every byte is read or refused, and what is read answers`() {
        for index in ZoneFileTests.whole.indices {
            for value in [0, 1, 2, 0x0a, 0x30, 0x7f, 0x80, 0xff] as [UInt8] {
                var bytes = ZoneFileTests.whole
                bytes[index] = value
                guard let zone = try? Zone(file: bytes) else { continue }
                for second in [Int64.min / 1_000_000, -1, 0, 5_000, 1_800_000_000, Int64.max / 1_000_000] {
                    let time = Timestamp(microseconds: second * 1_000_000)
                    #expect(abs(zone.local(at: time).offset) < 26 * 3_600)
                    if let next = zone.nextTransition(after: time) { #expect(next > time) }
                }
            }
        }
    }
}
