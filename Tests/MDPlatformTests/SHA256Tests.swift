import Foundation
import MDPlatform
import Testing

/// SHA-256 against the standard's own examples, Python's hashlib, and itself fed in pieces.
struct SHA256Tests {
    /// A message of a given length whose bytes follow a rule that `sha256.txt` was made with.
    private func message(_ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ length &* 13 &+ ($0 >> 8)) }
    }

    @Test(arguments: [
        ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
    func `the examples of FIPS 180-4 have the standard's digests`(text: String, repeats: Int, expected: String) {
        let bytes = [UInt8](String(repeating: text, count: repeats).utf8)
        #expect(SHA256.hash(bytes).hex == expected)
    }

    @Test func `every length up to 300, and some long ones, have the digests that hashlib found`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/sha256.txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == 301 + 12)
        for line in lines {
            let words = line.split(separator: " ")
            let length = try #require(Int(words[0]))
            #expect(SHA256.hash(message(length)).hex == String(words[1]), "length \(length)")
            // The same without the processor's instructions, which this one may have.
            var portable = SHA256()
            portable.isPortable = true
            portable.update(message(length))
            #expect(portable.finish().hex == String(words[1]), "length \(length), in Swift")
        }
    }

    @Test func `messages that are hashed together have the digests that they have alone`() {
        let bytes = message(700)
        for count in 0...9 {
            // Lengths around the ends of blocks, in neighbouring messages.
            for length in 0...200 {
                var places: [Int] = []
                var expected: [Digest] = []
                for index in 0..<count {
                    let (start, end) = (3 * index, 3 * index + (length + 61 * index) % 260)
                    places += [start, end]
                    expected.append(SHA256.hash([7] + Array(bytes[start..<end])))
                }
                #expect(SHA256.digests(prefix: 7, of: bytes, places) == expected, "\(count) from \(length) on")
            }
        }
        let digests: [Digest] = (0..<7).map { (byte: UInt8) in SHA256.hash([byte]) }
        let nodes = SHA256.digests(prefix: 1, ofPairs: digests)
        #expect(nodes.count == 3)
        for (index, node) in nodes.enumerated() {
            let bytes: [UInt8] = [1] + digests[2 * index].bytes + digests[2 * index + 1].bytes
            #expect(node == SHA256.hash(bytes))
        }
    }

    @Test func `a message fed in two pieces has the digest of the whole, wherever it is split`() {
        let bytes = message(300)
        let whole = SHA256.hash(bytes)
        for split in 0...bytes.count {
            var hash = SHA256()
            hash.update(bytes[..<split])
            hash.update(Array(bytes[split...]))
            #expect(hash.finish() == whole, "split at \(split)")
        }
    }

    @Test func `single bytes, slices and digests feed the same bytes as an array`() {
        let bytes = message(150)
        let inner = SHA256.hash(bytes)
        var bytewise = SHA256()
        for byte in bytes { bytewise.update(byte) }
        #expect(bytewise.finish() == inner)
        for offset in 0..<70 {
            var direct = SHA256()
            direct.update(bytes[..<offset])
            direct.update(inner)
            direct.update([])
            #expect(direct.finish() == SHA256.hash(Array(bytes[..<offset]) + inner.bytes), "offset \(offset)")
        }
    }

    @Test func `asking for the digest does not end the hash`() {
        var hash = SHA256()
        hash.update([UInt8]("ab".utf8))
        #expect(hash.finish() == SHA256.hash([UInt8]("ab".utf8)))
        hash.update([UInt8]("c".utf8))
        #expect(hash.finish() == SHA256.hash([UInt8]("abc".utf8)))
    }

    @Test func `Each of the 64 places of a digest takes the digits and no other byte`() {
        let digits = Set("0123456789abcdefABCDEF".utf8)
        let text = Array(String(repeating: "0f", count: 32).utf8)
        for place in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[place] = byte
                let expected = digits.contains(byte) ? String(decoding: changed, as: UTF8.self).lowercased() : nil
                #expect(Digest(hex: changed.span)?.hex == expected, "byte \(byte) at \(place)")
            }
        }
    }

    @Test func `a digest survives the ways through bytes and hexadecimal digits, and other texts make none`() throws {
        let digest = SHA256.hash([])
        #expect(digest.bytes.count == 32)
        #expect(Digest(bytes: digest.bytes) == digest)
        #expect(Digest(hex: digest.hex) == digest)
        #expect(Digest(hex: digest.hex.uppercased()) == digest)
        #expect(Digest(bytes: [UInt8](repeating: 0, count: 31)) == nil)
        #expect(Digest(bytes: [UInt8](repeating: 0, count: 33)) == nil)
        for text in ["", "e3", String(repeating: "g", count: 64), digest.hex + "0", " " + digest.hex.dropLast()] {
            #expect(Digest(hex: text) == nil)
        }
        for index in 0..<32 {
            var bytes = digest.bytes
            bytes[index] ^= 1
            #expect(try #require(Digest(bytes: bytes)) != digest)
        }
    }
}
