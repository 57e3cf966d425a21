import Testing

@testable import MDPropertyList

struct JSONReaderTests {
    /// Reads a text in the dialect of policy files.
    private func read(_ text: String, limits: Limits = .standard) throws(PropertyListError) -> Document {
        try JSONReader.read(SourceText(unchecked: Array(text.utf8)), limits: limits)
    }

    @Test(arguments: [
        ("true", Value.boolean(true)),
        ("0", .integer(0)),
        ("-0", .integer(0)),
        ("-9223372036854775808", .integer(Integer(Int64.min))),
        ("9223372036854775807", .integer(Integer(Int64.max))),
        ("18446744073709551615", .integer(Integer(UInt64.max))),
        ("1.0", .real(1)),
        ("1e3", .real(1000)),
        ("-2.5E-1", .real(-0.25)),
        ("1e-400", .real(0)),
        ("\"a\\u00e9\\ud83d\\ude00\\n\\/\"", .string("a\u{e9}\u{1f600}\n/")),
        ("[]", .array([])),
        ("{}", .dictionary([:])),
        ("[1, // one\n 2, /* two */]", .array([.integer(1), .integer(2)])),
        (#"{"a": [true,], "b": {},}"#, .dictionary(["a": .array([.boolean(true)]), "b": .dictionary([:])])),
        (#"{"$date":"2026-11-20T08:00:00Z"}"#, .date(816_854_400)),
        (#"{"$date":1e300}"#, .date(1e300)),
        (#"{"$data":"AQID"}"#, .data([1, 2, 3])),
        (#"{"$data":""}"#, .data([])),
        (#"{"$data":"+\/8="}"#, .data([0xfb, 0xff])),
        (#"{"$real":"nan"}"#, .real(.nan)),
        (#"{"$real":"-inf"}"#, .real(-.infinity)),
        (#"{"$int":"18446744073709551615"}"#, .integer(Integer(UInt64.max))),
        (#"{"$dict":{"$date":"x"}}"#, .dictionary(["$date": .string("x")])),
        (#"{"$dict":{"a":1}}"#, .dictionary(["a": .integer(1)])),
        (#"{"$dict":{"$dict":{"$real":"inf"}}}"#, .dictionary(["$dict": .real(.infinity)])),
        (#"{"$dict":{"$dict":{"$dict":{"$x":1}}}}"#, .dictionary(["$dict": .dictionary(["$x": .integer(1)])])),
        (#"{"$x":1,"y":2}"#, .dictionary(["$x": .integer(1), "y": .integer(2)])),
        (#"{"$dict":{"$real":"inf"},"y":2}"#, .dictionary(["$dict": .real(.infinity), "y": .integer(2)])),
    ])
    func `reads values of every type`(text: String, expected: Value) throws {
        let value = try read(text).root.value
        #expect(value == expected)
        #expect(value.typeName == expected.typeName)
    }

    @Test(arguments: JSONErrorCase.all)
    func `names each error with its position`(example: JSONErrorCase) throws {
        let error = #expect(throws: PropertyListError.self) { try read(example.text) }
        #expect(error?.code == example.code)
        #expect(error?.position.offset == example.offset, "\(error?.description ?? "")")
        #expect(error?.message.contains(example.words) == true, "\(error?.message ?? "")")
    }

    @Test func `the last value of a duplicate key counts, with a warning`() throws {
        let document = try read("{\"a\": 1,\n \"b\": 2, \"a\": 3}")
        #expect(document.root.value == .dictionary(["a": .integer(3), "b": .integer(2)]))
        #expect(
            document.warnings.map(\.description) == ["2:10: the key \"a\" stands at 1:2 already; the last value counts"]
        )
        let many = "{" + (0..<20).map { "\"k\($0 % 19)\":\($0)" }.joined(separator: ",") + "}"
        #expect(try read(many).warnings.count == 1)
        let distinct = try read("{\"\u{e9}\":1,\"e\u{301}\":2}")
        #expect(distinct.warnings.isEmpty)
        #expect(distinct.root.entries?.count == 2)
    }

    @Test func `records the position of every key and value`() throws {
        let document = try read("{\n  \"a\": [1,\n {\"$real\":\"inf\"}]}")
        let entry = try #require(document.root.entries?.first)
        #expect(document.position(of: entry.keyOffset).description == "2:3")
        #expect(document.position(of: entry.value.offset).description == "2:8")
        #expect(document.position(of: try #require(entry.value.elements?.last).offset).description == "3:2")
    }

    @Test func `limits on depth, values and bytes hold`() throws {
        let deep = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        #expect(throws: Never.self) { try read(deep) }
        #expect(throws: PropertyListError.self) { try read("[" + deep + "]") }
        let endless = String(repeating: "[", count: 1_000_000)
        #expect(#expect(throws: PropertyListError.self) { try read(endless) }?.code == .tooDeep)
        let small = Limits(bytes: 100, depth: 5, objects: 5)
        #expect(throws: Never.self) { try read(#"[{"a":1},2]"#, limits: small) }
        let surplus = #expect(throws: PropertyListError.self) { try read(#"[{"a":1},2,3]"#, limits: small) }
        #expect(surplus?.code == .tooManyObjects)
        let large = #expect(throws: PropertyListError.self) {
            try read(String(repeating: " ", count: 101), limits: small)
        }
        #expect(large?.code == .tooLarge)
    }

    @Test(arguments: ["// a\n1", "[1,]", "{\"a\":1,}", "/**/1", "null", "[1] x"])
    func `plain JSON has no comments and no trailing commas`(text: String) {
        #expect(throws: PropertyListError.self) { try JSONReader.readPlain(SourceText(unchecked: Array(text.utf8))) }
    }

    @Test func `plain JSON leaves dollar keys alone`() throws {
        let document = try JSONReader.readPlain(SourceText(unchecked: Array(#"{"$date":"x"}"#.utf8)))
        #expect(document.root.value == .dictionary(["$date": .string("x")]))
    }

    @Test func `leaves null out of foreign text, and reads its names verbatim`() throws {
        let text =
            "{ \"a\": null, // x\n \"b\": [1, null, 2,], \"c\": { \"$date\": null }, \"d\": { \"$ref\": \"e\" } }"
        let document = try JSONReader.readForeign(try SourceText(decoding: Array(text.utf8)))
        let expected = Value.dictionary([
            "b": .array([.integer(Integer(1)), .integer(Integer(2))]), "c": .dictionary([:]),
            "d": .dictionary(["$ref": .string("e")]),
        ])
        #expect(document.root.value == expected)
        #expect(document.warnings.map { "\($0.position)" } == ["1:8", "2:11", "2:38"])
        #expect(throws: PropertyListError.self) {
            try JSONReader.readForeign(try SourceText(decoding: Array("null".utf8)))
        }
    }

    /// Chromium 156 was asked about each, with a profile whose file it is.
    @Test(arguments: [
        (#"// x␊{"a": 1 /* x */} // x"#, Value.integer(Integer(1))), ("{\"a\": \"x␊y\"}", .string("x\ny")),
        (#"{"\x61": "\xff"}"#, .string("ÿ")), (#"{"a": 99999999999999999999999999}"#, .real(1e26)),
        (#"{"a": 2, "a": 1}"#, .integer(Integer(1))), (#"{"a": "\u0000"}"#, .string("\0")),
        ("\u{feff}{\"a\": \"\\ufffe\"}", .string("\u{fffe}")),
        ("{\"n\": [\(String(repeating: "null,", count: 300))null], \"a\": 1}", .integer(Integer(1))),
        (
            "{\"d\": \(String(repeating: "[", count: 198))\(String(repeating: "]", count: 198)), \"a\": 1}",
            .integer(Integer(1))
        ),
    ])
    func `what a browser accepts in its own file is read`(_ text: String, _ value: Value) throws {
        let source = try SourceText(decoding: Array(text.replacing("␊", with: "\n").utf8))
        guard case .dictionary(let members) = try JSONReader.readBrowser(source).root.value else {
            return #expect(Bool(false))
        }
        #expect(members["a"] == value)
    }

    @Test(arguments: [
        "", "{", #"{"a": 1} x"#, #"{"a": 1e400}"#, #"{"a": 01}"#, #"{"a": "\ud800"}"#, #"{"a": "\q"}"#, #"{'a': 1}"#,
        #"{"a": True}"#, #"{"a": .5}"#, #"{"a": 1} /* x"#, #"{"a": "\x4"}"#,
    ])
    func `what a browser refuses in its own file is an error`(_ text: String) throws {
        let source = SourceText(unchecked: Array(text.utf8))
        #expect(throws: PropertyListError.self) { try JSONReader.readBrowser(source) }
    }

    @Test(arguments: [
        "{\"a\": \"x\ny\"}", "{\"a\": \"x\ty\"}", #"{"a": "\x41"}"#, #"{"a": 99999999999999999999999999}"#,
    ])
    func `what only browsers accept is an error in other files`(_ text: String) throws {
        let source = SourceText(unchecked: Array(text.utf8))
        #expect(throws: PropertyListError.self) { try JSONReader.readForeign(source) }
        #expect(throws: PropertyListError.self) { try JSONReader.readPlain(source) }
    }
}
