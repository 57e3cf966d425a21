import MDPlatform
package import MDPropertyList

/// The rules for the names in a policy file; each function returns what is wrong, or `nil`.
package enum PolicyName {
    /// The longest name of a domain, in bytes: a file name without machine id and suffix.
    static let longestDomain = 216

    /// What is wrong with an identifier; any word may be one, and the reverse DNS form is a habit.
    package static func identifierError(_ name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if name.utf8.count > 255 { return "is longer than 255 bytes" }
        return hasControl(name) ? "contains a control character" : nil
    }

    /// What is wrong with the name of a domain, which becomes a file name.
    package static func domainError(_ name: Key) -> String? {
        let text = name.string
        if text.isEmpty { return "is empty" }
        if !text.hasOnlyBytes({ $0 != UInt8(ascii: "/") }) { return "contains '/'" }
        if hasTwoDots(text) { return "contains '..'" }
        if hasControl(text) { return "contains a control character" }
        if text.utf8.count > longestDomain { return "is longer than \(longestDomain) bytes" }
        if isOtherGlobalName(name) {
            return "is another name of the global domain, which is written NSGlobalDomain here"
        }
        return nil
    }

    /// What is unusual about a valid domain name that no application can have.
    package static func domainRemark(_ name: Key) -> String? {
        let text = name.string
        if let remark = keyRemark(name) { return remark }
        if let suffix = fileSuffix(of: text) {
            return "ends in \(suffix): that is the name of a file, and the domain is what stands before it"
        }
        if !text.hasOnlyBytes({ $0 != UInt8(ascii: "*") }) {
            return "has a '*', which stands for itself: domains are no patterns"
        }
        // Nearly every name begins with another letter; it is compared with none of these.
        guard let first = text.utf8.first, "kNn".utf8.contains(first) else { return nil }
        switch text {
        case "kCFPreferencesAnyApplication":
            return "is another name of the global domain, which is written NSGlobalDomain here"
        case "kCFPreferencesCurrentApplication": return "names no application; a policy file names each one"
        case "NSArgumentDomain", "NSRegistrationDomain":
            return "is that of a place which every program fills itself, and which no policy is asked for"
        default: return isNearGlobalDomain(text) ? "is probably meant to be NSGlobalDomain" : nil
        }
    }

    /// The file suffix at the end of a name, whatever its case; `nil` if there is none.
    private static func fileSuffix(of text: String) -> String? {
        let bytes = text.utf8.span
        // Nearly every name ends otherwise.
        guard bytes.count >= 5, "tng".utf8.contains(bytes[bytes.count - 1] | 0x20) else { return nil }
        return [".plist", ".json", ".mobileconfig"].first { suffix in
            text.utf8.suffix(suffix.utf8.count).lazy.map(ByteSet.lowercase).elementsEqual(suffix.utf8)
        }
    }

    /// Whether a name is that of the global domain with one or two typing errors.
    private static func isNearGlobalDomain(_ text: String) -> Bool {
        guard (12...16).contains(text.utf8.count), text.utf8.first.map(ByteSet.lowercase) == UInt8(ascii: "n"),
            !text.utf8.starts(with: "NSGlobalDomain".utf8)
        else { return false }
        return Suggestion.distance(text.utf8.map(ByteSet.lowercase), Array("nsglobaldomain".utf8)) <= 2
    }

    /// Whether other systems use a name for the global domain.
    package static func isOtherGlobalName(_ name: Key) -> Bool {
        switch name.string.utf8.first {
        case UInt8(ascii: "."): name == ".GlobalPreferences"
        case UInt8(ascii: "A"): name == "Apple Global Domain"
        case UInt8(ascii: "-"): name == "-g" || name == "-globalDomain"
        case UInt8(ascii: "N"), UInt8(ascii: "n"):
            name != "NSGlobalDomain" && name.isSameIgnoringCase(as: "NSGlobalDomain")
        default: false
        }
    }

    /// Whether a key has only printable ASCII without blanks and variables, so that no rule can reject it; nearly every
    /// key does.
    package static func isOrdinary(_ name: Key) -> Bool {
        !name.string.isEmpty && name.string.hasOnlyBytes { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "$") }
    }

    /// What is wrong with a key.
    package static func keyError(_ name: Key) -> String? {
        if name.string.isEmpty { return "is empty" }
        if name.string.utf8.contains(0) { return "contains a NUL character" }
        return nil
    }

    /// What is unusual about a valid key and probably an error.
    package static func keyRemark(_ name: Key) -> String? {
        let bytes = name.string.utf8
        if bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) { return nil }
        if bytes.first == 0x20 || bytes.last == 0x20 { return "begins or ends with a blank" }
        return name.string.unicodeScalars.contains(where: Printable.isHidden) ? "has a character that nobody sees" : nil
    }

    /// What is wrong with the name of a user or a group; those of an account service may have blanks inside.
    package static func accountError(_ name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if hasControl(name) { return "contains a control character" }
        if name.utf8.contains(UInt8(ascii: ":")) { return "contains ':', which no such name does" }
        return name.utf8.first == 0x20 || name.utf8.last == 0x20 ? "begins or ends with a blank" : nil
    }

    /// What is wrong with a tag, or with the pattern of a host.
    package static func itemError(_ name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if hasControl(name) { return "contains a control character" }
        if name.utf8.contains(where: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ":") }) {
            return "contains a blank or ':', which no such name does"
        }
        return nil
    }

    /// What is unusual about a valid user, group or tag name that no account has.
    package static func itemRemark(_ name: String, of field: TargetField) -> String? {
        if name.utf8.contains(UInt8(ascii: "*")) {
            return "has a '*', which stands for itself: only Hosts takes patterns"
        }
        guard field != .tags, let first = name.utf8.first, "%@+".utf8.contains(first) else { return nil }
        let sign = Character(Unicode.Scalar(first))
        return "begins with '\(sign)', which belongs to no name: a group stands under Groups, by its name alone"
    }

    /// What is wrong with the name of a calendar.
    package static func calendarError(_ name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if name.utf8.count > 255 { return "is longer than 255 bytes" }
        return hasControl(name) ? "contains a control character" : nil
    }

    /// What is wrong with the IANA name of a time zone, which is a path beneath the zone database.
    package static func zoneError(_ name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if name.utf8.count > 255 { return "is longer than 255 bytes" }
        if !name.utf8.allSatisfy({ isLabelByte($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "+") }) {
            return "is no IANA name, such as Europe/Zurich"
        }
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.contains(where: \.isEmpty) ? "begins or ends with '/', or has two in a row" : nil
    }

    /// Whether a text has a control character, C1 included.
    package static func hasControl(_ text: String) -> Bool {
        var lead: UInt8 = 0
        return !text.hasOnlyBytes { byte in
            defer { lead = byte }
            // A C1 character has two bytes; the first one is 0xc2.
            return byte >= 0x20 && byte != 0x7f && (lead != 0xc2 || byte > 0x9f)
        }
    }

    /// Whether a text has two consecutive dots.
    private static func hasTwoDots(_ text: String) -> Bool {
        var last: UInt8 = 0
        return !text.hasOnlyBytes { byte in
            defer { last = byte }
            return byte != UInt8(ascii: ".") || last != UInt8(ascii: ".")
        }
    }

    /// Whether a byte is allowed in a part of the name of a time zone.
    private static func isLabelByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
