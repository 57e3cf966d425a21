extension OpenStepWriter {
    /// A string as it stands in OpenStep text: as it is if it has only ASCII letters and digits, else in quotation
    /// marks, everything but printable ASCII escaped.
    static func quoted(_ text: String) -> String {
        if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
        var result = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22: result += "\\\""
            case 0x5c: result += "\\\\"
            case 0x0a: result += "\\n"
            case 0x09: result += "\\t"
            case 0x0d: result += "\\r"
            case 0x20...0x7e: result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default:
                let digits = String(unit, radix: 16)
                result += "\\U" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            }
        }
        return result + "\""
    }

    /// Whether a byte needs no quotation marks.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
