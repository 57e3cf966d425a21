import Foundation
import Platform
import Testing

@testable import Audit

/// The log of the example lab, which was written by the tool and is in the repository.
struct ShippedLogTests {
    /// The lab.
    private static let lab =
        URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path + "/Examples/lab"

    @Test func `the shipped log is intact and names who tried what`() throws {
        let root = try Root(directory: ShippedLogTests.lab)
        let verification = AuditVerifier.verify(root: root, files: [])
        #expect(verification.status == .intact)
        let attempts = try AuditLog(root: root).records().records.filter { $0.kind == .override }
        #expect(attempts.count == verification.records - 9)
        #expect(Set(attempts.compactMap(\.user)) == ["alice", "bob", "chen", "dora", "exam01"])
    }
}
