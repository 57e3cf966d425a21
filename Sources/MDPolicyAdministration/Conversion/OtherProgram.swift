import MDPlatform
package import MDPropertyList

/// A program that does not use this library, so that policy files have no effect on it.
package struct OtherProgram: Hashable, Sendable {
    package let name: String
    /// The place from which it reads its own policy.
    package let source: String

    private init(_ name: String, reading source: String) {
        (self.name, self.source) = (name, source)
    }

    /// Finds the program whose settings a domain has; `nil` for a domain of programs that may use this library.
    package init?(owning domain: Key) {
        for (known, isPrefix, program) in OtherProgram.table {
            let isMeant = isPrefix ? OtherProgram.begins(domain, known) : domain.string.utf8.elementsEqual(known.utf8)
            guard isMeant else { continue }
            self = program
            return
        }
        return nil
    }

    /// Why policy for some domains of the program has no effect, as a clause.
    package func clause(about domains: [Key]) -> String {
        let names = domains.prefix(OtherProgram.namedDomains).map { Printable.escape($0.string) }
        let more = domains.count - names.count
        let shown =
            names.joined(separator: ", ") + (more > 0 ? " and \(more) more \(more == 1 ? "domain" : "domains")" : "")
        return "no program obeys what is said of \(shown): \(name) does not ask this library and reads \(source)"
    }

    /// The clause as a sentence.
    package func sentence(about domains: [Key]) -> String { "N\(clause(about: domains).dropFirst())." }

    private static let namedDomains = 3

    /// Programs that use GSettings: a domain is the id of a schema.
    static let gsettings = OtherProgram("GSettings", reading: "the databases of dconf")

    /// The domains of such programs, or their prefixes, from the programs' manuals.
    private static let table: [(domain: String, isPrefix: Bool, program: OtherProgram)] =
        [
            ("org.chromium.Chromium", "Chromium", "/etc/chromium/policies"),
            ("com.google.Chrome", "Chrome", "/etc/opt/chrome/policies"),
            ("com.microsoft.Edge", "Edge", "/etc/opt/edge/policies"),
            ("com.brave.Browser", "Brave", "/etc/brave/policies"),
            ("com.vivaldi.Vivaldi", "Vivaldi", "/etc/vivaldi/policies"),
        ].flatMap { domain, name, folder in
            // The settings of each extension are a separate domain.
            let program = OtherProgram(name, reading: folder)
            return [(domain, false, program), ("\(domain).extensions.", true, program)]
        } + [
            ("org.mozilla.firefox", false, OtherProgram("Firefox", reading: "/etc/firefox/policies/policies.json")),
            (
                "org.mozilla.thunderbird", false,
                OtherProgram("Thunderbird", reading: "/etc/thunderbird/policies/policies.json")
            ),
            ("com.microsoft.VSCode", false, OtherProgram("VS Code", reading: "/etc/vscode/policy.json")),
            ("org.kde.", true, OtherProgram("KDE", reading: "/etc/xdg")),
            ("org.libreoffice.", true, OtherProgram("LibreOffice", reading: "/etc/libreoffice/registry")),
        ]
        + [
            "org.gnome.", "org.gtk.", "org.freedesktop.", "org.mate.", "org.cinnamon.", "org.nemo.", "com.canonical.",
            "com.ubuntu.", "ca.desrt.",
        ].map { ($0, true, gsettings) }

    /// Whether a domain begins with a text, byte for byte.
    private static func begins(_ domain: Key, _ prefix: String) -> Bool {
        domain.string.utf8.starts(with: prefix.utf8)
    }
}
