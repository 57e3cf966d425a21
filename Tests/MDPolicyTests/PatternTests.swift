import Foundation
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

/// The engine of `Pattern`.
struct PatternTests {
    /// The path of python3; `nil` if it is not installed.
    static let python: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
        .split(separator: ":").map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test(arguments: [
        ("", [""], ["a"]),
        ("abc", ["abc"], ["ab", "abcd", "xabc", "ABC"]),
        ("a|bc|", ["a", "bc", ""], ["b", "abc"]),
        ("a*b+c?", ["b", "aabbc"], ["a", "abcc"]),
        ("a{2}b{1,}c{0,2}", ["aab", "aabbcc"], ["ab", "aabccc"]),
        ("(?:ab)+(c|d)?", ["ab", "ababd"], ["abcd", "ba"]),
        ("[a-cx-]+", ["abc-x"], ["d", ""]),
        ("[^a-c]", ["d", "\n", "ß"], ["a", ""]),
        (#"\d+\w\s\D\W\S"#, ["12a  !x"], ["12a  ! "]),
        (#"[\d.]+"#, ["1.2"], ["a"]),
        (".", ["a", "\r", "😀"], ["\n", "", "ab", "e\u{301}"]),
        ("^a$|^$", ["a", ""], ["aa"]),
        (#"\.\*\\\[\x41\u00e4"#, [#".*\[Aä"#], ["a"]),
        ("(a*)*", ["", "aaaa"], ["b"]),
        ("(|a)+b", ["b", "aab"], ["a"]),
        ("caf\u{e9}", ["caf\u{e9}"], ["cafe\u{301}"]),
        (#"[\]\[^-]+"#, ["]["], ["a"]),
    ])
    func `matches whole strings`(_ text: String, _ matches: [String], _ others: [String]) throws {
        let pattern = try ConstraintPattern(text)
        for string in matches { #expect(pattern.matches(string), "\(text) and \(string)") }
        for string in others { #expect(!pattern.matches(string), "\(text) and \(string)") }
    }

    @Test(arguments: [
        ("a(b", 1, "this '(' has no ')'"),
        ("ab)", 2, "this ')' has no '('; a literal one is written \\)"),
        ("a[bc", 1, "this '[' has no ']'"),
        ("a[]b]", 1, "this class is empty; a literal ']' in it is written \\]"),
        ("[z-a]", 1, "this range runs backwards"),
        (#"[\d-z]"#, 1, "a range cannot begin with a class such as \\d"),
        (#"[a-\d]"#, 1, "a range cannot end with a class such as \\d"),
        (
            "[[:alpha:]]", 1,
            "a literal '[' in a class is written \\[; classes in classes and names such as [:alpha:] are"
                + " not understood"
        ),
        ("*a", 0, "there is nothing before this '*' to repeat"),
        ("a**", 2, "a repetition cannot be repeated; put a group around it"),
        ("^*", 0, "a '^' or '$' cannot be repeated"),
        ("a{2", 1, "a repetition is {n}, {n,} or {n,m}; a literal brace is written \\{"),
        ("a{,2}", 1, "a repetition is {n}, {n,} or {n,m}; a literal brace is written \\{"),
        ("a{3,2}", 1, "this repetition has a greatest number below its least"),
        ("a{1001}", 2, "a part is repeated at most 1000 times"),
        ("a{99999999999999999999}", 2, "a part is repeated at most 1000 times"),
        ("a{", 1, "a repetition is {n}, {n,} or {n,m}; a literal brace is written \\{"),
        ("}", 0, "a literal '}' is written \\}"),
        (
            #"(a)\1"#, 3,
            "back-references are not understood, because they cannot be matched in linear time; a character"
                + " by its number is written \\xhh"
        ),
        (#"a\b"#, 1, "the escape \\b is not understood"),
        (#"\x4"#, 0, "this escape has 2 hexadecimal digits"),
        (#"\ud800"#, 0, "there is no character of this number"),
        ("a\\", 1, "a backslash stands at the end"),
        (
            "(?=a)", 0,
            "of the groups that begin with (? there is only (?:…); looking around, names and flags are not"
                + " understood"
        ),
        ("(?:(?:a{100}){100}){100}", 0, "the pattern unfolds to more than 10000 steps; repeat less"),
        (String(repeating: "(", count: 65), 64, "there are more than 64 groups inside of each other"),
        (String(repeating: "a", count: 10_001), 0, "a pattern has at most 10000 characters"),
    ])
    func `says what is wrong, and where`(_ text: String, _ offset: Int, _ message: String) {
        let expected = ConstraintPatternError(message, at: offset)
        #expect(throws: expected) { _ = try ConstraintPattern(text) }
    }

    @Test func `takes time that grows with the string alone`() throws {
        // A backtracking engine would not come to an end of any of these.
        let text = String(repeating: "a", count: 5_000)
        for pattern in ["(a*)*b", "(a|a)*b", "(a|aa)+b", "(?:a?){40}a{40}b", "(.*)(.*)(.*)(.*)b"] {
            #expect(try !ConstraintPattern(pattern).matches(text))
        }
        // Nothing repeated as often as may be is compiled, or matched, once.
        let nothing = String(repeating: "(", count: 60) + String(repeating: "){1000}", count: 60)
        #expect(try ConstraintPattern(nothing).matches(""))
        #expect(try !ConstraintPattern("a*").matches(String(repeating: "a", count: 65_537)))
    }

    @Test(.enabled(if: PatternTests.python != nil, "python3 is not installed"))
    func `agrees with Python about random patterns`() throws {
        var generator = SplitMix(state: 7)
        var cases: [(pattern: String, strings: [String])] = []
        for _ in 0..<1_500 {
            let pattern = PatternTests.pattern(depth: 4, &generator)
            let strings = (0..<12).map { _ in PatternTests.string(&generator) } + [""]
            cases.append((pattern, strings))
        }
        var json = JSONWriter()
        json.beginArray()
        for one in cases {
            json.beginArray()
            json.string(one.pattern)
            for string in one.strings { json.string(string) }
            json.endArray()
        }
        json.endArray()
        let script = """
            import json, re, sys
            for pattern, *strings in json.load(sys.stdin):
                # There, $ also matches before a last line feed.
                compiled = re.compile(pattern.replace('^', r'\\A') .replace('$', r'\\Z'), re.ASCII)
                print(''.join('1' if compiled.fullmatch(s) else '0' for s in strings))
            """
        let result = try SpawnedProgram.run(try #require(PatternTests.python), ["-c", script], input: json.text)
        #expect(result.error == "")
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == cases.count)
        for (one, line) in zip(cases, lines) {
            let pattern = try ConstraintPattern(one.pattern)
            let own = one.strings.map { pattern.matches($0) ? "1" : "0" }.joined()
            #expect(own == line, "\(one.pattern) on \(one.strings)")
        }
        // Patterns that match nothing, or everything, would prove little.
        let matched = lines.reduce(0) { $0 + $1.count { $0 == "1" } }
        #expect(matched > 1_000)
    }

    /// A random pattern of a small alphabet.
    private static func pattern(depth: Int, _ generator: inout SplitMix) -> String {
        let atoms = [
            "a", "b", "c", ".", "[ab]", "[^a]", "[b-d]", #"\d"#, #"\w"#, #"\W"#, #"[\d\s]"#, #"\n"#, "ä", "\\.",
        ]
        let anchors = ["^", "$"]
        let quantifiers = ["*", "+", "?", "{2}", "{1,}", "{0,2}", "{2,3}", "*?", "+?", "??"]
        var result = ""
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<5: result += atoms.randomElement(using: &generator) ?? "a"
            case 5..<8:
                result += (atoms.randomElement(using: &generator) ?? "a")
                result += quantifiers.randomElement(using: &generator) ?? "*"
            case 8..<11 where depth > 0:
                let open = Bool.random(using: &generator) ? "(" : "(?:"
                let parts = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                    pattern(depth: depth - 1, &generator)
                }
                result += open + parts.joined(separator: "|") + ")"
                if Bool.random(using: &generator) { result += quantifiers.randomElement(using: &generator) ?? "*" }
            default: result += anchors.randomElement(using: &generator) ?? "^"
            }
        }
        // The script above would read a negation as an anchor.
        return result.replacingOccurrences(of: "[^a]", with: #"[b-z\s\dä]"#)
    }

    /// A random string of the same alphabet.
    private static func string(_ generator: inout SplitMix) -> String {
        let letters = ["a", "b", "c", "d", "1", "\n", "ä", ".", " "]
        return (0..<Int.random(in: 0...6, using: &generator)).map { _ in
            letters.randomElement(using: &generator) ?? "a"
        }.joined()
    }
}
