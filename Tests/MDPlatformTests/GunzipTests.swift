import MDPlatform
import MDTools
import Testing

/// What gzip(1) packs is unpacked, and anything else is refused.
@Suite struct GunzipTests {
    /// Text that repeats, numbers that do not, and a long run.
    private static let content: [UInt8] = {
        var random: UInt64 = 1
        var bytes: [UInt8] = []
        for number in 0..<3_000 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes += Array("{\"v\":1,\"seq\":\(number),\"kind\":\"override\",\"note\":\"\(random)\"}\n".utf8)
            bytes.append(UInt8(truncatingIfNeeded: random >> 33))
        }
        return bytes + [UInt8](repeating: 0x20, count: 100_000)
    }()

    private static func packed(_ content: [UInt8], _ options: String...) throws -> [UInt8] {
        let result = try Subprocess.run(
            "/usr/bin/gzip", ["-c"] + options, input: content, timeoutMilliseconds: 20_000, limit: 1 << 22)
        return result.output
    }

    @Test(arguments: 1...9) func `what gzip packs at each level is unpacked`(level: Int) throws {
        let bytes = try GunzipTests.packed(GunzipTests.content, "-\(level)")
        #expect(try Gunzip.unpack(bytes, limit: 1 << 20) == GunzipTests.content)
        for small in [[], [7], Array("aaaaaaaaaaaaaaaaaaaaa".utf8)] as [[UInt8]] {
            #expect(try Gunzip.unpack(try GunzipTests.packed(small, "-\(level)"), limit: 100) == small)
        }
    }

    @Test func `random bytes, which stay as they are, are unpacked`() throws {
        var generator = SystemRandomNumberGenerator()
        let content = (0..<200_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        #expect(try Gunzip.unpack(try GunzipTests.packed(content), limit: 200_000) == content)
    }

    @Test func `a file that is cut anywhere, or that has more behind it, is refused`() throws {
        let bytes = try GunzipTests.packed(Array(GunzipTests.content.prefix(3_000)))
        for count in 0..<bytes.count {
            #expect(throws: Gunzip.Fault.self) { try Gunzip.unpack(Array(bytes.prefix(count)), limit: 3_000) }
        }
        #expect(throws: Gunzip.Fault.self) { try Gunzip.unpack(bytes + [0], limit: 3_000) }
        #expect(throws: Gunzip.Fault.self) { try Gunzip.unpack(bytes + bytes, limit: 6_000) }
    }

    @Test func `no bit of a file can be another one without being found`() throws {
        let content = Array(GunzipTests.content.prefix(700))
        let bytes = try GunzipTests.packed(content, "-n")
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << UInt8(bit)
                // Time, system and hints of the header say nothing of the content; unused bits may be anything.
                if let result = try? Gunzip.unpack(changed, limit: 1 << 20) { #expect(result == content) }
            }
        }
    }

    @Test func `a small file that unpacks to very much is refused before it is unpacked`() throws {
        let bomb = try GunzipTests.packed([UInt8](repeating: 0, count: 8 << 20), "-9")
        #expect(bomb.count < 10_000)
        #expect(throws: Gunzip.Fault.self) { try Gunzip.unpack(bomb, limit: 1 << 20) }
        // One that says to be smaller is refused where it is larger, and one that says to be larger reserves nothing.
        for size in [[0, 0, 1, 0], [0, 0, 0, 64]] as [[UInt8]] {
            #expect(throws: Gunzip.Fault.self) { try Gunzip.unpack(bomb.dropLast(4) + size, limit: 1 << 30) }
        }
    }

    @Test func `bytes that are no packed data at all are refused`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let noise = (0..<Int.random(in: 0...300)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let file = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3] + noise
            #expect((try? Gunzip.unpack(file, limit: 1 << 20)) == nil)
        }
    }

    @Test func `a header with all its parts is read`() throws {
        let bytes = try GunzipTests.packed(Array("content".utf8), "-n")
        let named: [UInt8] = [0x1f, 0x8b, 8, 4 + 8 + 16, 0, 0, 0, 0, 0, 3, 2, 0, 9, 9] + Array("name\0words\0".utf8)
        #expect(try Gunzip.unpack(named + bytes.dropFirst(10), limit: 100) == Array("content".utf8))
        // The digest of a header is checked.
        let summed: [UInt8] = [0x1f, 0x8b, 8, 2, 0, 0, 0, 0, 0, 3, 0, 0]
        #expect(throws: Gunzip.Fault.self) { try Gunzip.unpack(summed + bytes.dropFirst(10), limit: 100) }
    }
}
