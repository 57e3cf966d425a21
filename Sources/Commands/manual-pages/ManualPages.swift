import MDPlatform

/// Makes the manual pages of the package from the articles of its DocC catalog and from what `mdefaults help` says.
///
///     manual-pages CATALOG VERBS.json DAY VERSION OUTPUT
///
/// VERBS.json is what `mdefaults help --json` prints; DAY is printed at the foot of each page, so that the same sources make
/// the same bytes. OUTPUT gets the folders man1, man3, man5 and man8.
@main
struct ManualPages {
    /// Runs the program.
    static func main() {
        do {
            try run(CurrentProcess.arguments)
        } catch {
            try? StandardStream.error.write(Array("manual-pages: \(error)\n".utf8))
            ProcessExit.end(1)
        }
    }

    /// Makes all pages.
    private static func run(_ arguments: [String]) throws {
        guard arguments.count == 5 else {
            throw PageFailure("usage: manual-pages CATALOG VERBS.json DAY VERSION OUTPUT")
        }
        let root = Root.system
        let (catalog, output, date, version) = (arguments[0], arguments[4], arguments[2], arguments[3])
        let verbs = try DescribedVerb.all(root.read(arguments[1], limit: 1 << 24).bytes)
        for article in ArticlePage.pages.keys.sorted() {
            let bytes = try root.read("\(catalog)/\(article).md", limit: 1 << 24).bytes
            let isCommand = article == "mdefaults-1"
            let page = try ArticlePage(
                String(decoding: bytes, as: UTF8.self), date: date, version: version,
                also: isCommand ? verbs.map { "\($0.page)(1)" } : [])
            try write(page.source, page.title, to: output)
        }
        for verb in verbs {
            let title = RoffPage.Title(name: verb.page, section: 1, date: date, version: version)
            try write(VerbPage.source(of: verb, among: verbs, date: date, version: version), title, to: output)
        }
    }

    /// Writes a page into the folder of its section.
    private static func write(_ source: String, _ title: RoffPage.Title, to output: String) throws {
        let folder = "\(output)/man\(title.section)"
        do throws(SystemError) {
            try Root.system.createDirectory(folder, mode: 0o755)
        } catch {
            // A second page of a section finds its folder.
            if try Root.system.status(folder, followingLinks: true).kind != .directory { throw error }
        }
        try Root.system.replace("\(folder)/\(title.name).\(title.section)", with: Array(source.utf8), mode: 0o644)
    }
}
