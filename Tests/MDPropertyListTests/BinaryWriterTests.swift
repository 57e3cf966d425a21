import Foundation
import MDPropertyList
import MDTestSupport
import Testing

struct BinaryWriterTests {
    @Test func `equal scalars are stored once, of different types apart`() throws {
        let bytes = try BinaryWriter.write(
            .array([.string("ab"), .string("ab"), .integer(1), .real(1), .boolean(true), .integer(1)]))
        #expect(
            bytes
                == BinaryFile.of([
                    [0xa6, 1, 1, 2, 3, 4, 2], [0x52, 0x61, 0x62], [0x10, 1], [0x23, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0],
                    [0x09],
                ]))
    }

    @Test func `keys are sorted by their bytes`() throws {
        let bytes = try BinaryWriter.write(
            .dictionary(["b": .boolean(true), "\u{e9}": .boolean(true), "B": .integer(7)]))
        #expect(
            bytes
                == BinaryFile.of([
                    [0xd3, 1, 2, 3, 4, 5, 5], [0x51, 0x42], [0x51, 0x62], [0x61, 0, 0xe9], [0x10, 7], [0x09],
                ]))
    }

    @Test func `widths grow with the number of objects and their size`() throws {
        for count in [254, 255, 256, 65_534, 65_535, 65_536] {
            let value = Value.array((0..<count).map { .integer($0) })
            let bytes = try BinaryWriter.write(value)
            #expect(try BinaryReader.read(bytes).root.value == value)
        }
    }

    @Test func `values deeper than readers accept are refused`() throws {
        var value = Value.array([])
        for _ in 1..<512 { value = .array([value]) }
        #expect(try BinaryReader.read(BinaryWriter.write(value)).root.value == value)
        let deeper = Value.array([value])
        #expect(throws: PropertyListError.self) { try BinaryWriter.write(deeper) }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `what is written reads back the same`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let value = RandomValue.make(depth: 4, using: &random)
        let bytes = try BinaryWriter.write(value)
        let document = try BinaryReader.read(bytes)
        #expect(document.root.value == value)
        #expect(try BinaryWriter.write(document.root.value) == bytes)
    }
}

/// Compares the binary and the JSON codec with Python and with CoreFoundation's `plutil`.
///
/// Values are compared as values, not as bytes: Python stores 0.0 and -0.0 once, and CoreFoundation a real and an
/// integer of the same size, so their files lose which of the two it was.
struct BinaryForeignTests {
    /// Random values, the same in every run.
    private static func values() -> [Value] {
        (0..<200 as Range<UInt64>).map { seed in
            var random = SplitMix(state: seed &+ 1_000)
            return .dictionary(["root": RandomValue.make(depth: 3, using: &random)])
        }
    }

    @Test(.enabled(if: ForeignTool.python3 != nil, "python3 is not installed"))
    func `Python reads what we write, and we read what Python writes`() throws {
        let python = try #require(ForeignTool.python3)
        let values = BinaryForeignTests.values()
        try ForeignTool.withFolder { folder in
            for (index, value) in values.enumerated() {
                try Data(BinaryWriter.write(value)).write(to: folder.appending(path: "\(index).in"))
            }
            let script = """
                import os, plistlib, sys
                for name in os.listdir(sys.argv[1]):
                    path = os.path.join(sys.argv[1], name)
                    with open(path, 'rb') as file:
                        value = plistlib.load(file, fmt=plistlib.FMT_BINARY)
                    with open(path[:-3] + '.out', 'wb') as file:
                        plistlib.dump(value, file, fmt=plistlib.FMT_BINARY)
                """
            let (status, output) = try ForeignTool.run(python, ["-c", script, folder.path])
            try #require(status == 0, "\(output)")
            for (index, value) in values.enumerated() {
                let bytes = [UInt8](try Data(contentsOf: folder.appending(path: "\(index).out")))
                let read = try BinaryReader.read(bytes).root.value
                #expect(read == value, "seed \(index + 1_000)")
            }
        }
    }

