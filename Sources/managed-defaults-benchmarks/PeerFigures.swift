import Foundation

/// The figures of a peer that another program measured: lines of a name, a tab and nanoseconds.
///
/// `Tests/Benchmarks/run` measures GNUstep just before, and names the file in `GNUSTEP_FIGURES`.
struct PeerFigures {
    /// Nanoseconds by name; empty where nobody measured.
    private let figures: [String: Double]

    /// Reads the file that the environment names.
    init(variable: String) {
        guard let path = ProcessInfo.processInfo.environment[variable],
            let text = try? String(contentsOfFile: path, encoding: .utf8)
        else {
            figures = [:]
            return
        }
        let pairs = text.split(separator: "\n").compactMap { line -> (String, Double)? in
            let parts = line.split(separator: "\t")
            guard parts.count == 2, let figure = Double(parts[1]) else { return nil }
            return (String(parts[0]), figure)
        }
        figures = Dictionary(pairs) { _, last in last }
    }

    /// The figure of an operation.
    subscript(name: String) -> Double? { figures[name] }
}
