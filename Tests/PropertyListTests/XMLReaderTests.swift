import Testing

@testable import PropertyList

/// Reading XML property lists.
struct XMLReaderTests {
    /// Reads a text and drops the places.
    private func value(of text: String) throws -> Value {
        try XMLReader.read(SourceText(decoding: Array(text.utf8))).root.value
    }

    @Test(
        arguments: [
            ("<string>a</string>", .string("a")), ("<string/>", .string("")), ("<string></string >", .string("")),
            ("<string> a\tb\nc </string>", .string(" a\tb\nc ")), ("<string>a\r\nb</string>", .string("a\r\nb")),
            ("<string>&lt;&amp;&gt;&quot;&apos;&#65;&#x1F600;</string>", .string("<&>\"'A😀")),
            ("<string>a<![CDATA[<b>&amp;]]]]>c</string>", .string("a<b>&amp;]]c")),
            ("<integer>42</integer>", .integer(42)), ("<integer>-42</integer>", .integer(-42)),
            ("<integer>+7</integer>", .integer(7)), ("<integer>\n\t7\n</integer>", .integer(7)),
            ("<integer>0x1F</integer>", .integer(31)), ("<integer>-0Xff</integer>", .integer(-255)),
            ("<integer>007</integer>", .integer(7)), ("<integer>-0</integer>", .integer(0)),
            ("<integer>18446744073709551615</integer>", .integer(Integer(UInt64.max))),
            ("<integer>-9223372036854775808</integer>", .integer(Int.min)),
            ("<real>1.5e3</real>", .real(1500)), ("<real>.5</real>", .real(0.5)), ("<real>5.</real>", .real(5)),
            ("<real>-INF</real>", .real(-.infinity)), ("<real>+infinity</real>", .real(.infinity)),
            ("<real>nan</real>", .real(.nan)), ("<real>1e-400</real>", .real(0)),
            ("<true/>", .boolean(true)), ("<false></false>", .boolean(false)),
            ("<date>2026-11-20T08:00:00Z</date>", .date(816_854_400)),
            ("<data>AQID</data>", .data([1, 2, 3])), ("<data>\n\tAQ I=\n</data>", .data([1, 2])),
            ("<data>AQ==</data>", .data([1])), ("<data/>", .data([])),
            ("<array/>", .array([])),
            ("<array><!-- x --><true/><?php x?><array/></array>", .array([.boolean(true), .array([])])),
            ("<dict/>", .dictionary([:])),
            (
                "<dict><key>a</key><integer>1</integer><key/><string/></dict>",
                .dictionary(["a": .integer(1), "": .string("")])
            ),
        ] as [(String, Value)])
    func `a value reads as itself`(_ text: String, _ expected: Value) throws {
        #expect(try value(of: "<plist version=\"1.0\">\(text)</plist>") == expected)
    }
}
