import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPrograms
import MDPropertyList

/// `policy convert`: the policy of another system as a policy file.
enum PolicyConvertVerb: Verb {
    static let name = ["policy", "convert"]
    static var accepts: GlobalOptions.Kinds { [.root] }
    static let summary = "make a policy file of what other systems have"
    static let usage = [
        "policy convert FILE… [--identifier NAME] [--domain NAME]",
        "  [--from KIND] [--recommended] [-o FILE]",
    ]
    static let help = """
        Prints one policy file in JSON for all FILEs, with comments that say where each entry came from. Where two files
        give one key, the later counts; files that end at different times are not made into one. What could not be
        carried over, or changed on the way, is listed on standard error and in a comment at the top. Which
        programs obey domains that are theirs, as browsers do by files that policy apply writes, is said too. A command of an
        MDM server, a manifest, a file of KDE and one of Firefox's preferences (.js, .cfg) are refused.

        An Apple profile            forced stays forced, Set-Once becomes SetOnce, and its newest mcx_data_timestamp
                                    the Version (profiles are also read as they are); so in a payload, or in domains
                                    with Forced or Set-Once, that no profile is around
        Managed preferences         a property list named after its domain: every key is forced; complete.plist and
                                    exports of MCX have their domains within; settings with a time stamp beside them
                                    are set once
        Keys without a root         as Intune takes them; --domain, or the name of the file
        dconf keyfiles and locks    locked keys are forced, others recommended, and keys that are locked without a value
                                    absent; the domain is the schema whose keys lie in that folder, by the schemas
                                    installed here (with --root there), then by a table of GNOME's, MATE's and
                                    Cinnamon's; of a schema that is used in many folders
                                    SCHEMA:|folder|. [schema] and [schema:desktop] of a .gschema.override are the
                                    schema. A folder such as /etc/dconf/db/local.d is its files and those in its
                                    folder locks
        Chromium policies in JSON   forced, or recommended in a folder of that name; org.chromium.Chromium without
                                    --domain. A folder is its files and those in its folders managed and recommended
        Firefox's policies.json     forced; org.mozilla.firefox without --domain

        --identifier NAME   the Identifier; else that of the profile, or converted. and the name of the first file
        --domain NAME       the domain of files that do not say it
        --from KIND         profile, plist, fragment, dconf, dconf-locks, chromium or firefox, where content and
                            name do not tell it
        --recommended       Chromium's policies are recommended, whatever their folder
        -o FILE             where the policy file goes; else, or for -, standard output

        exit codes: 0 everything was carried over; 1 written, and something was not carried over; 2 wrong command
        line; 4 a file could not be read or written; 5 a file does not parse.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        var options = ConversionOptions()
        options.identifier = try arguments.option("--identifier")
        if let name = try arguments.option("--domain") {
            options.domain = Key(name)
            if let mistake = options.domainError {
                throw .usage("The domain \"\(Printable.escape(name))\" \(mistake).", of: self)
            }
        }
        options.isRecommended = arguments.flag("--recommended") ? true : nil
        if let word = try arguments.option("--from") {
            guard let kind = ConversionKind(rawValue: word) else {
                let known = ConversionKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("There is no kind \(Printable.escape(word)); there are \(known).", of: self)
            }
            options.kind = kind
        }
        let output = try arguments.option("-o")
        if output?.isEmpty == true { throw .usage("-o needs the name of a file.", of: self) }
        let installed = InstalledSchemas(root: try context.root())
        options.schemas = installed.names.compactMap(installed.schema).map { schema in
            DconfSchema(id: schema.id, folder: schema.path, keys: Set(schema.keys.map { Key($0) }))
        }
        let files = try arguments.files()
        guard !files.isEmpty else { throw .usage("The file to convert is missing.", of: self) }
        var inputs: [ConversionInput] = []
        var unread: [String] = []
        for file in files { try add(file, to: &inputs, &unread) }
        let bytes: [UInt8]
        let (losses, notes): ([String], [String])
        let domains: [Key]
        do throws(ConversionError) {
            let conversion = try Conversion(inputs, options, unread: unread)
            bytes = try conversion.policyFile()
            (losses, notes, domains) = (conversion.losses, conversion.notes, conversion.domains)
        } catch {
            throw Failure(code: error.isUsage ? .usage : .badInput, message: "\(Printable.escape(error.description)).")
        }
        if let output, output != "-" {
            try OutputFile.write(CollectionOfOne(bytes), to: output, context, for: self) { $0 ?? 0o644 }
        } else {
            try context.console.write(bytes)
        }
        for note in notes { context.console.say("\(Printable.escape(note)).") }
        for loss in losses { context.console.say("\(Printable.escape(loss)).") }
        for domain in domains {
            let programs = ProgramCatalog.programs(taking: domain).map(\.title)
            if programs.isEmpty { continue }
            context.console.say(
                "\(programs.joined(separator: ", ")) will obey what is said of \(Printable.escape(domain.string)), in files"
                    + " that policy apply writes.")
        }
        return losses.isEmpty ? .success : .no
    }

    /// The subfolders that have policy as well: dconf's and Chromium's.
    private static let folders = ["locks", "managed", "recommended"]

    /// Adds a file, or all files of a folder and of its known subfolders, in byte order.
    ///
    /// - Parameters:
    ///   - word: the path.
    ///   - inputs: receives the files.
    ///   - unread: receives the paths in a folder that are not read.
    /// - Throws: exit 4 if something cannot be read, exit 5 if a folder has no file.
    private static func add(
        _ word: String, to inputs: inout [ConversionInput], _ unread: inout [String]
    ) throws(Failure) {
        let before = inputs.count
        do throws(SystemError) {
            let path = try CallerPath.absolute(word)
            guard try Root.system.status(path, followingLinks: true).kind == .directory else {
                return inputs.append(ConversionInput(path: word, bytes: try read(path)))
            }
            var waiting = [""]
            while let folder = waiting.popLast() {
                var within: [String] = []
                for name in try Root.system.names(in: path + folder) {
                    let file = "\(folder)/\(name)"
                    let kind = try Root.system.status(path + file, followingLinks: true).kind
                    if kind == .directory, folder.isEmpty, folders.contains(name) {
                        within.append(file)
                    } else if kind == .regular, name.utf8.first != UInt8(ascii: ".") {
                        inputs.append(ConversionInput(path: word + file, bytes: try read(path + file)))
                    } else {
                        unread.append(word + file)
                    }
                }
                waiting += within.reversed()
            }
        } catch {
            throw .of(error)
        }
        guard inputs.count > before else {
            throw Failure(code: .badInput, message: "\(Printable.escape(word)) has no file that could be converted.")
        }
    }

    /// The content of a file.
    private static func read(_ path: String) throws(SystemError) -> [UInt8] {
        try Root.system.read(path, limit: Limits.standard.bytes).bytes
    }
}
