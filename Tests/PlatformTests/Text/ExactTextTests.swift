import Testing

@testable import Platform

/// Bytes become text exactly where they are text.
struct ExactTextTests {
    static let table: [[UInt8]] = [
        [], [0x41], [0], Array("plain text".utf8), Array("ümläut, 日本語, 🙂, \u{fffd}".utf8), [0xef, 0xbf, 0xbd],
        // Not valid: continuation alone, cut off, overlong, a surrogate, beyond the last scalar.
        [0x80], [0x41, 0xff], [0xc3], [0xe3, 0x81], [0xf0, 0x90, 0x80], [0xc0, 0x80], [0xe0, 0x80, 0x80],
        [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], Array(repeating: 0x61, count: 40) + [0xf0, 0x9f, 0x99],
    ]

    @Test(arguments: table) func `what is valid is taken, and nothing else`(_ bytes: [UInt8]) {
        let text = bytes.withUnsafeBytes { String(exactly: $0) }
        #expect(text == String(validating: bytes, as: UTF8.self))
        if let text { #expect(Array(text.utf8) == bytes) }
    }

    @Test func `a text consists of its bytes and of no others`() {
        for text in ["", "a", "fifteen bytes..", "a text of more than fifteen bytes", "e\u{301}", "\u{e9}"] {
            for other in ["", "a", "b", "fifteen bytes..", "a text of more than fifteen bytez", "e\u{301}", "\u{e9}"] {
                let same = Array(text.utf8) == Array(other.utf8)
                #expect(Array(other.utf8).withUnsafeBytes { text.consists(of: $0) } == same, "\(text) \(other)")
            }
        }
    }
}
