import Foundation
import Testing

@testable import PropertyList

/// OpenStep text, read by us, by CoreFoundation and by GNUstep.
struct OpenStepDifferentialTests {
    /// A value of the types that the format has.
    private let sample: Value = .dictionary([
        "plain": .string("abc"), "a b": .string("\"\\'\n\té😀\u{1b}\u{2028}"),
        "": .array([.string(""), .array([]), .dictionary([:])]),
        "data": .data((0..<50).map { UInt8($0) }), "k/$_:.-": .string("http://example.org/"),
    ])

    @Test(.enabled(if: ForeignTool.plutil != nil, "plutil is not installed"))
    func `CoreFoundation reads what we write`() throws {
        let plutil = try #require(ForeignTool.plutil)
        let folder = try TemporaryFolder()
        let file = try folder.write(OpenStepWriter.write(sample), as: "ours.plist")
        #expect(try ForeignTool.run(plutil, ["-convert", "binary1", "-o", "\(folder.path)/x", file]).status == 0)
        #expect(
            try ForeignTool.run(plutil, ["-convert", "xml1", "-o", "\(folder.path)/y", "\(folder.path)/x"]).status == 0)
        // CoreFoundation writes U+001B raw, which XML forbids; the rest is compared.
        let text = String(decoding: try folder.read("y"), as: UTF8.self).replacing("\u{1b}", with: "")
        var expected = try XMLReader.read(SourceText(decoding: Array(text.utf8))).root.value
        if case .dictionary(var entries) = expected {
            entries["a b"] = .string("\"\\'\n\té😀\u{1b}\u{2028}")
            expected = .dictionary(entries)
        }
        #expect(expected == sample)
    }

    @Test(.enabled(if: ForeignTool.plutil != nil, "plutil is not installed"))
    func `octal escapes mean what CoreFoundation means`() throws {
        let plutil = try #require(ForeignTool.plutil)
        let folder = try TemporaryFolder()
        let codes = (0x80...0xfd).map { String($0, radix: 8) }
        let text = "{ a = (" + codes.map { "\"\\\($0)\"" }.joined(separator: ", ") + "); }"
        let file = try folder.write(Array(text.utf8), as: "octal.plist")
        let (status, output) = try ForeignTool.run(plutil, ["-convert", "xml1", "-o", "-", file])
        #expect(status == 0)
        #expect(
            try Document.read(Array(output.utf8)).root.value
                == OpenStepReader.read(SourceText(decoding: Array(text.utf8))).root.value)
    }

    /// What GNUstep writes for a value in one of its formats.
    ///
    /// Beyond U+FFFF, GNUstep writes `\UD83D\UDE00` even into XML; those are backslashes for every other reader.
    private func gnustep(_ format: String, of value: Value) throws -> [UInt8] {
        let plser = try #require(ForeignTool.plser)
        let folder = try TemporaryFolder()
        let file = try folder.write(XMLWriter.write(value), as: "x.plist")
        return Array(try ForeignTool.run(plser, [file, "-Format", format]).output.utf8)
    }

    @Test(
        .enabled(if: ForeignTool.plser != nil, "GNUstep's tools are not installed"),
        arguments: ["NSPropertyListGNUstepFormat", "NSPropertyListXMLFormat_v1_0", "NSPropertyListOpenStepFormat"])
    func `what GNUstep writes we read`(_ format: String) throws {
        let value = Value.dictionary([
            "name": .string("Zoë \"x\" \\ y"), "n": .integer(-42), "r": .real(1.5), "t": .boolean(true),
            "when": .date(816_854_400), "d": .data([1, 2, 3]),
            "l": .array([.string("a"), .dictionary(["b": .string("c d")])]),
        ])
        let document = try Document.read(gnustep(format, of: value))
        if format == "NSPropertyListOpenStepFormat" {
            #expect(document.root.value != value, "the format has no numbers")
            #expect(document.root.entries?.count == 7)
        } else {
            #expect(document.root.value == value)
        }
    }
}
