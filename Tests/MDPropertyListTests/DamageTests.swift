import MDTestSupport
import Testing

@testable import MDPropertyList

/// Damaged text files: never a crash, always an answer.
struct TextRobustnessTests {
    /// Files with something of everything.
    static let fixtures: [(name: String, format: Format, text: String)] = [
        (
            "all of XML", .xml,
            """
            <?xml version="1.0" encoding="UTF-8" standalone='no'?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <!-- é --><?pi x?><plist version="1.0"><dict><key>a&amp;é</key><array><string>x&#x1F600;<![CDATA[<]]>y</string>
            <integer>-0x1F</integer><real>1.5e3</real><true/><false></false><date>2026-11-20T08:00:00Z</date>
            <data> AQI= </data><string/></array><key>b</key><dict/></dict></plist><!-- end -->

            """
        ),
        (
            "all of OpenStep text", .openStep,
            #"""
            { // é
              "a\U00e9\101" = (b, 'c', "\Ud83d\Ude00\"", <0fbd 77>, <*I5>, <*R1.5>, <*BY>, <[AQI=]>,); /* x */
              c = { d = <*D2026-11-20 08:00:00 +0000>; }; }

            """#
        ),
    ]

    @Test(arguments: fixtures.indices)
    func `a file cut at any byte is refused, and its position is within`(_ index: Int) throws {
        let (_, format, text) = TextRobustnessTests.fixtures[index]
        let bytes = Array(text.utf8)
        #expect(throws: Never.self) { try Document.read(bytes, as: format) }
        let whole = text.lastIndex { $0 == ">" || $0 == "}" }.map { text[...$0].utf8.count } ?? 0
        // The file is complete before the comment after `</plist>`.
        let last = format == .xml ? text.utf8.count - "<!-- end -->\n".utf8.count : whole
        for count in 0..<last {
            do throws(PropertyListError) {
                let document = try Document.read(Array(bytes[..<count]), as: format)
                Issue.record("\(count) bytes read as \(document.root.value)")
            } catch {
                let codes: [PropertyListError.Code] = [.truncated, .empty, .encoding]
                #expect(codes.contains(error.code), "\(count): \(error)")
                #expect(error.position.offset <= count)
            }
        }
    }

    @Test(arguments: fixtures.indices)
    func `every byte can take any value`(_ index: Int) {
        let (_, format, text) = TextRobustnessTests.fixtures[index]
        let bytes = Array(text.utf8)
        var refused = 0
        for offset in bytes.indices {
            for change in [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff] as [UInt8] {
                var damaged = bytes
                damaged[offset] ^= change
                do throws(PropertyListError) {
                    _ = try Document.read(damaged, as: format).root.value
                } catch {
                    refused += 1
                    #expect((0...bytes.count).contains(error.position.offset))
                    #expect(!error.message.isEmpty)
                }
            }
        }
        #expect(refused > bytes.count)
    }

    @Test(arguments: fixtures.indices)
    func `every pair of neighbours can be swapped, left out or doubled`(_ index: Int) {
        let (_, format, text) = TextRobustnessTests.fixtures[index]
        let bytes = Array(text.utf8)
        for offset in bytes.indices.dropLast() {
            var (swapped, without, doubled) = (bytes, bytes, bytes)
            swapped.swapAt(offset, offset + 1)
            without.remove(at: offset)
            doubled.insert(bytes[offset], at: offset)
            for damaged in [swapped, without, doubled] {
                do throws(PropertyListError) {
                    _ = try Document.read(damaged, as: format).root.value
                } catch {
                    #expect((0...damaged.count).contains(error.position.offset))
                }
            }
        }
    }
}

/// Truncates files at every byte and changes every byte: each reading returns or throws.
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
