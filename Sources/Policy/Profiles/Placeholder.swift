/// Finds the marks that templates of device management leave in a text for a server to fill in.
enum Placeholder {
    /// The first mark in a text as it stands there, or `nil`.
    ///
    /// Found are `{{…}}`, `${…}`, `%Name%`, `$NAME` where it is one that servers fill in, `__NAME__` and `@@NAME@@` as
    /// whole texts.
    static func first(in text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.contains(where: { [0x24, 0x25, 0x40, 0x5f, 0x7b].contains($0) }) else { return nil }
        for mark in ["__", "@@"] where isWhole(bytes, mark) { return text }
        var index = 0
        while index < bytes.count {
            let length: Int?
            switch bytes[index] {
            case UInt8(ascii: "{"): length = enclosed(bytes[index...], "{{", "}}")
            case UInt8(ascii: "%"): length = percent(bytes[index...])
            case UInt8(ascii: "$"): length = enclosed(bytes[index...], "${", "}") ?? dollar(bytes[index...])
            default: length = nil
            }
            if let length { return String(decoding: bytes[index..<(index + length)], as: UTF8.self) }
            index += 1
        }
        return nil
    }

    /// The longest mark, in bytes.
    private static let longest = 80

    /// The names behind a `$` that servers fill in.
    private static let names: Set<String> = [
        "ASSET_TAG", "BUILDINGID", "BUILDINGNAME", "COMPUTERNAME", "DEPARTMENTID", "DEPARTMENTNAME", "DEVICENAME",
        "EMAIL", "FULLNAME", "JPS_URL", "JSSID", "MACADDRESS", "MANAGEMENTID", "PAYLOAD_UUID", "PHONE", "POSITION",
        "PROFILEJSSID", "PROFILE_IDENTIFIER", "REALNAME", "ROOM", "SERIALNUMBER", "SITEID", "SITENAME", "UDID",
        "USERNAME",
    ]

    /// Whether a text is a name in capitals between two marks.
    private static func isWhole(_ bytes: [UInt8], _ mark: String) -> Bool {
        guard bytes.count > 4, bytes.count <= longest, bytes.starts(with: mark.utf8),
            bytes.suffix(2).elementsEqual(mark.utf8)
        else { return false }
        return bytes.dropFirst(2).dropLast(2).allSatisfy { isCapital($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
    }

    /// The length of a mark that begins and ends with some bytes and stands on one line.
    private static func enclosed(_ bytes: ArraySlice<UInt8>, _ opening: String, _ closing: String) -> Int? {
        guard bytes.starts(with: opening.utf8) else { return nil }
        var index = bytes.startIndex + opening.utf8.count
        while index < bytes.endIndex, index - bytes.startIndex < longest, bytes[index] != 0x0a {
            if bytes[index...].starts(with: closing.utf8) { return index - bytes.startIndex + closing.utf8.count }
            index += 1
        }
        return nil
    }

    /// The length of `%Name%`; `nil` for what is rather an escape of a URL.
    private static func percent(_ bytes: ArraySlice<UInt8>) -> Int? {
        let name = bytes.dropFirst().prefix { isLetter($0) || $0 == UInt8(ascii: "_") }
        guard name.count >= 4, name.count < longest, bytes[name.endIndex...].first == UInt8(ascii: "%") else {
            return nil
        }
        return name.count + 2
    }

    /// The length of `$NAME`.
    private static func dollar(_ bytes: ArraySlice<UInt8>) -> Int? {
        let name = bytes.dropFirst().prefix { isCapital($0) || $0 == UInt8(ascii: "_") }
        guard name.count < longest else { return nil }
        let text = String(decoding: name, as: UTF8.self)
        return names.contains(text) || text.utf8.starts(with: "EXTENSIONATTRIBUTE_".utf8) ? name.count + 1 : nil
    }

    /// Whether a byte is a capital letter of ASCII.
    private static func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    /// Whether a byte is a digit of ASCII.
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Whether a byte is a letter of ASCII.
    private static func isLetter(_ byte: UInt8) -> Bool {
        isCapital(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}
