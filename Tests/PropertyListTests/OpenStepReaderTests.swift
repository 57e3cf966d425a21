import Testing

@testable import PropertyList

/// Reading OpenStep text.
struct OpenStepReaderTests {
    /// Reads a text and drops the places.
    private func value(of text: String) throws -> Value {
        try OpenStepReader.read(SourceText(decoding: Array(text.utf8))).root.value
    }

    @Test(
        arguments: [
            ("hello", .string("hello")), ("\"\"", .string("")), ("'a\"b'", .string("a\"b")),
            (" /* x */ a:b.c-d/e$f_g // y", .string("a:b.c-d/e$f_g")),
            ("http://example.org/", .string("http://example.org/")),
            (#""\a\b\f\n\r\t\v\"\'\\""#, .string("\u{7}\u{8}\u{c}\n\r\t\u{b}\"'\\")),
            (#""\101\1011\0\200\351""#, .string("AA1\0\u{a0}Ø")), (#""\U00e9\Ud83d\Ude00é""#, .string("é😀é")),
            ("\"a\\\nb\nc\"", .string("a\nb\nc")),
            ("()", .array([])), ("(a, \"b\",)", .array([.string("a"), .string("b")])),
            ("((),{})", .array([.array([]), .dictionary([:])])),
            ("{}", .dictionary([:])),
            ("{ a = b; 'c' = (1); }", .dictionary(["a": .string("b"), "c": .array([.string("1")])])),
            ("<0fbd77 1c>", .data([0x0f, 0xbd, 0x77, 0x1c])), ("<>", .data([])), ("<0 F\n>", .data([15])),
            ("<*I5>", .integer(5)), ("<*I-9223372036854775808>", .integer(Int.min)), ("<*I\"7\">", .integer(7)),
            ("<*I18446744073709551615>", .integer(Integer(UInt64.max))),
            ("<*R1.5>", .real(1.5)), ("<*R-inf>", .real(-.infinity)), ("<*BY>", .boolean(true)),
            ("<*BN>", .boolean(false)),
            ("<*D2026-11-20 09:00:00 +0100>", .date(816_854_400)), ("<[AQI=]>", .data([1, 2])), ("<[]>", .data([])),
        ] as [(String, Value)])
    func `a value reads as itself`(_ text: String, _ expected: Value) throws {
        #expect(try value(of: text) == expected)
    }
}
