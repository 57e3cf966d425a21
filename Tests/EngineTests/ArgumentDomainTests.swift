import PropertyList
import Testing

@testable import Engine

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
            ([], [:]),
        ] as [([String], [Key: Value])])
    func pairs(_ arguments: [String], _ expected: [Key: Value]) {
        #expect(ArgumentDomain.values(of: arguments) == expected)
    }
}
