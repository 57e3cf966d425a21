import Foundation
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDEngine

/// Files that add a language to what a user reads of a refused write.
struct MessageFileTests {
    /// French, whole.
    private static let french = """
        # French
        forced = %name% est fixé par une règle et ne peut pas être modifié ici%ask%.
        absent = %name% n'a pas de valeur, selon une règle%ask%.
        constrained = %name% doit être %what%, selon une règle%ask%.
        ask = " ; pour le faire changer : %contact%"
        titled = « %title% » (%key%)
        untitled = %key% de %domain%
        range = de %first% à %last%
        atLeast = au moins %first%
        atMost = au plus %last%
        oneOf = l'une de %list%
        more = " et %count% de plus"
        pattern = un texte selon %pattern%
        and = " et "
        hidden = ce que dit la règle

        """

    /// A machine with the file of a language.
    private func machine(_ text: String, language: String = "fr") throws -> TemporaryMachine {
        let machine = try TemporaryMachine(.pupil)
        try machine.write("usr/share/managed-defaults/messages.\(language)", text)
        return machine
    }

    /// What a user reads of a forced key.
    private func forced(_ locale: [String: String], _ machine: TemporaryMachine) -> String {
        MessageCatalog(locale: locale, root: machine.root)
            .refusal(of: Sample.entry("org.example.Browser", "HomePage", .integer(1)))
    }

    /// What a user reads of a value outside of its limits.
    private func limited(_ constraint: Constraint, _ machine: TemporaryMachine) -> String {
        let origin = Origin(policy: "p", file: "/etc/managed-defaults/policies.d/p.json", position: .start)
        let entry = ConstraintEntry(domain: "org.example.Editor", key: "Size", constraint: constraint, origin: origin)
        return MessageCatalog(locale: ["LANG": "fr_FR.UTF-8"], root: machine.root)
            .refusal(of: ResolvedConstraint(entry: entry, fileDigest: SHA256.hash([])))
    }

    private static let english =
        "HomePage of org.example.Browser is set by policy and cannot be changed here; to have it changed, ask: Room 12."

    @Test func `a file adds a language, with the blanks that its quotation marks keep`() throws {
        let machine = try machine(Self.french)
        #expect(MessageFile(language: "fr", in: machine.root).problems.isEmpty)
        #expect(MessageFile(language: "fr", in: machine.root).count == MessageFile.countOfAll)
        let sentence =
            "HomePage de org.example.Browser est fixé par une règle et ne peut pas être modifié ici"
            + " ; pour le faire changer : Room 12."
        #expect(forced(["LANG": "fr_CA.UTF-8"], machine) == sentence)
        #expect(forced(["LC_ALL": "fr", "LANG": "de_DE"], machine) == sentence)
        #expect(forced(["LANG": "en_US.UTF-8"], machine) == Self.english)
        #expect(forced(["LANG": "it_IT.UTF-8"], machine) == Self.english)
        let names = (1...14).map { Value.integer($0) }
        #expect(
            limited(Constraint(minimum: .integer(1), maximum: .integer(9), oneOf: names), machine)
                == "Size de org.example.Editor doit être de 1 à 9 et l'une de "
                + "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 et 2 de plus, selon une règle.")
    }

    @Test(
        arguments: [
            ("forced = %name%%ask%\nforced = %name% x%ask%", "3: forced is in line 2 already"),
            ("\n# x\nforced %name%", "4: the line has no =; it must be NAME = TEXT"),
            ("verboten = %name%", "2: there is no text verboten"),
            ("forced =  ", "2: forced has no text"),
            ("forced = \"\"", "2: forced has no text"),
            ("forced = %name% est fixé", "2: forced lacks %ask%"),
            ("forced = %name%%ask%%home%", "2: forced has no %home%"),
            ("forced = %name%%ask% 100%", "2: a % has no partner"),
        ])
    func `a line that cannot be used is said with its place, and the others count`(
        _ text: String, _ problem: String
    ) throws {
        let machine = try machine("untitled = %key% (%domain%)\n\(text)\n")
        let file = MessageFile(language: "fr", in: machine.root)
        #expect(
            file.problems.map(\.description) == [
                "\(machine.path)/usr/share/managed-defaults/messages.fr:\(problem)"
            ])
        // The first of two lines for one text counts; else this text stays English.
        let isTwice = problem.hasPrefix("3:")
        let (middle, end) = isTwice ? ("", "") : (" is set by policy and cannot be changed here", ".")
        #expect(
            forced(["LANG": "fr"], machine)
                == "HomePage (org.example.Browser)\(middle); to have it changed, ask: Room 12\(end)")
    }

    @Test func `a line that is not UTF-8 is said, and hidden characters are shown`() throws {
        let machine = try machine("")
        let path = machine.path + "/usr/share/managed-defaults/messages.fr"
        try (Data("and = ".utf8) + [0xff, 0x0a] + Data("hidden = a\u{202e}b\n".utf8)).write(to: URL(filePath: path))
        let file = MessageFile(language: "fr", in: machine.root)
        #expect(file.problems.map(\.description) == ["\(path):1: the line is not valid UTF-8"])
        #expect(file.texts == [.hidden: "a\\u{202e}b"])
    }

    @Test func `a file that others can write is not used, nor one that is too large or of no language`() throws {
        let machine = try machine(Self.french)
        let path = machine.path + "/usr/share/managed-defaults/messages.fr"
        try #require(chmod(path, 0o666) == 0)
        #expect(forced(["LANG": "fr"], machine) == Self.english)
        let problem = try #require(MessageFile(language: "fr", in: machine.root).problems.first)
        #expect(problem.line == nil && problem.description.hasPrefix("\(path): cannot be used: "), "\(problem)")
        try #require(chmod(path, 0o644) == 0)
        try machine.write(
            "usr/share/managed-defaults/messages.fr", String(repeating: "#\n", count: 40_000) + Self.french)
        #expect(forced(["LANG": "fr"], machine) == Self.english)
        for name in ["de", "FR", "x", "fr~"] {
            try machine.write("usr/share/managed-defaults/messages.\(name)", Self.french)
        }
        let all = MessageFile.all(in: machine.root)
        #expect(all.map { $0.path.split(separator: ".").last ?? "" } == ["FR", "de", "fr", "fr~", "x"])
        #expect(all.allSatisfy { $0.problems.count == 1 })
        #expect(forced(["LANG": "de"], machine).contains("durch eine Richtlinie festgelegt"))
        #expect(MessageFile.all(in: try TemporaryMachine(.pupil).root).isEmpty)
    }
}
