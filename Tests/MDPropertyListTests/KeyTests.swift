import MDPropertyList
import Testing

struct KeyTests {
    @Test func `keys of the same bytes are one, whatever holds their text`() {
        for count in 0..<40 {
            let text = String(repeating: "k", count: count)
            let copy = String(decoding: Array(text.utf8), as: UTF8.self)
            let cut = String((text + "x").dropLast())
            #expect(Set([Key(text), Key(copy), Key(cut)]) == [Key(copy)])
            #expect(Key(text).hashValue == Key(cut).hashValue)
        }
    }

    @Test func `keys that differ in one byte are two`() {
        for count in 1..<40 {
            let bytes = [UInt8](repeating: 0x6b, count: count)
            for index in 0..<count {
                var other = bytes
                other[index] = 0x6c
                #expect(Key(String(decoding: bytes, as: UTF8.self)) != Key(String(decoding: other, as: UTF8.self)))
            }
        }
        // Canonically equivalent spellings are one String and two keys.
        #expect(Set([Key("\u{e9}"), Key("e\u{301}")]).count == 2)
    }

    @Test func `keys of a dictionary spread`() {
        let keys = (0..<10_000).map { Key("Key\($0)") }
        #expect(Set(keys.map(\.hashValue)).count == keys.count)
        #expect(Set(keys.map { $0.hashValue & 0xffff }).count > 8_000)
    }
}
