import MDTestSupport
import Testing

@testable import MDPropertyList

struct JSONWriterTests {
    /// A value as compact JSON.
    private func text(_ value: Value) -> String {
        var writer = JSONWriter()
        writer.value(value)
        return writer.text
    }

    @Test(arguments: [
        (Value.boolean(true), "true"),
        (.integer(Integer(UInt64.max)), "18446744073709551615"),
        (.integer(Integer(Int64.min)), "-9223372036854775808"),
        (.real(1), "1.0"),
        (.real(-0.0), "-0.0"),
        (.real(1e20), "1e+20"),
        (.real(.leastNonzeroMagnitude), "5e-324"),
        (.real(.nan), #"{"$real":"nan"}"#),
        (.real(.infinity), #"{"$real":"inf"}"#),
        (.real(-.infinity), #"{"$real":"-inf"}"#),
        (.date(816_854_400), #"{"$date":"2026-11-20T08:00:00Z"}"#),
        (.date(1e300), #"{"$date":1e+300}"#),
        (.data([1, 2, 3]), #"{"$data":"AQID"}"#),
        (.array([]), "[]"),
        (.dictionary([:]), "{}"),
        (.dictionary(["b": .integer(1), "a": .array([.boolean(false)])]), #"{"a":[false],"b":1}"#),
        (.dictionary(["$date": .string("x")]), #"{"$dict":{"$date":"x"}}"#),
        (.dictionary(["$a": .integer(1), "b": .integer(2)]), #"{"$a":1,"b":2}"#),
        (.string("\"\\\n\r\t\u{8}\u{c}\u{0}\u{1f}\u{7f}"), #""\"\\\n\r\t\b\f\u0000\u001f\u007f""#),
        (
            .string("\u{9b}\u{2028}\u{2029}\u{202e}\u{2066}\u{61c}\u{200f}\u{feff}"),
            #""\u009b\u2028\u2029\u202e\u2066\u061c\u200f\ufeff""#
        ),
        (.string("\u{e9}\u{1f600}\u{5d0}€"), "\"\u{e9}\u{1f600}\u{5d0}€\""),
    ])
    func `writes values of every type`(value: Value, expected: String) {
        #expect(text(value) == expected)
    }

    @Test(arguments: [
        (Integer(9_007_199_254_740_991), "9007199254740991"),
        (Integer(9_007_199_254_740_992), #"{"$int":"9007199254740992"}"#),
        (Integer(-9_007_199_254_740_991), "-9007199254740991"),
        (Integer(-9_007_199_254_740_992), #"{"$int":"-9007199254740992"}"#),
        (Integer(UInt64.max), #"{"$int":"18446744073709551615"}"#),
    ])
    func `marks integers that are not exact as doubles`(value: Integer, expected: String) {
        var writer = JSONWriter()
        writer.iJSONValue(.array([.integer(value)]))
        #expect(writer.text == "[\(expected)]")
    }

    @Test func `streams records, compact and for people`() {
        for (isPretty, expected) in [
            (false, #"{"a":"x","n":-1,"ok":true,"v":[],"list":[1,null,{"raw":[0]}],"none":{}}"#),
            (
                true,
                """
                {
                  "a": "x",
                  "n": -1,
                  "ok": true,
                  "v": [],
                  "list": [
                    1,
                    null,
                    {
                      "raw": [0]
                    }
                  ],
                  "none": {}
                }
                """
            ),
        ] {
            var writer = JSONWriter(pretty: isPretty)
            writer.beginObject()
            writer.field("a", "x")
            writer.field("left out", nil as String?)
            writer.field("left out", nil as Int?)
            writer.field("left out", nil as Value?)
            writer.field("n", -1)
            writer.field("ok", true)
            writer.field("v", Value.array([]))
            writer.member("list")
            writer.beginArray()
            writer.integer(1)
            writer.null()
            writer.beginObject()
            writer.member("raw")
            writer.raw("[0]")
            writer.endObject()
            writer.endArray()
            writer.member("none")
            writer.beginObject()
            writer.endObject()
            writer.endObject()
            #expect(writer.text == expected)
        }
    }

    @Test func `values at the root have their own lines`() {
        var writer = JSONWriter()
        writer.integer(1)
        writer.boolean(false)
        #expect(writer.text == "1\nfalse")
    }

    @Test(arguments: Sweeping.seeds(0..<300 as Range<UInt64>, usual: 100))
    func `what is written reads back the same`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let value = RandomValue.make(depth: 4, using: &random)
        var (plain, exact) = (JSONWriter(pretty: seed % 2 == 0), JSONWriter())
        plain.value(value)
        exact.iJSONValue(value)
        for utf8 in [plain.utf8, exact.utf8] {
            let document = try JSONReader.read(SourceText(decoding: utf8))
            #expect(document.warnings.isEmpty)
            // Written again, because equality joins numbers of different types.
            #expect(text(document.root.value) == text(value))
        }
    }
}

/// Invisible characters are escaped in all output for display.
struct HiddenCharacterTests {
    /// The JSON of a text.
    private func json(_ text: String) -> String {
        var writer = JSONWriter()
        writer.value(.string(text))
        return writer.text
    }

    @Test(arguments: [
        ("\u{200b}\u{200d}\u{2060}\u{ad}", #""\u200b\u200d\u2060\u00ad""#),
        ("\u{e0041}\u{e007f}", #""\udb40\udc41\udb40\udc7f""#),
        ("\u{e0100}\u{e01ef}", #""\udb40\udd00\udb40\uddef""#),
        ("\u{3164}\u{115f}\u{34f}\u{180e}", #""\u3164\u115f\u034f\u180e""#),
        (
            "e\u{301} \u{2764}\u{fe0f} \u{65e5}\u{672c} \u{5d0}",
            "\"e\u{301} \u{2764}\u{fe0f} \u{65e5}\u{672c} \u{5d0}\""
        ),
    ])
    func `JSON escapes hidden characters and nothing else`(text: String, expected: String) throws {
        let written = json(text)
        #expect(Array(written.unicodeScalars) == Array(expected.unicodeScalars))
        let document = try JSONReader.read(SourceText(decoding: Array(written.utf8)))
        #expect(document.root.value == .string(text))
    }

    @Test func `no hidden character is written as it is`() {
        for number in 0x80...0x10_ffff as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(number) else { continue }
            let isHidden =
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: true
                default:
                    scalar.properties.isDefaultIgnorableCodePoint
                        && (!scalar.properties.isVariationSelector || number >= 0xe_0100)
                }
            #expect(scalar.isHidden == isHidden, "U+\(String(number, radix: 16))")
        }
    }

    @Test func `messages show hidden characters as escapes`() {
        #expect(Excerpt.quote("a\u{200b}\u{e0041}\u{3164}\u{e0100}b") == #""a\u{200b}\u{e0041}\u{3164}\u{e0100}b""#)
    }
}
