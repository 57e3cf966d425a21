import Testing

@testable import MDPropertyList

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

/// The errors of XML property lists, with their positions.
struct XMLErrorTests {
    /// Asserts code, place and part of the message of a text's first error.
    private func expect(
        _ code: PropertyListError.Code, _ text: String, _ message: String = "", limits: Limits = .standard
    ) {
        let marked = MarkedText(text)
        let error = marked.error { (bytes) throws(PropertyListError) in
            try XMLReader.read(SourceText(decoding: bytes), limits: limits)
        }
        #expect(error?.code == code, "\(text): \(String(describing: error))")
        #expect(error?.position == marked.position, "\(text): \(String(describing: error))")
        #expect(error?.message.contains(message) == true, "\(text): \(String(describing: error))")
    }

    @Test(
        arguments: [
            (.number, "<integer>❶1.0</integer>", "no whole number"), (.number, "❶<integer/>", "an empty text"),
            (.number, "<integer>❶1_000</integer>", ""), (.number, "<integer>❶0x</integer>", ""),
            (.number, "<integer>❶+ 5</integer>", ""), (.number, "<integer>❶١</integer>", ""),
            (.number, "<integer> ❶18446744073709551616 </integer>", "64 bits"),
            (.number, "<integer>❶-9223372036854775809</integer>", "64 bits"),
            (.number, "<integer>❶0x10000000000000000</integer>", "64 bits"),
            (.number, "<real>❶1e400</real>", "64 bits"), (.number, "<real>❶0x10</real>", "no number"),
            (.number, "<real>❶1,5</real>", ""), (.number, "<real>❶.</real>", ""), (.number, "<real>❶1e</real>", ""),
            (.number, "<real>❶nan(1)</real>", ""), (.number, "❶<real></real>", "an empty text"),
            (.date, "<date>❶2026-11-31T08:00:00Z</date>", "no date"), (.date, "❶<date/>", ""),
            (.date, "<date>❶2026-11-20T24:00:00Z</date>", ""), (.date, "<date>❶-2026-11-20T08:00:00Z</date>", ""),
            (.data, "<data>AQ❶!D</data>", ""), (.data, "<data>AQI❶</data>", "ends within"),
            (.data, "<data>AQ❶&#61;</data>", ""), (.data, "<data>AQ==❶AQID</data>", ""),
            (.data, "<data>A❶===</data>", ""), (.data, "<data>AQID❶=</data>", ""), (.data, "<data>AR❶==</data>", ""),
            (.syntax, "<true>❶x</true>", "<true> holds no text"), (.syntax, "❶x<true/>", "directly in <plist>"),
            (.syntax, "<array>❶x</array>", "in <array>"), (.syntax, "❶<key>a</key>", "only in a <dict>"),
            (.syntax, "<dict>❶<string/></dict>", "<dict> needs a <key> before this <string>"),
            (.syntax, "<dict>❶<key>a</key></dict>", "<dict> has a <key> without a value: \"a\""),
            (.syntax, "<dict>❶<key>a</key><key>b</key><true/></dict>", "without a value"),
            (.syntax, "<array>❶</dict>", "<array>, which begins at 1:8, is open here"),
            (.syntax, "<string>a❶</key>", "is open here"), (.syntax, "❶</string>", "<plist> is open here"),
            (.syntax, "❶<set/>", "no element of this name"), (.syntax, "❶<Dict/>", ""), (.syntax, "❶< dict/>", "&lt;"),
            (.syntax, "<string ❶id='x'/>", "takes no attributes"), (.syntax, "<dict❶=/>", "within the tag <dict>"),
            (.syntax, "<true/❶ >", ""), (.syntax, "❶<plist/>", "only at the root"),
            (.syntax, "<string>❶<b>x</b></string>", "another element"),
            (.syntax, "<string>a❶<!-- x --></string>", "a comment"), (.syntax, "<string>a]]❶></string>", "]]&gt;"),
            (.syntax, "<integer>1❶<!-- x --></integer>", "no other markup"),
            (.syntax, "<string>❶&foo;</string>", "lt, gt, amp"),
            (.syntax, "<string>a ❶& b, and more</string>", "&amp;"),
            (.syntax, "<string>❶&#0;</string>", "no character"), (.syntax, "<string>❶&#xD800;</string>", ""),
            (.syntax, "<string>❶&#xFFFE;</string>", ""), (.syntax, "<string>❶&#x110000;</string>", ""),
            (.syntax, "<string>❶&#+65;</string>", ""), (.syntax, "<string>❶&#;</string>", ""),
            (.syntax, "<string>a❶\u{0}</string>", "U+0000"), (.syntax, "<string>é❶\u{1}</string>", "U+0001"),
            (.syntax, "<string>❶\u{ffff}</string>", "U+FFFF"), (.syntax, "<!-- ❶\u{b} --><true/>", "U+000B"),
            (.syntax, "<!-- a ❶-- b --><true/>", "within a comment"), (.syntax, "❶<?xml version='1.0'?><true/>", ""),
            (.syntax, "<?❶ x?><true/>", ""), (.trailingContent, "<true/>❶<false/>", "<plist> holds one value"),
            (.syntax, "<true/>❶x", ""),
        ] as [(PropertyListError.Code, String, String)])
    func `an error within <plist> is named with its position`(
        _ code: PropertyListError.Code, _ text: String, _ message: String
    ) {
        expect(code, "<plist>\(text)</plist>", message)
    }

