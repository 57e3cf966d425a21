import Foundation

/// The Swift blocks of one document, as one program.
///
/// Blocks follow each other as a reader sees them: a later one may use the names of an earlier one, or declare one of
/// them again. Code between `<!-- swift` and `-->` takes part too and is hidden from readers: it declares what the text
/// does not explain. A comment `<!-- swift: new page -->` begins another program.
struct SnippetPage {
    /// A line of code with its place in the document.
    struct Line {
        /// The number, counted from 1.
        let number: Int
        /// The code.
        let text: String
    }

    /// The path of the document from the folder of the package.
    let file: String
    /// The blocks, in order.
    private(set) var blocks: [[Line]] = []

    /// Whether this is the manifest of a package.
    var isManifest: Bool {
        blocks.joined().contains {
            $0.text.hasPrefix("// Package.swift") || $0.text.contains("import PackageDescription")
        }
    }

    /// Finds the programs of a document.
    ///
    /// - Parameters:
    ///   - file: the path of the document from the folder of the package.
    ///   - text: the content: Markdown, or Swift whose documentation comments are taken, each by itself.
    /// - Returns: the programs, without those that have no block.
    static func pages(of file: String, _ text: String) -> [SnippetPage] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .map { Line(number: $0.offset + 1, text: String($0.element)) }
        if file.hasSuffix(".swift") { lines = lines.map { Line(number: $0.number, text: documentation(in: $0.text)) } }
        var pages = [SnippetPage(file: file)]
        var block: [Line]?
        var (end, indentation) = ("", 0)
        for line in lines {
            let trimmed = line.text.trimmingCharacters(in: .whitespaces)
            if let open = block {
                if trimmed == end {
                    let isAlone = SnippetPage(file: file, blocks: [open]).isManifest
                    if isAlone {
                        pages.insert(SnippetPage(file: file, blocks: [open]), at: pages.count - 1)
                    } else {
                        pages[pages.count - 1].blocks.append(open)
                    }
                    block = nil
                } else {
                    let blanks = line.text.prefix(indentation).prefix { $0 == " " }.count
                    block = open + [Line(number: line.number, text: String(line.text.dropFirst(blanks)))]
                }
            } else if trimmed == "```swift" || trimmed.hasPrefix("```swift,") || trimmed == "<!-- swift" {
                end = trimmed.hasPrefix("`") ? "```" : "-->"
                indentation = line.text.prefix { $0 == " " }.count
                block = []
            } else if trimmed == "<!-- swift: new page -->" || trimmed == SnippetPage.noDocumentation {
                pages.append(SnippetPage(file: file))
            }
        }
        return pages.filter { !$0.blocks.isEmpty }
    }

    /// The mark for a line of Swift that is no documentation, and ends a page.
    private static let noDocumentation = "-"

    /// The text of a documentation comment's line.
    private static func documentation(in line: String) -> String {
        let text = line.drop { $0 == " " }
        guard text.hasPrefix("///") else { return noDocumentation }
        return String(text.dropFirst(text.hasPrefix("/// ") ? 4 : 3))
    }

    /// The program: declarations of types and extensions, then a function with all statements.
    var program: String {
        if isManifest { return manifest }
        // Documentation in a source may use the names of its module.
        let folders = file.split(separator: "/")
        var declarations = ["import ManagedDefaults"] + (file.hasSuffix(".swift") ? ["import \(folders[2])"] : [])
        var statements = ["private func page() async throws {"]
        for block in blocks {
            statements.append("do {")
            for item in SnippetPage.items(of: block) {
                let isDeclaration = item.first { !$0.text.isEmpty }.map { SnippetPage.isDeclaration(item, $0) } ?? false
                let code = mapped(item.map { isDeclaration ? SnippetPage.hidden($0) : $0 })
                if isDeclaration { declarations += code } else { statements += code }
            }
        }
        statements += blocks.map { _ in "}" } + ["}"]
        if declarations.contains(where: { $0.hasPrefix("#sourceLocation(f") }) {
            declarations.append("#sourceLocation()")
        }
        return (declarations + statements).joined(separator: "\n") + "\n"
    }

    /// The program of a manifest, which may be shown without the call that makes the package.
    private var manifest: String {
        let lines = blocks.flatMap { $0 }
        if lines.contains(where: { $0.text.contains("Package(") && !$0.text.contains(".package(") }) {
            let code = mapped(lines.filter { !$0.text.hasPrefix("// swift-tools-version") })
            return (["import PackageDescription"] + code).joined(separator: "\n") + "\n"
        }
        // The call takes the place of the line before the block, because a position cannot be set inside of it.
        let call = Line(number: (lines.first?.number ?? 2) - 1, text: "let package = Package(name: \"Snippet\",")
        return (["import PackageDescription"] + mapped([call] + lines) + [")"]).joined(separator: "\n") + "\n"
    }

    /// Lines that the compiler reports by their place in the document.
    private func mapped(_ lines: [Line]) -> [String] {
        guard let first = lines.first else { return [] }
        return ["#sourceLocation(file: \"\(file)\", line: \(first.number))"] + lines.map(\.text)
    }

    /// The declarations and statements of a block: each begins on a line outside of all brackets.
    private static func items(of block: [Line]) -> [[Line]] {
        var items: [[Line]] = []
        var (depth, isText, isOpen) = (0, false, false)
        for line in block {
            if isOpen { items[items.count - 1].append(line) } else { items.append([line]) }
            if !isText { depth += balance(of: line.text) }
            if line.text.components(separatedBy: "\"\"\"").count % 2 == 0 { isText.toggle() }
            let trimmed = line.text.trimmingCharacters(in: .whitespaces)
            // Attributes and comments belong to what follows.
            let isPrefix = trimmed.hasPrefix("//") || trimmed.hasPrefix("@") && !trimmed.contains(where: " {".contains)
            isOpen = depth > 0 || isText || isPrefix
        }
        return items
    }

    /// How many more brackets a line opens than it closes.
    private static func balance(of line: String) -> Int {
        let code = line.range(of: "//").map { line[..<$0.lowerBound] } ?? Substring(line)
        return code.reduce(0) { sum, character in
            "{([".contains(character) ? sum + 1 : "})]".contains(character) ? sum - 1 : sum
        }
    }

    /// What a declaration at file level begins with.
    private static let keywords: Set<Substring> = [
        "import", "extension", "struct", "class", "enum", "actor", "protocol", "typealias",
    ]
    /// What may come before such a keyword.
    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private", "final", "indirect", "nonisolated",
    ]

    /// Whether an item belongs to file level.
    private static func isDeclaration(_ item: [Line], _ first: Line) -> Bool {
        if item.contains(where: { $0.text.hasPrefix("@Test") }) { return true }
        let code = item.first { !$0.text.isEmpty && !$0.text.hasPrefix("//") && !isAttribute($0.text) } ?? first
        let word = code.text.split(separator: " ").first { !modifiers.contains($0) && !$0.hasPrefix("@") }
        return word.map { keywords.contains($0) } ?? false
    }

    /// Whether a line is an attribute of what follows.
    private static func isAttribute(_ line: String) -> Bool {
        line.hasPrefix("@") && !line.contains(where: " {".contains)
    }

    /// A line of a declaration that other pages cannot see, so that each may declare the same names.
    private static func hidden(_ line: Line) -> Line {
        var text = line.text
        if text.hasPrefix("@main") { text = String(text.dropFirst("@main".count)).trimmingCharacters(in: .whitespaces) }
        let word = text.split(separator: " ").first ?? ""
        let isConformance = word == "extension" && text.prefix { $0 != "{" }.contains(":")
        if word != "import", keywords.contains(word) && !isConformance || word == "final" || word == "indirect" {
            text = "fileprivate " + text
        }
        return Line(number: line.number, text: text)
    }
}
