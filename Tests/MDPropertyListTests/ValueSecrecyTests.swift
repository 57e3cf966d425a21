import Testing

@testable import MDPropertyList

/// Messages about a property list name places and never values, because a preference file may hold a secret.
struct ValueSecrecyTests {
    /// The text in the place of a secret.
    private static let secret = "PIN4466LEAK"

    /// What is said of a file: its error or its warnings.
    private func words(of bytes: [UInt8], as format: Format) -> [String] {
        do throws(PropertyListError) {
            return try Document.read(bytes, as: format).warnings.map(\.message)
        } catch {
            return [error.message]
        }
    }

    @Test(
        arguments: [
            (.xml, "<integer>PIN4466LEAK</integer>"), (.xml, "<integer>0xPIN4466LEAK</integer>"),
            (.xml, "<real>PIN4466LEAK</real>"), (.xml, "<date>PIN4466LEAK</date>"), (.xml, "<data>PIN4466LEAK!</data>"),
            (.xml, "<true>PIN4466LEAK</true>"), (.xml, "<string>&PIN4466LEAK;</string>"),
            (.xml, "<string>&#PIN4466;</string>"), (.xml, "<string>x<PIN4466LEAK</string>"),
            (.xml, "<string>x</PIN4466LEAK</string>"), (.xml, "PIN4466LEAK"), (.xml, "<string>PIN4466LEAK"),
            (.openStep, "<*IPIN4466LEAK>"), (.openStep, "<*RPIN4466LEAK>"), (.openStep, "<*DPIN4466LEAK>"),
            (.openStep, "<*PIN4466LEAK>"), (.openStep, "<PIN4466LEAK>"), (.openStep, "<[PIN4466LEAK!]>"),
            (.openStep, "a PIN4466LEAK"), (.openStep, "a; PIN4466LEAK"), (.openStep, "a; PIN4466LEAK b"),
            (.openStep, "\"\\PIN4466LEAK\""), (.openStep, "'PIN4466LEAK"),
            (.json, "PIN4466LEAK"), (.json, "4466PIN4466LEAK"), (.json, "\"a\" PIN4466LEAK"),
            (.json, "\"\\PIN4466LEAK\""), (.json, "{\"$int\":\"PIN4466LEAK\"}"), (.json, "{\"$real\":\"PIN4466LEAK\"}"),
            (.json, "{\"$date\":\"PIN4466LEAK\"}"), (.json, "{\"$data\":\"PIN4466LEAK!\"}"),
        ] as [(Format, String)])
    func `an error quotes no value`(_ format: Format, _ value: String) {
        let text =
            switch format {
            case .xml: "<plist version=\"1.0\"><dict><key>a</key>\(value)</dict></plist>"
            case .json: "{\"a\": \(value)}"
            case .openStep, .binary: "{ a = \(value); }"
            }
        let words = words(of: Array(text.utf8), as: format)
        #expect(!words.isEmpty)
        #expect(words.allSatisfy { !$0.contains("PIN") && !$0.contains("4466") && !$0.contains("LEAK") }, "\(words)")
    }

    @Test func `no byte of a file can be changed so that a message quotes a value`() throws {
        let secret = ValueSecrecyTests.secret
        let value = Value.dictionary([
            "a": .array([.string(secret), .data(Array(secret.utf8)), .integer(4_466), .string("é\(secret)")]),
            "b": .dictionary(["c": .string("<\(secret)&")]),
        ])
        let files: [(Format, [UInt8])] = [
            (.binary, try BinaryWriter.write(value)),
            (.xml, Array("<plist><dict><key>a</key><array><string>\(secret)</string></array></dict></plist>".utf8)),
            (.openStep, Array("{ a = (\"\(secret)\", <0fbd>, 'x'); b = { c = \(secret); }; }".utf8)),
            (.json, Array("{\"a\": [\"\(secret)\", {\"$data\":\"AQI=\"}], \"b\": {\"c\": \"\(secret)\"}}".utf8)),
        ]
        for (format, bytes) in files {
            for offset in bytes.indices {
                let cut = words(of: Array(bytes[..<offset]), as: format)
                #expect(cut.allSatisfy { !$0.contains("LEAK") }, "\(cut)")
                for byte in [0x00, 0x22, 0x26, 0x3c, 0x3e, 0x41] as [UInt8] {
                    var changed = bytes
                    changed[offset] = byte
                    let said = words(of: changed, as: format)
                    #expect(said.allSatisfy { !$0.contains("LEAK") }, "\(said)")
                }
            }
        }
    }
}
