import Testing

@testable import MDPropertyList

/// Writing XML and OpenStep text.
struct TextWriterTests {
    /// A value with something of every type.
    private let sample: Value = .dictionary([
        "name": .string("Zoë <a> & b"),
        "list": .array([.integer(1), .real(0.5), .boolean(true), .array([]), .dictionary([:])]),
        "when": .date(816_854_400), "bytes": .data([1, 2, 3]),
        "nested": .dictionary(["en-US": .string("x y\n\t\"\\é😀")]),
        "big": .integer(Integer(UInt64.max)), "none": .string(""),
    ])

    @Test func `XML has Apple's layout`() throws {
        let expected = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>big</key>
            \t<integer>18446744073709551615</integer>
            \t<key>bytes</key>
            \t<data>
            \tAQID
            \t</data>
            \t<key>list</key>
            \t<array>
            \t\t<integer>1</integer>
            \t\t<real>0.5</real>
            \t\t<true/>
            \t\t<array/>
            \t\t<dict/>
            \t</array>
            \t<key>name</key>
            \t<string>Zoë &lt;a&gt; &amp; b</string>
            \t<key>nested</key>
            \t<dict>
            \t\t<key>en-US</key>
            \t\t<string>x y
            \t"\\é😀</string>
            \t</dict>
            \t<key>none</key>
            \t<string></string>
            \t<key>when</key>
            \t<date>2026-11-20T08:00:00Z</date>
            </dict>
            </plist>

            """
        let bytes = try XMLWriter.write(sample)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        #expect(try XMLReader.read(SourceText(decoding: bytes)).root.value == sample)
    }

    @Test(
        arguments: [
            (.infinity, "+infinity"), (-.infinity, "-infinity"), (.nan, "nan"), (1, "1"), (0.1, "0.1"), (-0.0, "-0.0"),
            (1e22, "1e+22"), (.leastNonzeroMagnitude, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308"),
        ] as [(Double, String)])
    func `reals are as short as reads back`(_ value: Double, _ text: String) throws {
        let bytes = try XMLWriter.write(.real(value))
        #expect(String(decoding: bytes, as: UTF8.self).contains("<real>\(text)</real>"))
        #expect(try XMLReader.read(SourceText(decoding: bytes)).root.value == .real(value))
    }

    @Test func `what XML cannot hold is refused with the way to it`() {
        for text in ["\u{0}", "\u{1b}", "\u{fffe}", "\u{ffff}"] {
            #expect(throws: PropertyListError.self) { try XMLWriter.write(.string(text)) }
            #expect(throws: PropertyListError.self) { try XMLWriter.write(.dictionary([Key(text): .boolean(true)])) }
        }
        #expect {
            try XMLWriter.write(.dictionary(["a": .array([.string("ok"), .string("\u{7}")])]))
        } throws: { error in
            (error as? PropertyListError)?.message == "XML cannot hold the character U+0007 (in \"a\", element 1)"
        }
        #expect(throws: PropertyListError.self) { try XMLWriter.write(.date(.nan)) }
        #expect(throws: PropertyListError.self) { try XMLWriter.write(.array([.date(1e12)])) }
    }

    @Test func `carriage returns survive, and a date loses its fraction towards the past`() throws {
        let value = Value.array([.string("a\r\nb\rc"), .date(-0.5)])
        let bytes = try XMLWriter.write(value)
        #expect(
            try XMLReader.read(SourceText(decoding: bytes)).root.value == .array([.string("a\r\nb\rc"), .date(-1)]))
    }

    @Test func `512 levels are written and read, 513 refused`() throws {
        var value = Value.array([.boolean(true), .string("x")])
        for _ in 1..<512 { value = .array([value]) }
        #expect(try XMLReader.read(SourceText(decoding: XMLWriter.write(value))).root.value == value)
        let deeper = Value.array([value])
        #expect(throws: PropertyListError.self) { _ = try XMLWriter.write(deeper) }
        #expect(!OpenStepWriter.description(of: .array([deeper])).isEmpty)
    }

    @Test func `a description is what defaults read prints`() {
        let expected = #"""
            {
                big = 18446744073709551615;
                bytes = {length = 3, bytes = 0x010203};
                list =     (
                    1,
                    "0.5",
                    1,
                            (
                    ),
                            {
                    }
                );
                name = "Zo\U00eb <a> & b";
                nested =     {
                    "en-US" = "x y\n\t\"\\\U00e9\Ud83d\Ude00";
                };
                none = "";
                when = "2026-11-20 08:00:00 +0000";
            }
            """#
        #expect(OpenStepWriter.description(of: sample) == expected)
    }

    @Test(
        arguments: [
            (.string("a \"b\"\n"), "a \"b\"\n"), (.boolean(true), "1"), (.boolean(false), "0"), (.integer(-5), "-5"),
            (.real(0.5), "0.5"), (.real(3), "3"), (.date(816_854_400), "2026-11-20 08:00:00 +0000"),
            (.data([]), "{length = 0, bytes = 0x}"), (.data([255]), "{length = 1, bytes = 0xff}"),
            (.array([]), "(\n)"), (.array([.string("a"), .integer(-1)]), "(\n    a,\n    \"-1\"\n)"),
            (
                .data((0..<32).map { UInt8($0) }),
                "{length = 32, bytes = 0x00010203 04050607 08090a0b 0c0d0e0f ... 18191a1b 1c1d1e1f }"
            ),
        ] as [(Value, String)])
    func `a description of one value is bare`(_ value: Value, _ text: String) {
        #expect(OpenStepWriter.description(of: value) == text)
    }
}
