import Foundation
import MDTestSupport

/// The products and targets that `Package.swift` declares.
struct PackageGraph {
    /// A declaration: its kind (`target`, `testTarget`, `executableTarget`, `library`, `executable`) and its words.
    struct Declaration {
        /// What is called.
        let kind: String
        /// The name.
        let name: String
        /// The names of dependencies of a target, of targets of a product.
        let needs: [String]
    }

    /// All declarations, in order.
    let declarations: [Declaration]

    /// Reads the package.
    init() throws {
        let url = BuiltProgram.repository.appendingPathComponent("Package.swift")
        let lines = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
        let text = lines.map { $0.components(separatedBy: "//")[0] }.joined(separator: "\n")
        let start = try NSRegularExpression(pattern: #"\.(target|testTarget|executableTarget|library|executable)\("#)
        declarations = start.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
            guard let kind = Range(match.range(at: 1), in: text), let whole = Range(match.range, in: text) else {
                return nil
            }
            let call = PackageGraph.balanced(text[whole.upperBound...])
            guard let name = PackageGraph.strings(after: "name:", in: call).first else { return nil }
            let list = ["dependencies:", "targets:"].flatMap { PackageGraph.list($0, in: call, of: text) }
            return Declaration(kind: String(text[kind]), name: name, needs: list)
        }
    }

    /// The targets that another one needs, directly or not.
    func needs(of target: String) -> Set<String> {
        let edges = declarations.filter { $0.kind.lowercased().hasSuffix("target") }
            .reduce(into: [:]) { $0[$1.name] = Set($1.needs) }
        return Graph.reached(from: target, edges)
    }

    /// The text up to the parenthesis that closes one that is open.
    private static func balanced(_ text: Substring) -> Substring {
        var depth = 1
        for index in text.indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return text[..<index] }
        }
        return text
    }

    /// The texts of the list behind a label, which may be the sum of a constant of the file and a list.
    private static func list(_ label: String, in call: Substring, of text: String) -> [String] {
        guard let start = call.range(of: label), let open = call[start.upperBound...].firstIndex(of: "["),
            let close = call[open...].firstIndex(of: "]")
        else { return [] }
        let name = call[start.upperBound..<open].filter { $0.isLetter }
        guard !name.isEmpty, let constant = text.range(of: "let \(name): "),
            let sign = text[constant.upperBound...].range(of: "= [")
        else { return strings(after: "[", in: call[open...close]) }
        let end = text[sign.upperBound...].firstIndex(of: "]") ?? text.endIndex
        return strings(after: "= [", in: text[sign.lowerBound..<end]) + strings(after: "[", in: call[open...close])
    }

    /// The texts in quotation marks behind a label.
    private static func strings(after label: String, in text: Substring) -> [String] {
        guard let start = text.range(of: label) else { return [] }
        return text[start.upperBound...].split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}
