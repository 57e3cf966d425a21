extension JSONTokenizer {
    /// The mistake of a bare word, and what to write instead.
    func mistake(forWord word: ArraySlice<UInt8>) -> PropertyListError {
        let start = word.startIndex
        guard word.count <= 60 else {
            return mistake("text stands in double quotes", at: start)
        }
        let text = String(decoding: word, as: UTF8.self)
        switch text.lowercased() {
        case "true": return mistake("'\(text)' is not JSON; write true", at: start)
        case "false": return mistake("'\(text)' is not JSON; write false", at: start)
        case "yes", "on": return mistake("'\(text)' is not JSON; write true, or \"\(text)\" for a text", at: start)
        case "no", "off": return mistake("'\(text)' is not JSON; write false, or \"\(text)\" for a text", at: start)
        case "null", "nil", "none", "undefined":
            return mistake("'\(text)' is not JSON, and a property list has no null; leave the key out", at: start)
        case "nan": return mistake(.number, "'\(text)' is not JSON; write {\"$real\":\"nan\"}", at: start)
        case "infinity", "inf": return mistake(.number, "'\(text)' is not JSON; write {\"$real\":\"inf\"}", at: start)
        default: return mistake("text stands in double quotes: \"\(JSONTokenizer.beginning(of: text))\"", at: start)
        }
    }

    /// As much of a word as helps to find it: it may be a password, or the first word of a file that is none of policy.
    private static func beginning(of text: String) -> String {
        let scalars = text.unicodeScalars
        return scalars.count <= 4 ? text : "\(String(String.UnicodeScalarView(scalars.prefix(3))))…"
    }

    /// The mistake of the next character, with which no token begins.
    func strayCharacter() -> PropertyListError {
        let rest = utf8[offset...].prefix(4)
        guard let byte = rest.first else { return mistake(.truncated, "the text ends here", at: offset) }
        if isMergeMark {
            return mistake(
                "two versions of the text stand here, from <<<<<<< to >>>>>>>, as a merge left them", at: offset)
        }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "`"):
            return mistake("text stands in double quotes, not in single quotes", at: offset)
        case UInt8(ascii: "+"): return mistake(.number, "a number has no plus sign", at: offset)
        case UInt8(ascii: "."):
            return mistake(.number, "a number begins with a digit: 0.5, not .5", at: offset)
        case UInt8(ascii: "="): return mistake("between a key and its value stands a colon, not '='", at: offset)
        case UInt8(ascii: ";"): return mistake("members are parted by commas, not by semicolons", at: offset)
        case UInt8(ascii: "("), UInt8(ascii: ")"):
            return mistake("an array stands in square brackets, not in parentheses", at: offset)
        case UInt8(ascii: "#") where allowsComments:
            return mistake("a comment begins with //, not with #", at: offset)
        case UInt8(ascii: "<"):
            return mistake(markup ?? "this is not JSON; data is written as {\"$data\":\"…\"}, in Base64", at: offset)
        case 0x21..<0x7f:
            return mistake("the character '\(Unicode.Scalar(byte))' does not belong here", at: offset)
        default:
            guard let scalar = String(decoding: rest, as: UTF8.self).unicodeScalars.first else {
                return mistake("the character here does not belong here", at: offset)
            }
            return mistake(forForeign: scalar)
        }
    }

    /// Whether one of the lines begins here with which version control marks two versions of a text.
    private var isMergeMark: Bool {
        let isLine = offset == 0 || utf8[offset - 1] == 0x0a
        return isLine && ["<<<<<<<", "=======", ">>>>>>>"].contains { utf8[offset...].starts(with: $0.utf8) }
    }

    /// What is wrong where a text in another language begins the file; `nil` where it does not.
    private var markup: String? {
        guard utf8[..<offset].allSatisfy({ $0 == 0x20 || (0x09...0x0d).contains($0) }) else { return nil }
        let start = String(decoding: utf8[offset...].prefix(14), as: UTF8.self).lowercased()
        if start.hasPrefix("<html") || start.hasPrefix("<!doctype html") {
            return "this is a page of a web site, not a file that it offers"
        }
        let isXML = start.hasPrefix("<?xml") || start.hasPrefix("<!") || start.hasPrefix("<plist")
        return isXML ? "this is XML, and the file's name says JSON; a property list has a name in .plist" : nil
    }

    /// The mistake of a character beyond ASCII, or of a control character, outside of a string.
    private func mistake(forForeign scalar: Unicode.Scalar) -> PropertyListError {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let name = "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        switch scalar.value {
        case 0x2018...0x201f, 0xab, 0xbb:
            return mistake("these are typographic quotes; text stands in straight ones: \"", at: offset)
        case 0xa0, 0x2000...0x200b, 0x202f, 0x3000, 0xfeff:
            return mistake("the blank here is the character \(name); write an ordinary one", at: offset)
        default: return mistake("the character \(name) does not belong outside of a string", at: offset)
        }
    }
}
