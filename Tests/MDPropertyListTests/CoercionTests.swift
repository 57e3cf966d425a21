import MDPropertyList
import Testing

struct CoercionTests {
    @Test(arguments: [
        "YES", "yes", "Y", "y", "true", "True", "T", "t", "1", "12abc", "-1", "01", "+1", " YES", "\tyep", "1abc",
        "3.7", "1e3", "0000009", "9",
    ])
    func `these strings are true`(text: String) {
        #expect(Value.string(text).boolValue)
    }

    @Test(arguments: [
        "", " ", "NO", "no", "N", "false", "F", "on", "ON", "off", "0", "00", "abc", "0x10", ".5", "inf", "nan", "-",
        "\u{1d7cf}",
    ])
    func `these strings are false`(text: String) {
        #expect(!Value.string(text).boolValue)
    }

    @Test(arguments: [
        ("42", 42), (" 42 ", 42), ("42abc", 42), ("-42", -42), ("+42", 42), ("12.9", 12), ("-12.9", -12), ("1e3", 1),
        ("0x10", 0), ("YES", 0), ("", 0), ("-", 0), ("- 1", 0), ("--1", 0), ("\n7", 7), ("00012", 12),
        ("9223372036854775807", Int.max), ("9223372036854775808", Int.max), ("99999999999999999999", Int.max),
        ("-9223372036854775808", Int.min), ("-9223372036854775809", Int.min), ("-99999999999999999999", Int.min),
    ])
    func `a string gives the integer at its front`(text: String, expected: Int) {
        #expect(Value.string(text).integerValue == expected)
    }

    @Test(arguments: [
        ("1.5", 1.5), ("1e3", 1000), ("1E+3", 1000), ("1e-3", 0.001), ("1e", 1), ("1e+", 1), ("1,5", 1), (".5", 0.5),
        ("-.5e1", -5), ("5.", 5), ("5.e3", 5000), (".", 0), ("-", 0), ("e5", 0), ("  2.5x", 2.5), ("inf", 0),
        ("nan", 0),
        ("0x10", 0), ("YES", 0), ("", 0), ("9223372036854775807", 9_223_372_036_854_775_808),
        ("99999999999999999999", 1e20), ("12345678901234567890123", 1.2345678901234568e22),
        ("0.1000000000000000055511151231257827", 0.1), ("1e999", .infinity), ("-1e999", -.infinity), ("1e-999", 0),
    ])
    func `a string gives the decimal number at its front`(text: String, expected: Double) {
        #expect(Value.string(text).doubleValue == expected)
        #expect(Value.string(text).floatValue == Float(expected))
    }

    @Test(arguments: [
        ("5", Value.integer(5)), ("-2.5", .real(-2.5)), ("1e3", .integer(1_000)), ("+1", .integer(1)),
        (".5", .real(0.5)),
        ("18446744073709551615", .integer(Integer(UInt64.max))), ("1e999", .real(.infinity)), ("", nil), (" 5", nil),
        ("5 ", nil), ("12abc", nil), ("wide", nil), ("0x10", nil), ("inf", nil), ("1e", nil), ("YES", nil),
    ])
    func `a text is a number if all of it is one`(text: String, expected: Value?) {
        #expect(Value.string(text).number == expected)
        #expect(Value.string(text).truth == (text == "YES" ? true : expected?.boolValue))
    }

    @Test(arguments: [
        (0.0, 0), (1.9, 1), (-1.9, -1), (1e300, Int.max), (-1e300, Int.min), (.infinity, Int.max),
        (-.infinity, Int.min), (.nan, 0), (9_223_372_036_854_774_784, 9_223_372_036_854_774_784),
        (9_223_372_036_854_775_808, Int.max), (-9_223_372_036_854_775_808, Int.min),
    ])
    func `a real gives the nearest integer towards zero`(value: Double, expected: Int) {
        #expect(Value.real(value).integerValue == expected)
    }

    @Test func `numbers convert into each other`() {
        #expect(Value.boolean(true).integerValue == 1)
        #expect(Value.boolean(true).doubleValue == 1)
        #expect(Value.boolean(false).floatValue == 0)
        #expect(Value.integer(Integer(UInt64.max)).integerValue == .max)
        #expect(Value.integer(Integer(Int64.min)).integerValue == .min)
        #expect(Value.integer(Integer(UInt64.max)).doubleValue == 18_446_744_073_709_551_616)
        #expect(Value.integer(Integer(UInt64.max)).boolValue)
        #expect(!Value.integer(0).boolValue)
        #expect(Value.real(0.5).boolValue)
        #expect(!Value.real(-0.0).boolValue)
        #expect(!Value.real(.nan).boolValue)
        // Rounded once: by way of a double this would be 16777216.
        #expect(Value.string("16777217.0000000001").floatValue == 16_777_218)
        #expect(Value.integer(16_777_217).floatValue == 16_777_216)
    }

    @Test(
        arguments: [
            (Value.string("x"), "x"), (.boolean(true), "1"), (.boolean(false), "0"), (.integer(-5), "-5"),
            (.integer(Integer(UInt64.max)), "18446744073709551615"), (.real(1), "1"), (.real(-0.0), "-0"),
            (.real(0.1), "0.1"), (.real(1e20), "1e+20"), (.real(.nan), "nan"), (.real(-.infinity), "-inf"),
            (.date(0), nil), (.data([1]), nil), (.array([]), nil), (.dictionary([:]), nil),
        ] as [(Value, String?)])
    func `numbers become text`(value: Value, expected: String?) {
        #expect(value.stringValue == expected)
    }

    @Test(arguments: [Value.date(1), .data([1]), .array([.integer(1)]), .dictionary(["1": .integer(1)])])
    func `other types are no numbers`(value: Value) {
        #expect(!value.boolValue)
        #expect(value.integerValue == 0)
        #expect(value.doubleValue == 0)
        #expect(value.floatValue == 0)
    }

    @Test func `an array of strings is one only if all are`() {
        #expect(Value.array([.string("a"), .string("b")]).stringArrayValue == ["a", "b"])
        #expect(Value.array([]).stringArrayValue == [])
        #expect(Value.array([.string("a"), .integer(1)]).stringArrayValue == nil)
        #expect(Value.string("a").stringArrayValue == nil)
    }
}
