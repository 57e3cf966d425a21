import Foundation
import MDTestSupport
import Testing

/// Outputs that are kept beside the tests.
enum Golden {
    /// The folder of the outputs.
    static let folder = Lab.repository + "/Tests/MDCommandLineTests/Golden"

    /// An output without the moment at which a policy file was recorded.
    static func withoutTimes(_ output: String) -> String {
        output.replacing(#/has it since [^.]*\./#, with: "has it since TIME.")
            .replacing(#/("generation": \d+,\s*"time": )"[^"]*"/#) { "\($0.output.1)\"TIME\"" }
    }

    /// Compares an output with the kept one.
    ///
    /// With `MDEFAULTS_GOLDEN=write` in the environment the output is kept instead, and the test fails all the same, so
    /// that no run passes without a comparison.
    static func expect(_ output: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        guard let kept = try kept(name, orWriting: output, sourceLocation) else { return }
        #expect(output == kept, "\(name) differs", sourceLocation: sourceLocation)
    }

    /// Compares lines with the kept ones, and shows of each long line that differs only where it begins to differ.
    static func expect(
        lines: [String], _ name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        guard let text = try kept(name, orWriting: lines.map { $0 + "\n" }.joined(), sourceLocation) else { return }
        let kept = text.split(separator: "\n").map(String.init)
        let difference = lines.difference(from: kept)
        for change in difference.insertions.prefix(5) + difference.removals.suffix(5) {
            switch change {
            case .insert(let offset, let line, _):
                let text = excerpt(of: line, against: kept)
                Issue.record("\(name):\(offset + 1) is new: \(text)", sourceLocation: sourceLocation)
            case .remove(let offset, let line, _):
                let text = excerpt(of: line, against: lines)
                Issue.record("\(name):\(offset + 1) is gone: \(text)", sourceLocation: sourceLocation)
            }
        }
    }

    /// The beginning of a line, and what it says around the first place that another line with this beginning lacks.
    private static func excerpt(of line: String, against lines: [String]) -> String {
        let question = line.prefix { $0 != "," }
        let other = lines.first { $0.hasPrefix(question) } ?? ""
        let same = zip(line, other).prefix { $0 == $1 }.count
        return "\(question) … \(line.dropFirst(max(0, same - 100)).prefix(300))"
    }

    /// The kept output; `nil` when the new one was written in its place.
    private static func kept(
        _ name: String, orWriting output: String, _ sourceLocation: SourceLocation
    ) throws -> String? {
        let file = "\(folder)/\(name)"
        guard ProcessInfo.processInfo.environment["MDEFAULTS_GOLDEN"] == "write" else {
            return try String(contentsOfFile: file, encoding: .utf8)
        }
        try output.write(toFile: file, atomically: true, encoding: .utf8)
        Issue.record("\(name) was written anew; look at the difference.", sourceLocation: sourceLocation)
        return nil
    }
}
