import MDPropertyList
import Testing

@testable import MDEngine

struct ArgumentDomainTests {
    @Test(
        arguments: [
            (["prog", "-HomePage", "about:blank"], ["HomePage": .string("about:blank")]),
            (["prog", "-a", "-b", "1"], ["b": .string("1")]),
            (["prog", "--long", "v"], ["-long": .string("v")]),
            (["prog", "-k", "1", "-k", "2"], ["k": .string("2")]),
            (["prog", "word", "-", "-k", " x "], ["k": .string("x")]),
            (["prog", "-l", "(a, b)"], ["l": .array([.string("a"), .string("b")])]),
            (["prog", "-l", "(a, "], ["l": .string("(a,")]),
            (["prog", "-d", "<0102>"], ["d": .data([1, 2])]),
            (["prog", "-last"], [:]),
            // Negative numbers and a lone hyphen are values; other words with a hyphen are keys.
            (
                ["prog", "-n", "-5", "-x", "-.5e+3", "-y", "-1.", "-z", "1"],
                ["n": .string("-5"), "x": .string("-.5e+3"), "y": .string("-1."), "z": .string("1")]
            ),
            (["prog", "-in", "-", "-out", "-o"], ["in": .string("-")]),
            (["prog", "-5", "a"], ["5": .string("a")]),
            (["prog", "-n", "-5x", "v"], ["5x": .string("v")]),
            (["prog", "-n", "-.", "v"], [".": .string("v")]), (["prog", "-n", "-1e", "v"], ["1e": .string("v")]),
            (["prog", "--", "-k", "v", "-m", "--", "x"], ["k": .string("v")]),
            (
                ["prog", "-k=v", "w", "-é", "1", "-\u{301}", "2"],
                ["k=v": .string("w"), "é": .string("1"), "\u{301}": .string("2")]
            ),
            // XML as macOS takes it, with and without its frame.
            (
                ["prog", "-b", "<true/>", "-i", "<integer>5</integer>", "-r", "<real>1.5</real>"],
                ["b": .boolean(true), "i": .integer(5), "r": .real(1.5)]
            ),
            (
                ["prog", "-a", " <array><string>A</string><integer>1</integer></array> "],
                ["a": .array([.string("A"), .integer(1)])]
            ),
            (["prog", "-d", "<data>AQI=</data>", "-e", "<dada>"], ["d": .data([1, 2]), "e": .data([0xda, 0xda])]),
            (
                [
                    "prog", "-a", "1", "-k", "<?xml version=\"1.0\"?><plist><dict><key>x</key><false/></dict></plist>",
                    "-b", "2",
                ],
                ["a": .string("1"), "b": .string("2"), "k": .dictionary(["x": .boolean(false)])]
            ),
            (
                ["prog", "-d", "{ a = 1; b = (x, \"y z\"); }", "-q", "\" spaced \""],
                [
                    "d": .dictionary(["a": .string("1"), "b": .array([.string("x"), .string("y z")])]),
                    "q": .string(" spaced "),
                ]
            ),
            // What does not parse stays a string; so does what is not a property list to begin with.
            (
                [
                    "prog", "-a", "<array>", "-b", "<b>x</b>", "-c", "[1, 2]", "-d", "{", "-e", "\"", "-f", "YES", "-g",
                    "1e3",
                ],
                [
                    "a": .string("<array>"), "b": .string("<b>x</b>"), "c": .string("[1, 2]"), "d": .string("{"),
                    "e": .string("\""), "f": .string("YES"), "g": .string("1e3"),
                ]
            ),
            (["prog", "-empty", "", "-blank", " \t\n "], ["empty": .string(""), "blank": .string("")]),
            ([], [:]),
        ] as [([String], [Key: Value])])
    func `arguments in pairs become values`(_ arguments: [String], _ expected: [Key: Value]) {
        #expect(ArgumentDomain.values(of: arguments) == expected)
    }

    @Test func `no word takes long`() {
        let deep = String(repeating: "(", count: 100_000)
        #expect(ArgumentDomain.values(of: ["prog", "-k", deep]) == ["k": .string(deep)])
        let tags = String(repeating: "<array>", count: 100_000)
        #expect(ArgumentDomain.values(of: ["prog", "-k", tags]) == ["k": .string(tags)])
        let keys = ["prog"] + Array(repeating: "-k", count: 200_000)
        #expect(ArgumentDomain.values(of: keys).isEmpty)
    }
}
