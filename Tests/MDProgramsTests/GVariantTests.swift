import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPrograms

/// Values of GVariant in text and bytes, and databases of them, held to dconf.
struct GVariantTests {
    /// Whether dconf is installed; tests that need it are skipped where it is not.
    static let hasDconf = Root.system.mayExist("/usr/bin/dconf")

    /// Each type with a value and the text that GLib prints for it.
    static let samples: [(type: String, value: Value, text: String)] = [
        ("b", .boolean(true), "true"),
        ("y", .integer(7), "byte 0x07"),
        ("n", .integer(-3), "int16 -3"),
        ("q", .integer(65_535), "uint16 65535"),
        ("i", .integer(Int(Int32.min)), "-2147483648"),
        ("u", .integer(5), "uint32 5"),
        ("x", .integer(Int.min), "int64 -9223372036854775808"),
        ("t", .integer(Integer(UInt64.max)), "uint64 18446744073709551615"),
        ("d", .real(0.1), "0.10000000000000001"),
        ("d", .integer(2), "2.0"),
        ("d", .real(1e300), "1.0000000000000001e+300"),
        ("d", .real(-.infinity), "-inf"),
        ("s", .string("it's \"so\"\\\n\u{1}é\u{200b}"), "\"it's \\\"so\\\"\\\\\\n\\u0001é\\u200b\""),
        ("s", .string(""), "''"),
        ("o", .string("/org/x_1"), "objectpath '/org/x_1'"),
        ("g", .string("a{sv}"), "signature 'a{sv}'"),
        ("as", .array([]), "@as []"),
        ("as", .array([.string("a"), .string("bb")]), "['a', 'bb']"),
        ("au", .array([.integer(1), .integer(2)]), "[uint32 1, 2]"),
        ("ab", .array([.boolean(true), .boolean(false)]), "[true, false]"),
        ("a(ss)", .array([.array([.string("xkb"), .string("de")])]), "[('xkb', 'de')]"),
        ("a{ss}", .dictionary(["k": .string("v"), "a": .string("b")]), "{'a': 'b', 'k': 'v'}"),
        ("a{ss}", .dictionary([:]), "@a{ss} {}"),
        ("a{uas}", .dictionary(["7": .array([.string("x")])]), "{uint32 7: ['x']}"),
        ("a{sv}", .dictionary(["n": .integer(5), "s": .string("t")]), "{'n': <5>, 's': <'t'>}"),
        ("mi", .integer(3), "@mi 3"),
        ("ms", .string("x"), "@ms 'x'"),
        ("(ybd)", .array([.integer(1), .boolean(true), .real(2.5)]), "(byte 0x01, true, 2.5)"),
        ("(s)", .array([.string("one")]), "('one',)"),
        ("(a(ii)s)", .array([.array([.array([.integer(1), .integer(2)])]), .string("e")]), "([(1, 2)], 'e')"),
        ("v", .array([.integer(1), .string("a")]), "<[<1>, <'a'>]>"),
        ("ay", .data(Array("abc".utf8) + [0]), "b'abc'"),
        ("ay", .data([1, 2]), "[byte 0x01, 0x02]"),
        ("aas", .array([.array([]), .array([.string("x")])]), "[@as [], ['x']]"),
        ("()", .array([]), "()"),
    ]

