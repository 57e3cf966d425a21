import MDPlatform
import MDPolicyModel
import MDPropertyList

/// A rule of a table of results: a requirement of policy, a rule about a machine, or one about many machines.
struct ResultRule {
    /// A name of letters, digits, `-` and `.` that no other rule of the table has.
    let name: String
    /// The domain of a requirement; empty for any other rule.
    var domain: Key = ""
    /// The key of a requirement, which is empty for all further keys of a sealed domain.
    var key: Key = ""
    /// The name as people write it: domain and key, or the name of a rule about machines.
    let words: String
    /// What it is called; empty if policy does not say.
    let title: String
    /// The controls that ask for it.
    var controls: [String] = []
    let severity: RuleSeverity

    /// Whether it is a requirement of policy.
    var isRequirement: Bool { !domain.string.isEmpty }
    /// What it is called, with its words where they say more.
    var heading: String { title.isEmpty ? words : isRequirement ? "\(title): \(words)" : title }

    /// A requirement; without a word about its severity it is medium.
    init(_ domain: Key, _ key: Key, title: String, controls: [String], severity: RuleSeverity?) {
        (self.domain, self.key, self.title, self.controls) = (domain, key, title, controls)
        name = RuleName.name(domain, key)
        words = "\(domain.string) \(key.string.isEmpty ? "(any other key)" : key.string)"
        self.severity = severity ?? .medium
    }

    /// A rule about machines.
    init(_ name: String, _ title: String) {
        (self.name, words, self.title, severity) = (name, name, title, .high)
    }

    /// A rule about one machine.
    init(_ kind: MachineRule.Kind) { self.init(kind.rawValue, kind.title) }

    /// The result of a report: that all that is required is known to hold.
    static let compliant = ResultRule("compliant", "All that is required is known to hold")
}

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
