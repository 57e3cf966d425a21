import MDFleet
import MDPlatform
import MDReport
import MDTools

/// `fleet page`: the pages of a fleet for people.
enum FleetPageVerb: Verb {
    static let name = ["fleet", "page"]
    static let summary = "write the pages of a fleet"
    static let usage = ["fleet page [-o FOLDER]"]
    static let accepts: GlobalOptions.Kinds = [.root]
    static let help = """
        Writes two pages from what fleet collect wrote: headmaster.html has a sentence and rooms, and no name of a host or
        user; administrator.html has alarms first, then every host by room. They are single files without script that load
        nothing from anywhere, and they say when and by what clock they were made. Their words are those of fleet status.

          -o FOLDER   without it, the pages go to pages/ in the centre's folder; whoever may read a page is for the folder
                      and the web server to say

        At the foot of each page is the newest checkpoint of the centre's own log, if it has one. Under --root
        SOURCE_DATE_EPOCH is the clock.

        exit codes: 0 written; 2 wrong command line; 4 there is no centre, or something could not be read or written.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let word = try arguments.option("-o")
        try arguments.requireEnd()
        let view = try FleetStatusVerb.read(context)
        let version = ToolVersion.current
        let pages = [
            ("headmaster.html", FleetPages.headmaster(view, version: version)),
            ("administrator.html", FleetPages.administrator(view, version: version)),
        ]
        let root = try context.root()
        var written: [String] = []
        do throws(SystemError) {
            let (place, folder): (Root, String)
            if let word {
                (place, folder) = (Root.system, try CallerPath.absolute(word))
            } else {
                (place, folder) = (root, CentreFolder.pages)
                try CentreOwner.assume(at: root)
            }
            try place.createDirectory(folder, mode: 0o755)
            for (name, bytes) in pages {
                try place.replace("\(folder)/\(name)", with: bytes, mode: 0o644, durable: false)
                written.append(Printable.escape(place.display("\(folder)/\(name)")))
            }
        } catch {
            throw .of(error)
        }
        for path in written { try context.console.line(path) }
        try context.console.line(view.sentence())
        let found = view.hosts.filter { !$0.findings.isEmpty }
        for host in found.prefix(shownHosts) {
            try context.console.line(
                Printable.escape("  \(host.host), \(host.state.rawValue): \(host.findingWords(at: view.time))"))
        }
        if found.count > shownHosts {
            try context.console.line("  and \(found.count - shownHosts) more: mdefaults fleet status has all.")
        }
        return .success
    }

    /// The most hosts that are named on the terminal.
    private static let shownHosts = 10
}
