import PropertyList
import Testing

/// A broken JSON text, in which `¦` marks the place of the mistake.
struct JSONMistake: CustomTestStringConvertible {
    /// The text, without its mark.
    let text: String
    /// The offset of the mark.
    let offset: Int
    /// The kind of the mistake.
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
        JSONMistake("", .empty, "is empty"),
        JSONMistake(" // nothing\n", .empty, "is empty"),
        JSONMistake("{\"a\": 1 ¦\"b\": 2}", .syntax, "a comma is missing before this key"),
        JSONMistake("[1 ¦2]", .syntax, "a comma is missing before this value"),
        JSONMistake("{\"a\" ¦1}", .syntax, "a colon is missing"),
        JSONMistake("{\"a\" ¦= 1}", .syntax, "a colon, not '='"),
        JSONMistake("{\"a\": 1¦; \"b\": 2}", .syntax, "by commas"),
        JSONMistake("{¦a: 1}", .syntax, "text stands in double quotes: \"a\""),
        JSONMistake("{\"a\": ¦hushsyntax}", .syntax, "text stands in double quotes: \"hus…\""),
        JSONMistake("{¦1: 1}", .syntax, "a key is missing"),
        JSONMistake("{¦, \"a\": 1}", .syntax, "a key is missing before this comma"),
        JSONMistake("{\"a\": 1,¦, \"b\": 1}", .syntax, "a key is missing before this comma"),
        JSONMistake("[1,¦,2]", .syntax, "a value is missing before this comma"),
        JSONMistake("[¦,]", .syntax, "a value is missing before this comma"),
        JSONMistake("{\"a\":¦}", .syntax, "a value is missing before this bracket"),
        JSONMistake("{\"a\":1¦:2}", .syntax, "only after a key"),
        JSONMistake("[\"a\"¦:2]", .syntax, "belongs into an object"),
        JSONMistake("¦]", .syntax, "a value is missing"),
        JSONMistake("[1,\n2¦}", .syntax, "the '[' of line 1 is closed by ']'"),
        JSONMistake("{\"a\":1¦]", .syntax, "the '{' of line 1 is closed by '}'"),
        JSONMistake("\n¦<?xml version=\"1.0\"?><plist/>", .syntax, "this is XML, and the file's name says JSON"),
        JSONMistake("¦<!DOCTYPE html><html>", .syntax, "a page of a web site"),
        JSONMistake("{\n¦<<<<<<< HEAD\n\"a\": 1\n}", .syntax, "as a merge left them"),
        JSONMistake("{\"a\": 1\n¦=======\n}", .syntax, "as a merge left them"),
        JSONMistake("[¦<00>]", .syntax, "data is written as"),
        JSONMistake("[¦True]", .syntax, "'True' is not JSON; write true"),
        JSONMistake("[¦yes]", .syntax, "write true, or \"yes\""),
        JSONMistake("[¦None]", .syntax, "leave the key out"),
        JSONMistake("[¦NaN]", .number, "{\"$real\":\"nan\"}"),
        JSONMistake("[¦Infinity]", .number, "{\"$real\":\"inf\"}"),
        JSONMistake("[¦-Infinity]", .number, "{\"$real\":\"-inf\"}"),
        JSONMistake("[¦'a']", .syntax, "not in single quotes"),
        JSONMistake("[¦\u{201c}a\u{201d}]", .syntax, "typographic quotes"),
        JSONMistake("[¦\u{a0}1]", .syntax, "U+00A0"),
        JSONMistake("[¦\u{1}1]", .syntax, "U+0001"),
        JSONMistake("[¦\u{e9}]", .syntax, "U+00E9"),
        JSONMistake("[¦(1)]", .syntax, "square brackets"),
        JSONMistake("[¦<01>]", .syntax, "$data"),
        JSONMistake("¦# x\n1", .syntax, "not with #"),
        JSONMistake("[¦/ 1]", .syntax, "'/' does not belong here"),
        JSONMistake("[1, ¦/* 2]", .truncated, "no closing */"),
        JSONMistake("[¦\"a]", .truncated, "no closing quote"),
        JSONMistake("[¦\"a\n\"]", .syntax, "no closing quote on its line"),
        JSONMistake("[\"a¦\t\"]", .syntax, "an escape, \\t"),
        JSONMistake("[\"a¦\u{0}\"]", .syntax, "\\u0000"),
        JSONMistake("[\"a¦\\x\"]", .syntax, "no escape of JSON"),
        JSONMistake("[\"a¦\\u12g4\"]", .syntax, "four hexadecimal digits"),
        JSONMistake("[\"a¦\\u\u{ff11}\u{ff11}\u{ff11}\u{ff11}\"]", .syntax, "four hexadecimal digits"),
        JSONMistake("[\"a¦\\ud83d\"]", .encoding, "half of a surrogate pair"),
        JSONMistake("[\"a¦\\ud83d\\u0041\"]", .encoding, "half of a surrogate pair"),
        JSONMistake("[\"a¦\\ude00\"]", .encoding, "half of a surrogate pair"),
        JSONMistake("[¦\"a\\", .truncated, "no closing quote"),
        JSONMistake("[¦\"a\\u12", .truncated, "no closing quote"),
        JSONMistake("[¦01]", .number, "does not begin with 0"),
        JSONMistake("[¦-01]", .number, "does not begin with 0"),
        JSONMistake("[¦+1]", .number, "no plus sign"),
        JSONMistake("[¦.5]", .number, "0.5, not .5"),
        JSONMistake("[¦1.]", .number, "followed by digits"),
        JSONMistake("[¦1e]", .number, "exponent"),
        JSONMistake("[¦-]", .number, "followed by digits"),
        JSONMistake("[0¦x10]", .number, "decimal digits"),
        JSONMistake("[1.5¦.2]", .number, "does not belong to the number"),
        JSONMistake("[12¦px]", .number, "does not belong to the number"),
        JSONMistake("[¦18446744073709551616]", .number, "out of range"),
        JSONMistake("[¦-9223372036854775809]", .number, "out of range"),
        JSONMistake("[¦1e309]", .number, "too large"),
        JSONMistake("{\"a\": ¦null}", .unsupported, "Absent"),
        JSONMistake("{}¦{}", .trailingContent, "something follows"),
        JSONMistake("{} ¦x", .trailingContent, "something follows"),
        JSONMistake("1 ¦\u{1}", .trailingContent, "something follows"),
        JSONMistake("{} ¦/* x", .truncated, "no closing */"),
        JSONMistake("[1, 2\n¦", .truncated, "the '[' of line 1 is not closed"),
        JSONMistake("{\"a\"¦", .truncated, "the '{' of line 1 is not closed"),
        JSONMistake("{\"a\":¦", .truncated, "the '{' of line 1 is not closed"),
        JSONMistake("{\"$date\":¦\"2026-11-20\"}", .date, "2026-11-20T08:00:00Z"),
        JSONMistake("{\"$date\":¦5}", .date, "2026-11-20T08:00:00Z"),
        JSONMistake("{\"$data\":¦5}", .data, "Base64"),
        JSONMistake("{\"$data\":\"AQ¦!D\"}", .data, "no Base64 digit"),
        JSONMistake("{\"$data\":\"AQI¦\"}", .data, "ends within a group"),
        JSONMistake("{\"$data\":\"AQ¦ ID\"}", .data, "no Base64 digit"),
        JSONMistake("{\"$data\":\"A¦===\"}", .data, "stands where Base64 has none"),
        JSONMistake("{\"$data\":\"AR¦==\"}", .data, "bits left over"),
        JSONMistake("{\"$data\":\"AQ==¦AQ==\"}", .data, "ended at the '='"),
        JSONMistake("{\"$data\":¦\"\\/\\/!\"}", .data, "no Base64 digit"),
        JSONMistake("{\"$real\":¦\"NaN\"}", .number, "\"nan\", \"inf\" or \"-inf\""),
        JSONMistake("{\"$real\":¦1.0}", .number, "\"nan\", \"inf\" or \"-inf\""),
        JSONMistake("{\"$int\":¦\"+5\"}", .number, "$int"),
        JSONMistake("{\"$int\":¦5}", .number, "$int"),
        JSONMistake("{\"$dict\":¦5}", .syntax, "$dict"),
        JSONMistake("{¦\"$dtae\":\"2026-11-20T08:00:00Z\"}", .unsupported, "$date, $data, $real or $int"),
        JSONMistake("[{\"a\": {¦\"$\": 1}}]", .unsupported, "$date, $data, $real or $int"),
    ]
}