    @Test(
        arguments: [
            (.empty, "❶", ""), (.empty, "❶ \n\t", ""), (.empty, "❶<!-- nothing -->", ""),
            (.truncated, "<?xml version='1.0'?>\n❶", "before <plist>"), (.truncated, "<pli❶", ""),
            (.truncated, "<!❶", ""), (.truncated, "<!-- x --❶", "begins at 1:1"),
            (.truncated, "<?xml version='1.0'❶", ""),
            (.truncated, "<plist version=\"1.❶", ""), (.truncated, "<plist>❶", "within <plist>"),
            (.truncated, "<plist>\n<dict><key>a</key>❶", "<dict>, which begins at 2:1"),
            (.truncated, "<plist><string>abc❶", "<string>, which begins at 1:8"),
            (.truncated, "<plist><string>a&am❶", ""),
            (.truncated, "<plist><string>a<![CD❶", ""), (.truncated, "<plist><true/></plist❶", ""),
            (.truncated, "<!DOCTYPE plist PUB❶", ""), (.truncated, "<plist><data>AQ❶", ""),
            (.syntax, "❶<dict/>", "is <plist>"), (.syntax, "❶<plists/>", ""), (.syntax, "❶<plist/>", "holds no value"),
            (.syntax, "❶<plist></plist>", "holds no value"), (.syntax, "❶x", ""),
            (.syntax, "<plist a=❶b><true/></plist>", "within the tag <plist>"),
            (.syntax, "<plist a='❶<'><true/></plist>", ""), (.syntax, "<plist a='1'❶b='2'><true/></plist>", ""),
            (.trailingContent, "<plist><true/></plist>❶x", ""),
            (.trailingContent, "<plist><true/></plist> ❶<plist/>", ""),
            (.syntax, "<?xml version='❶2.0'?>".replacing("'❶", with: "❶'"), "not read"),
            (.syntax, "❶<?xml?><plist><true/></plist>", "no version"),
            (.syntax, " ❶<?xml version='1.0'?><plist><true/></plist>", "very beginning"),
            (.syntax, "<?xml version='1.0' ❶version='1.0'?><plist><true/></plist>", ""),
            (.syntax, "<?xml version='1.0' standalone=❶'maybe'?><plist><true/></plist>", ""),
            (.encoding, "<?xml version='1.0' encoding=❶'ISO-8859-1'?><plist><true/></plist>", "UTF-8"),
            (.encoding, "<?xml version='1.0' encoding=❶'UTF-16'?><plist><true/></plist>", "no UTF-16"),
            (.encoding, "<?xml version='1.0' encoding='us-ascii'?><plist><string>❶é</string></plist>", "not ASCII"),
            (.syntax, "<!DOCTYPE ❶html><plist><true/></plist>", "names plist"),
            (.syntax, "<!DOCTYPE plist>❶<!DOCTYPE plist><plist><true/></plist>", "only one"),
            (.syntax, "<!DOCTYPE plist PUBLIC 'a'❶><plist><true/></plist>", ""),
            (.syntax, "❶<!ENTITY x 'y'><plist><true/></plist>", ""),
            (
                .unsupported,
                "<!DOCTYPE plist ❶[<!ENTITY x SYSTEM 'file:///etc/passwd'>]><plist><string>&x;</string></plist>", ""
            ),
            (
                .unsupported, "<!DOCTYPE plist SYSTEM 'x' ❶[<!ENTITY a 'aa'><!ENTITY b '&a;&a;'>]><plist/>",
                "write the text"
            ),
        ] as [(PropertyListError.Code, String, String)])
    func `an error around <plist> is named with its position`(
        _ code: PropertyListError.Code, _ text: String, _ message: String
    ) {
        expect(code, text, message)
    }

