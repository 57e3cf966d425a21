import MDPolicyModel
import MDPropertyList
import Testing

/// What a constraint says of values.
struct ConstraintTests {
    /// A range.
    let range = Constraint(minimum: .integer(10), maximum: .real(70))

    @Test(arguments: [
        (Value.integer(10), ConstraintVerdict.allowed), (.integer(70), .allowed), (.real(69.9), .allowed),
        (.integer(9), .clamped(.integer(10))), (.real(9.5), .clamped(.real(10))),
        (.integer(71), .clamped(.integer(70))),
        (.real(.infinity), .clamped(.real(70))), (.real(-.infinity), .clamped(.real(10))), (.real(.nan), .refused),
        (.integer(Integer(UInt64.max)), .clamped(.integer(70))),
        (.integer(Integer(Int64.min)), .clamped(.integer(10))),
        (.boolean(true), .refused), (.date(20), .refused), (.data([20]), .refused), (.array([.integer(20)]), .refused),
        (.string("20"), .allowed), (.string("+20.5"), .allowed), (.string("90"), .clamped(.real(70))),
        (.string("-1"), .clamped(.integer(10))), (.string("99999999999999999999999"), .clamped(.real(70))),
        (.string("2e1"), .refused), (.string("20abc"), .refused), (.string(" 20"), .refused), (.string(""), .refused),
        (.string("20."), .refused), (.string(".5"), .refused), (.string("inf"), .refused), (.string("0x20"), .refused),
        (.string("2.0.1"), .refused), (.string("2-0"), .refused),
    ])
    func `keeps numbers within their bounds`(_ value: Value, _ verdict: ConstraintVerdict) {
        let found = range.verdict(on: value)
        #expect(found == verdict)
        // Equality of values joins integers and reals.
        if case .clamped(let one) = found, case .clamped(let two) = verdict { #expect(one.typeName == two.typeName) }
    }

    @Test func `compares integers and reals exactly`() {
        let most = Constraint(maximum: .real(9_007_199_254_740_992))
        #expect(most.verdict(on: .integer(9_007_199_254_740_993)) == .clamped(.integer(9_007_199_254_740_992)))
        #expect(most.verdict(on: .integer(9_007_199_254_740_992)) == .allowed)
        let half = Constraint(minimum: .real(0.5))
        #expect(half.verdict(on: .integer(0)) == .clamped(.real(0.5)))
        #expect(half.verdict(on: .integer(1)) == .allowed)
        let large = Constraint(maximum: .integer(Integer(UInt64.max)))
        #expect(large.verdict(on: .real(1e30)) == .clamped(.integer(Integer(UInt64.max))))
    }

    @Test func `obeys only what is listed or matches`() throws {
        let oneOf = Constraint(oneOf: [.string("a"), .integer(2), .array([.boolean(true)])])
        #expect(oneOf.verdict(on: .string("a")) == .allowed)
        #expect(oneOf.verdict(on: .real(2)) == .allowed)
        #expect(oneOf.verdict(on: .string("2")) == .refused)
        #expect(oneOf.verdict(on: .array([.boolean(true)])) == .allowed)
        #expect(oneOf.verdict(on: .array([])) == .refused)
        let pattern = Constraint(pattern: try ConstraintPattern("https://.*"))
        #expect(pattern.verdict(on: .string("https://x")) == .allowed)
        #expect(pattern.verdict(on: .string("http://x")) == .refused)
        #expect(pattern.verdict(on: .integer(1)) == .refused)
        // What a bound would put in its place must satisfy the rest, too.
        let both = Constraint(maximum: .integer(5), oneOf: [.integer(1), .integer(5), .integer(9)])
        #expect(both.verdict(on: .integer(9)) == .clamped(.integer(5)))
        #expect(both.verdict(on: .integer(3)) == .refused)
        let gap = Constraint(maximum: .integer(6), oneOf: [.integer(1), .integer(5)])
        #expect(gap.verdict(on: .integer(9)) == .refused)
    }

    @Test func `knows when one value is left`() throws {
        #expect(Constraint(oneOf: [.string("a")]).onlyValue == .string("a"))
        #expect(Constraint(oneOf: [.integer(1), .real(1)]).onlyValue?.typeName == "integer")
        #expect(Constraint(oneOf: [.string("a"), .string("b")]).onlyValue == nil)
        #expect(
            Constraint(oneOf: [.string("a"), .string("bc")], pattern: try ConstraintPattern(".")).onlyValue
                == .string("a"))
        #expect(Constraint(minimum: .integer(5), maximum: .integer(5)).onlyValue == .integer(5))
        #expect(Constraint(minimum: .integer(5), maximum: .integer(6)).onlyValue == nil)
        #expect(Constraint(minimum: .integer(5)).onlyValue == nil)
        #expect(Constraint(minimum: .integer(5), oneOf: [.integer(1), .integer(7)]).onlyValue == .integer(7))
        #expect(Constraint(oneOf: []).onlyValue == nil)
        #expect(Constraint(minimum: .integer(6), maximum: .integer(5)).verdict(on: .integer(7)) == .refused)
    }

    @Test func `says what is allowed`() throws {
        #expect(Constraint(maximum: .integer(70)).words == "at most 70")
        #expect(Constraint(minimum: .real(0.5)).words == "at least 0.5")
        #expect(range.words == "from 10 to 70.0")
        #expect(Constraint(oneOf: [.string("a"), .string(""), .boolean(true)]).words == "one of a, \"\", true")
        #expect(Constraint(oneOf: [.string("a")]).words == "a")
        #expect(
            Constraint(oneOf: (1...20).map { .integer($0) }).words
                == "one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 8 more")
        #expect(
            Constraint(oneOf: [.string("a"), .string("b")], pattern: try ConstraintPattern("[a-c]")).words
                == "one of a, b and a text that matches [a-c]")
    }
}
