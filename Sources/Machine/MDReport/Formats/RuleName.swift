import MDPlatform
import MDPropertyList

/// Names and numbers that other formats need for what is called otherwise here.
enum RuleName {
    /// A name for a domain and key of letters, digits, `-` and `.` only, which no other key has.
    static func name(_ domain: Key, _ key: Key) -> String {
        var hash = DigestBuilder()
        hash.add(domain.string)
        hash.add(key.string)
        return "\(plain("\(domain.string)-\(key.string.isEmpty ? "any" : key.string)"))-\(hash.digest.hex.prefix(8))"
    }

    /// A token of letters, digits, `-` and `.` that begins with a letter.
    static func plain(_ text: String) -> String {
        var name = ""
        for scalar in text.unicodeScalars.prefix(100) {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".": name.unicodeScalars.append(scalar)
            default: name += "-"
            }
        }
        let isLetter = name.utf8.first.map { (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) } ?? false
        return isLetter ? name : "x-\(name)"
    }

    /// A UUID for a part of a report, the same for the same report and part.
    static func uuid(_ report: String, _ parts: String...) -> String {
        var hash = DigestBuilder()
        hash.add(report)
        for part in parts { hash.add(part) }
        return ReportEvidence.id(of: hash.digest)
    }
}
