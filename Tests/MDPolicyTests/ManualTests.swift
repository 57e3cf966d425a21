import Foundation
import MDPropertyList
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// The manual page of policy files against the parser.
struct ManualTests {
    /// The page.
    private static func page() throws -> String {
        let repository = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(
            contentsOf: repository.appendingPathComponent(
                "Sources/Commands/mdefaults/mdefaults.docc/mdefaults-policy.md"),
            encoding: .utf8)
    }

    @Test func `every field that the parser knows has its place in the manual`() throws {
        let page = try Self.page()
        let fields =
            PolicyField.allCases.map(\.rawValue) + TargetField.allCases.map(\.rawValue)
            + WindowField.allCases.map(\.rawValue) + WaiverField.allCases.map(\.rawValue)
            + ConstraintField.allCases.map(\.rawValue) + MetadataField.allCases.map(\.rawValue)
        for field in fields {
            #expect(page.contains("`\(field)`") || page.contains("\"\(field)\""), "the manual lacks \(field)")
        }
    }

    @Test func `every word that a field may have is in the manual`() throws {
        let page = try Self.page()
        let words =
            CombineOperator.allCases.map(\.rawValue) + OverrideMode.allCases.map(\.rawValue)
            + Weekday.allCases.map(\.word)
        for word in words { #expect(page.contains("`\(word)`"), "the manual lacks \(word)") }
    }

    @Test func `the manual says which strings count as numbers`() throws {
        let page = try Self.page()
        let constraint = Constraint(minimum: .integer(10), maximum: .integer(70))
        let cases: [(String, ConstraintVerdict, String)] = [
            ("50", .allowed, "`\"50\"` is obeyed as the string that it is"),
            ("500", .clamped(.integer(70)), "in the place of `\"500\"` stands the\nbound, the integer 70"),
            ("+20.5", .allowed, "`+20.5`"), ("-3", .clamped(.integer(10)), "`-3`"),
            ("2e1", .refused, "`2e1`"), ("20 %", .refused, "`20 %`"), (".5", .refused, "`.5`"),
        ]
        for (text, verdict, sentence) in cases {
            #expect(constraint.verdict(on: .string(text)) == verdict && page.contains(sentence), "\(text)")
        }
    }

    @Test func `no field of the manual is refused`() {
        #expect(RefusedFields.current.names.isEmpty)
    }
}
