import Testing

@testable import PropertyList

/// What is wrong with OpenStep text, and where.
struct OpenStepMistakeTests {
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
            (.syntax, "{ a ❶b; }", "\"=\" should follow the key \"a\""), (.syntax, "{ a❶; }", ""),
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
    func `a mistake is named with its place`(_ code: PropertyListError.Code, _ text: String, _ message: String) {
        let marked = MarkedText(text)
        let mistake = marked.mistake { (bytes) throws(PropertyListError) in
            try OpenStepReader.read(SourceText(decoding: bytes))
        }
        #expect(mistake?.code == code, "\(String(describing: mistake))")
        #expect(mistake?.position == marked.position, "\(String(describing: mistake))")
        #expect(mistake?.message.contains(message) == true, "\(String(describing: mistake))")
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

    @Test func `a strings file reads only where it is allowed`() throws {
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
            let mistake = marked.mistake { (bytes) throws(PropertyListError) in
                try OpenStepReader.read(SourceText(decoding: bytes), limits: limits)
            }
            #expect(mistake?.code == code)
            #expect(mistake?.position == marked.position)
        }
    }
}
