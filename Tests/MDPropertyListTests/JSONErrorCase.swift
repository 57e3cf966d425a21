import MDPropertyList
import Testing

/// A broken JSON text, in which `¦` marks the position of the error.
struct JSONErrorCase: CustomTestStringConvertible {
    /// The text, without its mark.
    let text: String
    /// The offset of the mark.
    let offset: Int
    /// The kind of the error.
    let code: PropertyListError.Code
    /// A part of its message.
    let words: String

    /// Makes a case of a marked text.
    init(_ marked: String, _ code: PropertyListError.Code, _ words: String) {
        let parts = marked.split(separator: "¦", omittingEmptySubsequences: false)
        text = parts.joined()
        offset = parts.count > 1 ? parts[0].utf8.count : 0
        self.code = code
        self.words = words
    }

    /// The text, in test output.
    var testDescription: String { text }

    /// One of each.
    static let all = [
        JSONErrorCase("", .empty, "is empty"),
        JSONErrorCase(" // nothing\n", .empty, "is empty"),
        JSONErrorCase("{\"a\": 1 ¦\"b\": 2}", .syntax, "a comma is missing before this key"),
        JSONErrorCase("[1 ¦2]", .syntax, "a comma is missing before this value"),
        JSONErrorCase("{\"a\" ¦1}", .syntax, "a colon is missing"),
        JSONErrorCase("{\"a\" ¦= 1}", .syntax, "a colon, not '='"),
        JSONErrorCase("{\"a\": 1¦; \"b\": 2}", .syntax, "by commas"),
        JSONErrorCase("{¦a: 1}", .syntax, "text stands in double quotes"),
        JSONErrorCase("{\"a\": ¦hushsyntax}", .syntax, "text stands in double quotes"),
        JSONErrorCase("{¦1: 1}", .syntax, "a key is missing"),
        JSONErrorCase("{¦, \"a\": 1}", .syntax, "a key is missing before this comma"),
        JSONErrorCase("{\"a\": 1,¦, \"b\": 1}", .syntax, "a key is missing before this comma"),
        JSONErrorCase("[1,¦,2]", .syntax, "a value is missing before this comma"),
        JSONErrorCase("[¦,]", .syntax, "a value is missing before this comma"),
        JSONErrorCase("{\"a\":¦}", .syntax, "a value is missing before this bracket"),
        JSONErrorCase("{\"a\":1¦:2}", .syntax, "only after a key"),
        JSONErrorCase("[\"a\"¦:2]", .syntax, "belongs into an object"),
        JSONErrorCase("¦]", .syntax, "a value is missing"),
        JSONErrorCase("[1,\n2¦}", .syntax, "the '[' of line 1 is closed by ']'"),
        JSONErrorCase("{\"a\":1¦]", .syntax, "the '{' of line 1 is closed by '}'"),
        JSONErrorCase("\n¦<?xml version=\"1.0\"?><plist/>", .syntax, "this is XML, and the file's name says JSON"),
        JSONErrorCase("¦<!DOCTYPE html><html>", .syntax, "a page of a web site"),
        JSONErrorCase("{\n¦<<<<<<< HEAD\n\"a\": 1\n}", .syntax, "as a merge left them"),
        JSONErrorCase("{\"a\": 1\n¦=======\n}", .syntax, "as a merge left them"),
        JSONErrorCase("[¦<00>]", .syntax, "data is written as"),
        JSONErrorCase("[¦True]", .syntax, "'True' is not JSON; write true"),
        JSONErrorCase("[¦yes]", .syntax, "write true, or \"yes\""),
        JSONErrorCase("[¦None]", .syntax, "leave the key out"),
        JSONErrorCase("[¦NaN]", .number, "{\"$real\":\"nan\"}"),
        JSONErrorCase("[¦Infinity]", .number, "{\"$real\":\"inf\"}"),
        JSONErrorCase("[¦-Infinity]", .number, "{\"$real\":\"-inf\"}"),
        JSONErrorCase("[¦'a']", .syntax, "not in single quotes"),
        JSONErrorCase("[¦\u{201c}a\u{201d}]", .syntax, "typographic quotes"),
        JSONErrorCase("[¦\u{a0}1]", .syntax, "U+00A0"),
        JSONErrorCase("[¦\u{1}1]", .syntax, "U+0001"),
        JSONErrorCase("[¦\u{e9}]", .syntax, "U+00E9"),
        JSONErrorCase("[¦(1)]", .syntax, "square brackets"),
        JSONErrorCase("[¦<01>]", .syntax, "$data"),
        JSONErrorCase("¦# x\n1", .syntax, "not with #"),
        JSONErrorCase("[¦/ 1]", .syntax, "'/' does not belong here"),
        JSONErrorCase("[1, ¦/* 2]", .truncated, "no closing */"),
        JSONErrorCase("[¦\"a]", .truncated, "no closing quote"),
        JSONErrorCase("[¦\"a\n\"]", .syntax, "no closing quote on its line"),
        JSONErrorCase("[\"a¦\t\"]", .syntax, "an escape, \\t"),
        JSONErrorCase("[\"a¦\u{0}\"]", .syntax, "\\u0000"),
        JSONErrorCase("[\"a¦\\x\"]", .syntax, "no escape of JSON"),
        JSONErrorCase("[\"a¦\\u12g4\"]", .syntax, "four hexadecimal digits"),
        JSONErrorCase("[\"a¦\\u\u{ff11}\u{ff11}\u{ff11}\u{ff11}\"]", .syntax, "four hexadecimal digits"),
        JSONErrorCase("[\"a¦\\ud83d\"]", .encoding, "half of a surrogate pair"),
        JSONErrorCase("[\"a¦\\ud83d\\u0041\"]", .encoding, "half of a surrogate pair"),
        JSONErrorCase("[\"a¦\\ude00\"]", .encoding, "half of a surrogate pair"),
        JSONErrorCase("[¦\"a\\", .truncated, "no closing quote"),
        JSONErrorCase("[¦\"a\\u12", .truncated, "no closing quote"),
        JSONErrorCase("[¦01]", .number, "does not begin with 0"),
        JSONErrorCase("[¦-01]", .number, "does not begin with 0"),
        JSONErrorCase("[¦+1]", .number, "no plus sign"),
        JSONErrorCase("[¦.5]", .number, "0.5, not .5"),
        JSONErrorCase("[¦1.]", .number, "followed by digits"),
        JSONErrorCase("[¦1e]", .number, "exponent"),
        JSONErrorCase("[¦-]", .number, "followed by digits"),
        JSONErrorCase("[0¦x10]", .number, "decimal digits"),
        JSONErrorCase("[1.5¦.2]", .number, "does not belong to the number"),
        JSONErrorCase("[12¦px]", .number, "does not belong to the number"),
        JSONErrorCase("[¦18446744073709551616]", .number, "out of range"),
        JSONErrorCase("[¦-9223372036854775809]", .number, "out of range"),
        JSONErrorCase("[¦1e309]", .number, "too large"),
        JSONErrorCase("{\"a\": ¦null}", .unsupported, "Absent"),
        JSONErrorCase("{}¦{}", .trailingContent, "something follows"),
        JSONErrorCase("{} ¦x", .trailingContent, "something follows"),
        JSONErrorCase("1 ¦\u{1}", .trailingContent, "something follows"),
        JSONErrorCase("{} ¦/* x", .truncated, "no closing */"),
        JSONErrorCase("[1, 2\n¦", .truncated, "the '[' of line 1 is not closed"),
        JSONErrorCase("{\"a\"¦", .truncated, "the '{' of line 1 is not closed"),
        JSONErrorCase("{\"a\":¦", .truncated, "the '{' of line 1 is not closed"),
        JSONErrorCase("{\"$date\":¦\"2026-11-20\"}", .date, "2026-11-20T08:00:00Z"),
        JSONErrorCase("{\"$date\":¦5}", .date, "2026-11-20T08:00:00Z"),
        JSONErrorCase("{\"$data\":¦5}", .data, "Base64"),
        JSONErrorCase("{\"$data\":\"AQ¦!D\"}", .data, "no Base64 digit"),
        JSONErrorCase("{\"$data\":\"AQI¦\"}", .data, "ends within a group"),
        JSONErrorCase("{\"$data\":\"AQ¦ ID\"}", .data, "no Base64 digit"),
        JSONErrorCase("{\"$data\":\"A¦===\"}", .data, "stands where Base64 has none"),
        JSONErrorCase("{\"$data\":\"AR¦==\"}", .data, "bits left over"),
        JSONErrorCase("{\"$data\":\"AQ==¦AQ==\"}", .data, "ended at the '='"),
        JSONErrorCase("{\"$data\":¦\"\\/\\/!\"}", .data, "no Base64 digit"),
        JSONErrorCase("{\"$real\":¦\"NaN\"}", .number, "\"nan\", \"inf\" or \"-inf\""),
        JSONErrorCase("{\"$real\":¦1.0}", .number, "\"nan\", \"inf\" or \"-inf\""),
        JSONErrorCase("{\"$int\":¦\"+5\"}", .number, "$int"),
        JSONErrorCase("{\"$int\":¦5}", .number, "$int"),
        JSONErrorCase("{\"$dict\":¦5}", .syntax, "$dict"),
        JSONErrorCase("{¦\"$dtae\":\"2026-11-20T08:00:00Z\"}", .unsupported, "$date, $data, $real or $int"),
        JSONErrorCase("[{\"a\": {¦\"$\": 1}}]", .unsupported, "$date, $data, $real or $int"),
    ]
}