    @Test(.enabled(if: ForeignTool.plutil != nil, "the toolchain has no plutil"))
    func `plutil reads what we write, and we read what plutil writes`() throws {
        let plutil = try #require(ForeignTool.plutil)
        // CoreFoundation strips a byte order mark off strings, and joins keys that differ by normalization.
        let values = BinaryForeignTests.values().filter { value in
            var writer = JSONWriter()
            writer.value(value)
            return !writer.text.unicodeScalars.contains("\u{301}") && !writer.text.utf8.contains("\\ufeff".utf8)
        }
        try #require(values.count > 50)
        try ForeignTool.withFolder { folder in
            let paths = values.indices.map { folder.appending(path: "\($0).plist").path }
            for (path, value) in zip(paths, values) {
                try Data(BinaryWriter.write(value)).write(to: URL(fileURLWithPath: path))
            }
            let (lint, findings) = try ForeignTool.run(plutil, ["-lint", "-s"] + paths)
            #expect(lint == 0, "\(findings)")
            let (status, output) = try ForeignTool.run(plutil, ["-convert", "binary1"] + paths)
            try #require(status == 0, "\(output)")
            for (index, (path, value)) in zip(paths, values).enumerated() {
                let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
                let read = try BinaryReader.read(bytes).root.value
                #expect(read == value, "seed \(index + 1_000)")
            }
        }
    }

    @Test(.enabled(if: ForeignTool.python3 != nil, "python3 is not installed"))
    func `plain JSON is accepted and refused as Python does it`() throws {
        let python = try #require(ForeignTool.python3)
        try ForeignTool.withFolder { folder in
            for (index, text) in BinaryForeignTests.trickyTexts.enumerated() {
                try Data(text.utf8).write(to: folder.appending(path: "\(index)"))
            }
            // Python's json accepts NaN, Infinity and lone surrogates, and its numbers are unlimited.
            let script = """
                import json, sys
                def refuse(word): raise ValueError(word)
                for index in range(int(sys.argv[2])):
                    try:
                        with open(f'{sys.argv[1]}/{index}', encoding='utf-8') as file:
                            json.loads(file.read(), parse_constant=refuse)
                        print('1')
                    except ValueError:
                        print('0')
                """
            let count = String(BinaryForeignTests.trickyTexts.count)
            let (status, output) = try ForeignTool.run(python, ["-c", script, folder.path, count])
            try #require(status == 0, "\(output)")
            let answers = output.split(separator: "\n").map { $0 == "1" }
            try #require(answers.count == BinaryForeignTests.trickyTexts.count)
            for (text, accepted) in zip(BinaryForeignTests.trickyTexts, answers) {
                let ours = (try? JSONReader.readPlain(SourceText(decoding: Array(text.utf8)))) != nil
                #expect(ours == accepted, "\(text)")
            }
        }
    }

    /// Texts at the borders of RFC 8259.
    private static let trickyTexts: [String] = [
        "[]", "[ ]", "[1]", "[1,]", "[,1]", "[1,,2]", "[1 2]", "[1", "1]", "[[1]", "{}", "{\"a\":1}", "{\"a\":1,}",
        "{a:1}",
        "{'a':1}", "{\"a\" 1}", "{\"a\":}", "{\"a\"}", "{:1}", "{1:1}", "{\"a\":1 \"b\":2}", "{\"a\":1,\"a\":2}",
        "{}{}",
        "[1]x", "0", "-0", "-", "00", "01", "-01", "1.", ".1", "1.0", "1e", "1e5", "1E+5", "1e-5", "1e+", "+1", "1.e5",
        "0x1", "1_000", "--1", "NaN", "Infinity", "-Infinity", "true", "True", "tru", "false", "falsey", "\"\"", "\"a",
        "a\"", "\"\\n\"", "\"\\x41\"", "\"\\u0041\"", "\"\\u004\"", "\"\\u00g0\"", "\"\\U0041\"", "\"\\'\"", "\"\\/\"",
        "\"\t\"", "\"\n\"", "\"\u{0}\"", "\"\u{7f}\"", "\"\u{2028}\"", "\"\u{1f600}\"", "\"\\ud83d\\ude00\"", "'a'", "",
        " ",
        "\n[1]\r\n\t ", "\u{c}[1]", "\u{a0}[1]", "\u{2028}[1]", "[1]\u{0}", "// c\n1", "/**/1", "1 // c", "# c\n1",
        "[1}",
        "{\"a\":1]", "{\"\":1}", "[\"a\",\n4,\n1,", "[*]", "[\"\\", "\\u0041", "[1:2]", "<1>", "\"a\" \"b\"", "-1.5e-3",
    ]
}
