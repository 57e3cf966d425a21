import MDPropertyList
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// GVariant's text form becomes property lists.
struct GVariantTextTests {
    @Test(arguments: [
        ("true", "true"), (" false ", "false"), ("5", "5"), ("-5", "-5"), ("uint32 7", "7"), ("int64 -9", "-9"),
        ("byte 0x1f", "31"), ("-0x10", "-16"), ("18446744073709551615", "18446744073709551615"), ("1.5", "1.5"),
        (".5", "0.5"), ("1e3", "1000.0"), ("double 2", "2.0"), ("inf", "{\"$real\":\"inf\"}"), ("'a'", "\"a\""),
        ("\"it's\"", "\"it's\""), ("'a\\'b\\\\\\n\\u00fc'", "\"a'b\\\\\\nü\""), ("[1,2 , 3]", "[1,2,3]"), ("[]", "[]"),
        ("@as []", "[]"), ("@a{sv} {}", "{}"), ("{'a': <1>, 'b': <['x']>}", "{\"a\":1,\"b\":[\"x\"]}"),
        ("{1: 'x'}", "{\"1\":\"x\"}"), ("('a', 2)", "[\"a\",2]"), ("(1,)", "[1]"), ("()", "[]"),
        ("objectpath '/a'", "\"/a\""), ("just 3", "3"), ("b'ab'", "{\"$data\":\"YWIA\"}"),
        ("b'\\377a'", "{\"$data\":\"/2EA\"}"), ("010", "8"), ("-017", "-15"),
        ("[('xkb', 'de'), ('xkb', 'ch')]", "[[\"xkb\",\"de\"],[\"xkb\",\"ch\"]]"),
    ]) func `reads a value`(_ text: String, _ json: String) throws {
        var writer = JSONWriter()
        writer.value(try GVariantText.parse(text).value)
        #expect(writer.text == json)
    }

    @Test(arguments: [
        ("", 0), ("nothing", 0), ("[1", 2), ("[1 2]", 3), ("{'a' 1}", 5), ("{[1]: 1}", 1), ("'a", 0), ("hello", 0),
        ("1 2", 2), ("<1", 2), ("0xzz", 0), ("'\\u00'", 3), ("--5", 0), ("08", 0), ("[1,]", 3), ("(1,2,)", 5),
        ("1.2.3", 0), ("@", 1),
    ]) func `says where a text is no value`(_ text: String, _ offset: Int) {
        let mistake = #expect(throws: GVariantText.FormatError.self) { try GVariantText.parse(text) }
        #expect(mistake?.offset == offset)
    }

    @Test(arguments: ["[", "<", "{'a':", "(", "just ", "@a "]) func `bounds the depth`(_ opening: String) {
        let text = String(repeating: opening, count: 100_000)
        #expect(throws: GVariantText.FormatError.self) { try GVariantText.parse(text) }
    }

    @Test func `remarks on what changed, once`() throws {
        #expect(try GVariantText.parse("[(1, 2), (3, 4)]").remarks == ["a tuple became an array"])
        #expect(try GVariantText.parse("[1, 2]").remarks == [])
    }
}