    @Test func `bounds hold`() {
        let limits = Limits(bytes: 200, depth: 2, objects: 3)
        expect(.tooDeep, "<plist><array><array>❶<array/></array></array></plist>", "2 deep", limits: limits)
        expect(
            .tooManyObjects, "<plist><dict><key>a</key><true/>❶<key>b</key><true/></dict></plist>", limits: limits)
        expect(.tooLarge, "❶" + String(repeating: " ", count: 201), limits: limits)
    }

    @Test func `hundreds of thousands of open arrays cost no stack`() {
        expect(
            .truncated, "<plist>" + String(repeating: "<array>", count: 500_000) + "❶",
            limits: Limits(bytes: 1 << 24, depth: 1 << 20, objects: 1 << 20))
    }

    @Test func `a duplicate key is a warning`() throws {
        let text = MarkedText(
            "<plist><dict>\n<key>b</key><true/>\n <key>a</key><true/>❶<key>b</key><string>x</string></dict></plist>")
        let document = try XMLReader.read(SourceText(decoding: text.bytes))
        #expect(document.root.value == .dictionary(["a": .boolean(true), "b": .string("x")]))
        #expect(document.warnings.map(\.code) == [.duplicateKey])
        #expect(document.warnings.first?.position == text.position)
        #expect(document.root.entries?.map(\.key) == ["b", "a", "b"])
    }

    @Test func `UTF-16 with a byte order mark reads, and must not call itself UTF-8`() throws {
        /// The text in UTF-16 of either byte order.
        func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
            ("\u{feff}" + text).utf16.flatMap { unit in
                bigEndian ? [UInt8(unit >> 8), UInt8(unit & 255)] : [UInt8(unit & 255), UInt8(unit >> 8)]
            }
        }
        for bigEndian in [false, true] {
            let good = utf16(
                "<?xml version='1.0' encoding='UTF-16'?><plist><string>é😀</string></plist>", bigEndian: bigEndian)
            #expect(try XMLReader.read(SourceText(decoding: good)).root.value == .string("é😀"))
            let bad = utf16("<?xml version='1.0' encoding='utf-8'?><plist><true/></plist>", bigEndian: bigEndian)
            #expect(throws: PropertyListError.self) { try XMLReader.read(SourceText(decoding: bad)) }
        }
    }

    @Test(arguments: [
        "<string>a\nb❶\u{0}c</string>", "<dict><key>a❶\u{0}</key><true/></dict>", "<string><![CDATA[❶\u{0}]]></string>",
        "<array>\n❶\u{0}<true/></array>",
    ])
    func `a NUL is refused even if other control characters are read`(_ text: String) {
        for isTolerant in [false, true] {
            let marked = MarkedText("<plist>\n\(text)</plist>")
            let error = marked.error { (bytes) throws(PropertyListError) in
                if isTolerant { return try XMLReader.readTolerantly(SourceText(decoding: bytes)).document }
                return try XMLReader.read(SourceText(decoding: bytes), allowsControlCharacters: true)
            }
            #expect(error?.code == .syntax, "\(text): \(String(describing: error))")
            #expect(error?.position == marked.position, "\(text): \(String(describing: error))")
        }
    }

    @Test func `other control characters are read if Foundation writes them`() throws {
        let text = "<plist><string>a\u{1}\u{1b}b</string></plist>"
        let source = try SourceText(decoding: Array(text.utf8))
        #expect(
            try XMLReader.read(source, allowsControlCharacters: true).root.value == .string("a\u{1}\u{1b}b"))
    }
}
