import Testing

@testable import MDPropertyList

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

/// The errors of OpenStep text, with their positions.
struct OpenStepErrorTests {
    @Test(
        arguments: [
            (.empty, "❶", ""), (.empty, "❶ // nothing", ""), (.empty, "❶/* nothing */", ""),
            (.truncated, "{❶", "dictionary that begins at 1:1"), (.truncated, "{ a❶", ""), (.truncated, "{ a =❶", ""),
            (.truncated, "{ a = b❶", ""), (.truncated, "(\n(a,❶", "array that begins at 2:1"),
            (.truncated, "/* x❶", ""),
            (.truncated, "\"abc❶", "string that begins at 1:1"), (.truncated, "\"a\\❶", ""),
            (.truncated, "\"\\U00❶", ""),
            (.truncated, "\"\\Ud83d\\❶", ""), (.truncated, "<0102❶", ""), (.truncated, "<*I5❶", ""),
            (.truncated, "<[AQ❶", ""),
            (.syntax, "{ a ❶b; }", "\"=\" should follow a key"), (.syntax, "{ a❶; }", ""),
            (.syntax, "{ \"a\"❶: 1 }", ""), (.syntax, "{ a = b❶, c = d }", "\";\" should stand"),
            (.syntax, "{ ❶= b; }", "where a key should stand"), (.syntax, "{ ❶(a) = b; }", ""),
            (.syntax, "{ a = ❶; }", ""),
            (.syntax, "(a ❶b)", "\",\" or \")\""), (.syntax, "(❶,)", ""), (.syntax, "(a,❶,b)", ""),
            (.syntax, "(a❶}", ""),
            (.syntax, "(❶é)", "quotation marks"), (.syntax, "❶)", ""), (.syntax, "(a❶@b)", ""),
            (.syntax, "(❶\u{202e})", "U+202E"),
            (.syntax, "a ❶= b;", "braces"), (.trailingContent, "a ❶b", ""), (.trailingContent, "{} ❶x", ""),
            (.trailingContent, "{}❶;", ""), (.syntax, "\"❶\\z\"", "unknown"), (.syntax, "\"❶\\u00e9\"", "capital"),
            (.syntax, "\"❶\\U12\"", "four"), (.syntax, "\"❶\\Ud83d\"", "surrogate"),
            (.syntax, "\"❶\\Ude00\"", "surrogate"),
            (.syntax, "\"❶\\Ud83d\\U0041\"", "surrogate"), (.syntax, "\"❶\\400\"", "octal"),
            (.syntax, "\"❶\\377\"", "octal"),
            (.syntax, "\"a❶\u{1}\"", "U+0001"), (.syntax, "a❶\u{0}".replacing("a❶", with: "(❶") + ")", "U+0000"),
            (.data, "<01❶x2>", "hexadecimal"), (.data, "<012❶>", "single digit"),
            (.data, "❶<html".replacing("❶<", with: "<❶"), ""),
            (.data, "<[AQ❶!]>", ""), (.data, "<[AQID❶>", "\"]\""), (.number, "<*I❶5.5>", ""),
            (.number, "<*I❶18446744073709551616>", ""), (.number, "<*R❶x>", ""), (.number, "<*R❶1e999>", ""),
            (.syntax, "❶<*BX>", ""), (.syntax, "❶<*Q1>", ""), (.syntax, "❶<*>", ""),
            (.date, "<*D❶2026-11-31 08:00:00 +0000>", ""),
        ] as [(PropertyListError.Code, String, String)])
    func `an error is named with its position`(_ code: PropertyListError.Code, _ text: String, _ message: String) {
        let marked = MarkedText(text)
        let error = marked.error { (bytes) throws(PropertyListError) in
            try OpenStepReader.read(SourceText(decoding: bytes))
        }
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(error?.position == marked.position, "\(String(describing: error))")
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test func `a semicolon that is missing before a brace is a warning`() throws {
        let text = MarkedText("{ a = b; c = (d) ❶}")
        let document = try OpenStepReader.read(SourceText(decoding: text.bytes))
        #expect(document.root.value == .dictionary(["a": .string("b"), "c": .array([.string("d")])]))
        #expect(document.warnings.map(\.position) == [text.position].compactMap(\.self))
    }

    @Test func `a duplicate key is a warning`() throws {
        let text = MarkedText("{ a = 1; ❶a = 2; }")
        let document = try OpenStepReader.read(SourceText(decoding: text.bytes))
        #expect(document.root.value == .dictionary(["a": .string("2")]))
        #expect(document.warnings.map(\.position) == [text.position].compactMap(\.self))
    }

    @Test func `a strings file is read only if allowed`() throws {
        let source = try SourceText(decoding: Array("/* t */ \"a b\" = \"c\"; d; e = { f = g; };\n".utf8))
        #expect(
            try OpenStepReader.read(source, allowsStrings: true).root.value
                == .dictionary(["a b": .string("c"), "d": .string("d"), "e": .dictionary(["f": .string("g")])]))
        #expect(throws: PropertyListError.self) { try OpenStepReader.read(source) }
        let list = try SourceText(decoding: Array("(a)".utf8))
        #expect(try OpenStepReader.read(list, allowsStrings: true).root.value == .array([.string("a")]))
        for text in ["a = b", "a = b; }", "a = b; c", "a b"] {
            let source = try SourceText(decoding: Array(text.utf8))
            #expect(throws: PropertyListError.self, "\(text)") { try OpenStepReader.read(source, allowsStrings: true) }
        }
    }

    @Test func `bounds hold`() {
        let limits = Limits(bytes: 100, depth: 2, objects: 3)
        for (text, code) in [("((❶(a)))", .tooDeep), ("(a, b, ❶c)", .tooManyObjects)]
            as [(String, PropertyListError.Code)]
        {
            let marked = MarkedText(text)
            let error = marked.error { (bytes) throws(PropertyListError) in
                try OpenStepReader.read(SourceText(decoding: bytes), limits: limits)
            }
            #expect(error?.code == code)
            #expect(error?.position == marked.position)
        }
    }
}