    private func variant(_ type: String, _ value: Value) throws -> GVariant {
        try GVariant(value, as: try #require(GVariantType(type.utf8)))
    }

    @Test func `values of every type have the text that GLib prints`() throws {
        for sample in Self.samples {
            let variant = try variant(sample.type, sample.value)
            #expect(variant.text == sample.text)
            #expect(variant.type.text == sample.type)
            #expect(GVariantReader.read(variant.bytes[...], variant.type) == variant, "\(sample.text)")
        }
    }

    @Test func `what has not the type is refused`() throws {
        let wrong: [(String, Value, String)] = [
            ("b", .integer(1), "the value is an integer, and the key wants a boolean"),
            ("u", .integer(-1), "-1 does not fit: the key has 0 to 4294967295"),
            ("i", .real(1.5), "the value is a real number, and the key wants an integer"),
            ("s", .array([]), "the value is an array, and the key wants a string"),
            ("as", .string("a"), "the value is a string, and the key wants an array (as)"),
            ("(ss)", .array([.string("a")]), "the value is an array, and the key wants an array of 2 values ((ss))"),
            ("a{us}", .dictionary(["x": .string("v")]), "the value is a string, and the key wants an integer"),
            ("v", .date(0), "GSettings has no dates"),
            ("o", .string("org"), "the value is no object path"),
            ("s", .string("a\0b"), "the text has a NUL, which GSettings cannot hold"),
        ]
        for (type, value, message) in wrong {
            #expect(throws: GVariant.TypeError(description: message)) { try variant(type, value) }
        }
        #expect(try variant("i", .real(3.0)).text == "3")
    }

    @Test func `only whole types are types`() {
        for text in [
            "", "as)", "(s", "a", "{ss}", "a{as}", "a{s}", "a{sss}", "z", "m", String(repeating: "a", count: 80) + "s",
        ] {
            #expect(GVariantType(text.utf8) == nil, "\(text)")
        }
        #expect(GVariantType("(sa{s(iv)}mad)".utf8)?.text == "(sa{s(iv)}mad)")
    }

    @Test(.enabled(if: hasDconf, "dconf is not installed"))
    func `dconf reads our databases`() throws {
        let folder = try TemporaryFolder()
        var values: [Key: GVariant] = [:]
        for (index, sample) in Self.samples.enumerated() {
            values[Key("/org/example/a\(index % 3)/k\(index)")] = try variant(sample.type, sample.value)
        }
        try folder.write("db", GVDBWriter.database(values: values, locks: ["/org/example/a0/k0", "/x/free"]))
        try folder.write("profile", "file-db:\(folder("db"))\n")
        for (path, value) in values {
            let result = try dconf(["read", path.string], folder)
            #expect(result == value.text + "\n")
        }
        #expect(try dconf(["list", "/org/example/"], folder) == "a0/\na1/\na2/\n")
        let all = try dconf(["dump", "/"], folder)
        #expect(all.split(separator: "\n").count { $0.contains("=") } == values.count)
    }

    @Test(.enabled(if: hasDconf, "dconf is not installed"))
    func `databases of dconf are read`() throws {
        let folder = try TemporaryFolder()
        try folder.makeDirectory("db.d/locks")
        var lines = ["[org/example]"]
        for (index, sample) in Self.samples.enumerated() { lines.append("k\(index)=\(sample.text)") }
        try folder.write("db.d/keys", lines.joined(separator: "\n") + "\n")
        try folder.write("db.d/locks/l", "/org/example/k1\n")
        _ = try dconf(["compile", folder("db"), folder("db.d")], folder)
        let file = try #require(GVDBFile(try folder.read("db")))
        for (index, sample) in Self.samples.enumerated() {
            #expect(file.root.value("/org/example/k\(index)")?.text == sample.text)
        }
        #expect(file.root.value("/org/example/k") == nil)
        #expect(file.root.table(".locks")?.names == ["/org/example/k1"])
        #expect(file.root.table(".locks")?.hasValue("/org/example/k1") == true)
        #expect(Set(file.root.names.map { Key($0) }).count == Self.samples.count)
    }

    private func dconf(_ words: [String], _ folder: TemporaryFolder) throws -> String {
        let result = try Subprocess.run(
            "/usr/bin/dconf", words, variables: ["DCONF_PROFILE=\(folder("profile"))", "HOME=\(folder(""))"],
            timeoutMilliseconds: 20_000, limit: 1 << 20)
        #expect(result.status == 0)
        return String(decoding: result.output, as: UTF8.self)
    }

    @Test func `an empty database is one`() throws {
        let file = try #require(GVDBFile(GVDBWriter.database(values: [:], locks: [])))
        #expect(file.root.names == [])
        #expect(file.root.value("/a") == nil)
        let locks = try #require(GVDBFile(GVDBWriter.database(values: [:], locks: ["/a/b"])))
        #expect(locks.root.table(".locks")?.names == ["/a/b"])
    }

    @Test func `damage is found and never fatal`() throws {
        var values: [Key: GVariant] = [:]
        for (index, sample) in Self.samples.enumerated() {
            values[Key("/org/k\(index)/x")] = try variant(sample.type, sample.value)
        }
        let whole = GVDBWriter.database(values: values, locks: Set(values.keys))
        var random = SplitMix(state: 18)
        var (missing, same) = (0, 0)
        for _ in 0..<2_000 {
            var bytes = whole
            if Bool.random(using: &random) {
                bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            } else {
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
            }
            guard let file = GVDBFile(bytes) else {
                missing += 1
                continue
            }
            _ = file.root.names
            _ = file.root.table(".locks")?.names
            for (path, value) in values {
                if file.root.value(path.string) == value { same += 1 } else { missing += 1 }
            }
        }
        #expect(missing > 0)
        #expect(same > 0)
    }
}
