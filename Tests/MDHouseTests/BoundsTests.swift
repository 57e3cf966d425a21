import Foundation
import MDTestSupport
import Testing

/// The page *Bounds* and the sources.
struct BoundsTests {
    /// A bound of the code: a constant, or a field of a type of limits.
    private struct Bound: Hashable {
        /// The type and the name.
        let name: String
        /// What it is set to.
        let value: String
    }

    /// The folders in which people's actions fill something.
    private static let folders = [
        "Sources/Audit/MDAuditDaemon", "Sources/Audit/MDAuditLog/Shares", "Sources/Machine/MDCare",
        "Sources/Machine/MDFleet/Centre",
    ]
    /// The types whose every field is a bound of people, and those of them that are none.
    private static let types = ["ServiceLimits", "PersonalShares.Limits"]
    private static let others = [
        "limitsRoot", "batch", "gathering", "window", "dropInterval", "checkpointInterval", "retryInterval",
        "readsPrograms", "persons", "log",
    ]

    /// The bounds of a file: constants by their names, and fields of types of limits.
    private func bounds(_ text: String) throws -> [Bound] {
        let type = try Regex(
            #"^(?: *)(?:package |private |final )*(?:struct|class|enum|extension) ([A-Z]\w*(?:\.\w+)?)"#)
        let constant = try Regex(
            #"^ +(?:package |private |fileprivate )*static let (\w*[cC]apacity|\w*[lL]imit|\w+OfPerson|most[A-Z]\w*|atOnce)(?:: Int)? = (.+)$"#
        )
        let field = try Regex(#"^ +package var (\w+)(?:: \w+\??)?(?: = (.+))?$"#)
        var (outer, inner): (String, String?) = ("", nil)
        var found: [Bound] = []
        for line in text.split(separator: "\n") {
            if let match = try type.firstMatch(in: line), let name = match.output[1].substring {
                if line.first == " " { inner = String(name) } else { (outer, inner) = (String(name), nil) }
            }
            let whole = inner.map { "\(outer).\($0)" } ?? outer
            if line == "    }" { inner = nil }
            if let match = try constant.firstMatch(in: line), let name = match.output[1].substring {
                found.append(Bound(name: "\(outer).\(name)", value: String(match.output[2].substring ?? "")))
            } else if Self.types.contains(whole), let match = try field.firstMatch(in: line),
                let name = match.output[1].substring, !Self.others.contains(String(name))
            {
                found.append(Bound(name: "\(whole).\(name)", value: String(match.output[2].substring ?? "")))
            }
        }
        return found
    }

    @Test func `the page of bounds has every bound of the code that people's actions fill, with its number`() throws {
        let repository = BuiltProgram.repository
        var code: [String: String] = [:]
        for folder in Self.folders {
            let top = repository.appendingPathComponent(folder)
            let names = FileManager.default.enumerator(atPath: top.path)?.compactMap { $0 as? String } ?? []
            for name in names where name.hasSuffix(".swift") {
                let text = try String(contentsOf: top.appendingPathComponent(name), encoding: .utf8)
                for bound in try bounds(text) { code[bound.name] = bound.value.replacing("_", with: ",") }
            }
        }
        let page = try String(
            contentsOf: repository.appendingPathComponent("Sources/Commands/mdefaults/mdefaults.docc/Bounds.md"),
            encoding: .utf8)
        var said: [String: String] = [:]
        for line in page.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count == 4, "\(line)")
            said[cells[0].replacing("`", with: "")] = cells[1]
        }
        // A bound of one message, and of what the log's own files have.
        let plain: Set = ["MessageHead.mostAttempts"]
        #expect(Set(said.keys) == Set(code.keys).subtracting(plain))
        for (name, value) in said where code[name]?.wholeMatch(of: /[0-9].*/) != nil && !name.hasSuffix("openedDomains")
        {
            #expect(code[name] == value, "\(name)")
        }
        #expect(code.count > 20)
    }
}
