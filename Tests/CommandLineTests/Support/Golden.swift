import Foundation
import Testing

/// Outputs that are kept beside the tests.
enum Golden {
    /// The folder of the outputs.
    static let folder = Lab.repository + "/Tests/CommandLineTests/Golden"

    /// Compares an output with the kept one.
    ///
    /// With `MDEFAULTS_GOLDEN=write` in the environment the output is kept instead, and the test fails all the same, so
    /// that no run passes without a comparison.
    static func expect(_ output: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = "\(folder)/\(name)"
        if ProcessInfo.processInfo.environment["MDEFAULTS_GOLDEN"] == "write" {
            try output.write(toFile: file, atomically: true, encoding: .utf8)
            Issue.record("\(name) was written anew; look at the difference.", sourceLocation: sourceLocation)
            return
        }
        let kept = try String(contentsOfFile: file, encoding: .utf8)
        #expect(output == kept, "\(name) differs", sourceLocation: sourceLocation)
    }
}
