import Platform
package import PropertyList

/// A program that does not ask this library for policy, so that no policy file has an effect on it.
package struct OtherProgram: Hashable, Sendable {
    /// What people call it.
    package let name: String
    /// Where it looks for policy of its own.
    package let source: String

    /// Makes a program.
    private init(_ name: String, reading source: String) {
        (self.name, self.source) = (name, source)
    }

    /// The program whose settings a domain holds; `nil` for a domain of programs that may ask this library.
    package init?(owning domain: Key) {
        for (known, isPrefix, program) in OtherProgram.table {
            let isMeant = isPrefix ? OtherProgram.begins(domain, known) : domain.string.utf8.elementsEqual(known.utf8)
            guard isMeant else { continue }
            self = program
            return
        }
        return nil
    }

    /// Why nothing obeys what policy says of some domains of the program, as a clause.
    package func clause(about domains: [Key]) -> String {
        let names = domains.prefix(OtherProgram.namedDomains).map { Printable.escape($0.string) }
        let more = domains.count - names.count
        let shown =
            names.joined(separator: ", ") + (more > 0 ? " and \(more) more \(more == 1 ? "domain" : "domains")" : "")
        return "no program obeys what is said of \(shown): \(name) does not ask this library and reads \(source)"
    }

    /// The same as a sentence.
    package func sentence(about domains: [Key]) -> String { "N\(clause(about: domains).dropFirst())." }

    /// The most domains that a clause names.
    private static let namedDomains = 3

    /// The programs of GSettings: a domain is the id of a schema.
    static let gsettings = OtherProgram("GSettings", reading: "the databases of dconf")

    /// Every domain of such a program, or what its domains begin with; facts about them are in the programs' manuals.
    private static let table: [(domain: String, isPrefix: Bool, program: OtherProgram)] =
        [
            ("org.chromium.Chromium", "Chromium", "/etc/chromium/policies"),
            ("com.google.Chrome", "Chrome", "/etc/opt/chrome/policies"),
            ("com.microsoft.Edge", "Edge", "/etc/opt/edge/policies"),
            ("com.brave.Browser", "Brave", "/etc/brave/policies"),
            ("com.vivaldi.Vivaldi", "Vivaldi", "/etc/vivaldi/policies"),
        ].flatMap { domain, name, folder in
            // The settings of each extension are a domain of their own.
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
