import Foundation
import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

/// One profile in many encodings is one policy.
struct ProfileVariantTests {
    /// The profile.
    static let text: String = {
        let file = ProfileGoldenTests.folder.appendingPathComponent("levels.mobileconfig")
        return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    }()

    /// The entries of a profile without their places.
    static func entries(_ bytes: [UInt8]) -> [String] {
        let result = PolicyFile.parse(bytes: bytes, path: "p.mobileconfig")
        guard let file = result.file else { return result.diagnostics.map(\.description) }
        return [file.identifier]
            + file.entries.map { entry in
                "\(entry.level) \(entry.domain) \(entry.key) \(String(describing: entry.value?.value)) \(entry.rule)"
            }
    }

    /// The text in UTF-16.
    private static func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit -> [UInt8] in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xff))
            return bigEndian ? [high, low] : [low, high]
        }
    }

    /// The ways in which the profile is written.
    static let variants: [(name: String, bytes: [UInt8])] = {
        let bytes = Array(text.utf8)
        let little = utf16(text, bigEndian: false)
        let big = utf16(text, bigEndian: true)
        let broken = text.replacingOccurrences(of: "What the", with: "What “the” über")
        return [
            ("CRLF", Array(text.replacingOccurrences(of: "\n", with: "\r\n").utf8)),
            ("CR", Array(text.replacingOccurrences(of: "\n", with: "\r").utf8)),
            ("byte order mark", [0xef, 0xbb, 0xbf] + bytes),
            ("UTF-16 LE with mark", [0xff, 0xfe] + little), ("UTF-16 BE with mark", [0xfe, 0xff] + big),
            ("UTF-16 LE", little), ("UTF-16 BE", big), ("UTF-16 LE padded", little + [0, 0, 0, 0]),
            ("zero bytes behind", bytes + [UInt8](repeating: 0, count: 512)),
            ("zero bytes before", [0, 0] + bytes), ("mark behind blanks", Array("\n \u{feff}\u{feff}".utf8) + bytes),
            ("blank lines before", Array("\r\n\n  ".utf8) + bytes),
            ("garbage behind", bytes + Array("\u{1}<<< <!- &".utf8)),
            ("no declaration", Array(text.split(separator: "\n").dropFirst().joined(separator: "\n").utf8)),
            ("no DOCTYPE", Array(text.split(separator: "\n").dropFirst(2).joined(separator: "\n").utf8)),
            (
                "Latin-1",
                broken.replacingOccurrences(of: "UTF-8", with: "windows-1252").unicodeScalars.map { scalar in
                    switch scalar {
                    case "“": 0x93
                    case "”": 0x94
                    default: UInt8(truncatingIfNeeded: scalar.value)
                    }
                }
            ),
            (
                "document type with entities",
                Array(
                    text.replacingOccurrences(
                        of: "<!DOCTYPE plist", with: "<!DOCTYPE plist [ <!ENTITY a \">\"> ]>\n<!doctype plist"
                    ).utf8)
            ),
            ("comments", Array(text.replacingOccurrences(of: "<key>", with: "<!-- a -- b --><key>").utf8)),
        ]
    }()

    @Test(arguments: variants.indices) func `reads every way of writing it`(_ index: Int) {
        let variant = Self.variants[index]
        let expected = Self.entries(Array(Self.text.utf8))
        #expect(expected.count == 7)
        #expect(Self.entries(variant.bytes) == expected, "\(variant.name)")
    }

    @Test(arguments: [0, 1, 7, 300]) func `reads it in binary, padded with zero bytes`(_ count: Int) throws {
        let value = try Document.read(Array(Self.text.utf8), as: .xml).root.value
        let binary = try BinaryWriter.write(value)
        let expected = Set(Self.entries(Array(Self.text.utf8)))
        #expect(Set(Self.entries(binary + [UInt8](repeating: 0, count: count))) == expected)
    }

    @Test func `never traps on a profile that ends early or is changed in one byte`() {
        let bytes = Array(Self.text.utf8)
        for count in stride(from: 0, to: bytes.count, by: 7) {
            #expect(PolicyFile.parse(bytes: Array(bytes[..<count]), path: "p.mobileconfig").file == nil)
        }
        for index in Sweeping.places(in: bytes, about: 300) {
            var changed = bytes
            changed[index] ^= 0x55
            let result = PolicyFile.parse(bytes: changed, path: "p.mobileconfig")
            #expect(result.file != nil || result.diagnostics.contains { $0.severity == .error })
        }
    }

    @Test func `reads a text of several lines with line feeds, whatever ends its lines in the file`() {
        let text = Self.text.replacingOccurrences(of: "de_CH", with: "a\nb<![CDATA[\nc]]>\n&#13;")
        let expected = Self.entries(Array(text.utf8))
        #expect(expected.contains { $0.contains("a\\nb\\nc\\n\\r") })
        for end in ["\r\n", "\r"] {
            #expect(Self.entries(Array(text.replacingOccurrences(of: "\n", with: end).utf8)) == expected)
        }
    }

    /// Texts in other notations, and the advice that is given.
    static let notations = [
        (#"{ "PayloadType": "Configuration", "PayloadContent": [] }"#, "is JSON; plutil -convert xml1 on a Mac, or"),
        (
            "// A profile\n{ PayloadType = Configuration; }",
            "is a property list in OpenStep's notation; plutil -convert"
        ),
        (#"{ "Identifier": "a.b", "Forced": {} }"#, "is JSON; a policy file in it has a name that ends in .json"),
        (" { Identifier = a; }", "OpenStep's notation; a policy file in it has a name that ends in .plist"),
        ("{ HomePage = x; }", "mdefaults policy convert --from plist --domain NAME takes it"),
        (#"{ "HomepageLocation": "x" }"#, "if these are the policies of a browser, mdefaults policy convert takes it"),
        ("{ HomePage", "signed or not, and this file is neither"), ("( 1 )", "signed or not, and this file is neither"),
    ]

    @Test(arguments: notations) func `says what makes a profile of another notation`(_ text: String, _ words: String) {
        let result = PolicyFile.parse(bytes: Array(text.utf8), path: "p.mobileconfig")
        #expect(result.file == nil && result.diagnostics.count == 1)
        #expect(result.diagnostics.first?.message.contains(words) == true, "\(result.diagnostics)")
    }

    @Test func `counts lines as an editor does, also behind blank lines`() {
        let text = "\r\n\r\n" + Self.text.replacingOccurrences(of: "\n", with: "\r\n")
        let file = PolicyFile.parse(bytes: Array(text.utf8), path: "p.mobileconfig").file
        #expect(file?.entries.first?.origin.position.line == 19)
    }
}
