import MDPlatform
import MDPropertyList

/// The list of keys that may sign the reports of a fleet, in the form of ssh-keygen's `allowed_signers`.
///
/// The principal of a machine's key is the name of its host, with or without the domain; that of a collector, which may
/// sign the report of any machine, begins with `collector@`. A machine's id binds nothing, because copies of a disk have it.
package struct ReportSigners: Sendable {
    /// The beginning of the principal of a collector.
    package static let collector = "collector@"
    /// The most collectors that are tried.
    private static let collectorLimit = 16

    /// The whole list.
    let list: [UInt8]
    /// The lines by each of their principals, in the case of letters that is compared.
    private var lines: [Key: (name: String, lines: [UInt8])] = [:]
    private var collectors: [String] = []

    /// Reads a list.
    package init(_ list: [UInt8]) {
        self.list = list
        for line in list.split(separator: 0x0a) {
            let content = line.drop { $0 == 0x20 || $0 == 0x09 }
            guard let first = content.first, first != UInt8(ascii: "#") else { continue }
            // The principals may stand in quotes.
            let isQuoted = first == UInt8(ascii: "\"")
            let field = (isQuoted ? content.dropFirst() : content).prefix {
                isQuoted ? $0 != UInt8(ascii: "\"") : $0 != 0x20 && $0 != 0x09
            }
            for part in field.split(separator: UInt8(ascii: ",")) {
                guard let name = String(validating: part, as: UTF8.self) else { continue }
                let key = Key(name.lowercased())
                if lines[key] == nil, ReportSigners.isCollector(name) { collectors.append(name) }
                lines[key, default: (name, [])].lines += Array(content) + [0x0a]
            }
        }
    }

    /// The principals that may sign the report of a host, as the list spells them: its own, then those of collectors.
    func names(for host: String) -> [String] {
        let own = ReportSigners.names(of: host).compactMap { lines[Key($0)]?.name }
        return own + collectors.prefix(ReportSigners.collectorLimit)
    }

    /// The lines of a principal.
    func lines(of name: String) -> [UInt8] { lines[Key(name.lowercased())]?.lines ?? [] }

    /// The names of a host, with and without the domain, in small letters.
    private static func names(of host: String) -> [String] {
        let full = host.lowercased()
        let short = String(full.prefix { $0 != "." })
        return short == full ? [full] : [full, short]
    }

    /// Whether a principal is that of a host.
    package static func isHost(_ name: String, _ host: String) -> Bool {
        names(of: host).contains { Key($0) == Key(name.lowercased()) }
    }

    /// Whether a principal is that of a collector.
    package static func isCollector(_ name: String) -> Bool { name.lowercased().hasPrefix(collector) }
}
