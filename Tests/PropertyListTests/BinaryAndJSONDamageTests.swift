import PropertyList
import TestSupport
import Testing

/// Cuts files off at every byte and changes every byte of them: whatever comes of it, it is an answer.
struct BinaryAndJSONDamageTests {
    /// A value with every type in it.
    private static let value = Value.dictionary([
        "text": .string("plain"), "wide": .string("\u{e9}\u{1f600}"), "yes": .boolean(true), "no": .boolean(false),
        "whole": .integer(-5), "large": .integer(Integer(UInt64.max)), "real": .real(-1.5e-7), "nan": .real(.nan),
        "date": .date(816_854_400), "data": .data(Array(0...20)), "$": .dictionary(["$date": .string("none")]),
        "list": .array([.array([]), .dictionary([:]), .string("plain")]),
    ])

    @Test func `a binary file cut off anywhere is refused`() throws {
        let bytes = try BinaryWriter.write(Self.value)
        for count in bytes.indices {
            let error = #expect(throws: PropertyListError.self) { try BinaryReader.read(Array(bytes[..<count])) }
            #expect((error?.position.offset ?? -1) <= count)
        }
    }

    @Test func `a JSON text cut off anywhere is refused`() throws {
        var writer = JSONWriter(pretty: true)
        writer.value(Self.value)
        for count in writer.utf8.indices {
            let source = SourceText(unchecked: Array(writer.utf8[..<count]))
            let error = #expect(throws: PropertyListError.self) { try JSONReader.read(source) }
            #expect((error?.position.offset ?? -1) <= count)
        }
    }

    @Test func `a binary file with any byte changed gives a value or a place`() throws {
        let bytes = try BinaryWriter.write(Self.value)
        var refused = 0
        for place in Sweeping.places(in: 0..<bytes.count * 256, about: 10_000) {
            var damaged = bytes
            damaged[place / 256] = UInt8(place % 256)
            if damaged == bytes { continue }
            do {
                _ = try BinaryReader.read(damaged).root.value
            } catch {
                refused += 1
                #expect(bytes.indices.contains(error.position.offset))
            }
        }
        #expect(refused > 0)
    }

    @Test func `a JSON text with any byte changed gives a value or a place`() throws {
        var writer = JSONWriter()
        writer.value(Self.value)
        var refused = 0
        for place in Sweeping.places(in: 0..<writer.utf8.count * 256, about: 10_000) {
            var damaged = writer.utf8
            damaged[place / 256] = UInt8(place % 256)
            if damaged == writer.utf8 { continue }
            do {
                _ = try JSONReader.read(SourceText(decoding: damaged)).root.value
            } catch {
                refused += 1
                #expect((0...writer.utf8.count).contains(error.position.offset))
            }
        }
        #expect(refused > 0)
    }
}
