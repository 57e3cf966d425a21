import Foundation
import ManagedDefaults
import Testing

extension ManagedDefaults.Keys {
    /// The setting of the tutorial.
    fileprivate static let homePage = Key("HomePage", default: "about:blank")
}

/// The tutorial in `Examples/classroom-browser/README.md` shows code that compiles.
struct TutorialTests {
    /// Sets the home page and shows what became of it, in the very lines of the tutorial.
    private func set(_ text: String, _ defaults: ManagedDefaults, show: (String) -> Void) {
        // The tutorial begins.
        switch defaults.set(text, for: .homePage) {
        case .stored, .unchanged: break
        case .refused(let forced): show(forced.message)
        case .shadowed(let forced): show(forced.message)
        case .clamped(let clamped): show(clamped.message)
        case .outside(let allowed): show(allowed.message)
        case .invalid(let reason): show(reason)
        }
        // The tutorial ends.
    }

    /// The code of some lines, without blanks around it and remarks behind it.
    private func code(_ lines: some Sequence<Substring>) -> [String] {
        lines.map { line in
            let code = line.range(of: " //").map { line[..<$0.lowerBound] } ?? line
            return code.trimmingCharacters(in: .whitespaces)
        }
    }

    @Test func `the outcome of a write is looked at as the tutorial says`() throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8).split(separator: "\n")
        let own = code(
            source.drop { !$0.hasSuffix("// The tutorial begins.") }.dropFirst()
                .prefix { !$0.hasSuffix("// The tutorial ends.") })
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(
            contentsOf: repository.appending(path: "Examples/classroom-browser/README.md"), encoding: .utf8)
        let shown = code(
            readme.split(separator: "\n").drop { !$0.hasPrefix("switch ") }.prefix { !$0.hasPrefix("```") })
        #expect(shown.count > 5)
        #expect(shown == own)
    }

    @Test func `what the tutorial shows is why a write had no effect`() throws {
        let machine = try TemporaryMachine(
            policy: """
                { "Identifier": "org.example.lab", "Contact": "room 12",
                  "Constraints": { "org.example.Browser": { "HomePage": { "OneOf": ["a", "b"] } } } }
                """)
        var shown: [String] = []
        let defaults = try machine.open()
        set("a", defaults) { shown.append($0) }
        #expect(shown.isEmpty)
        set("c", defaults) { shown.append($0) }
        #expect(shown.count == 1 && shown.first?.contains("room 12") == true)
    }
}
