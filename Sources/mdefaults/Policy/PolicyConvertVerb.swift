import Platform
import Policy
import PropertyList

/// `policy convert`: what other systems call policy, as a policy file.
enum PolicyConvertVerb: Verb {
    static let name = ["policy", "convert"]
    static var takes: GlobalOptions.Kinds { [.root] }
    static let summary = "make a policy file of what other systems have"
    static let usage = [
        "policy convert FILE… [--identifier NAME] [--domain NAME]",
        "  [--from KIND] [--recommended] [-o FILE]",
    ]
    static let help = """
        Prints one policy file in JSON for all FILEs, with comments that say where each entry came from. Where two files
        give one key, the later counts; files that end at different times are not made into one. What could not be
        carried over, or changed on the way, is listed on standard error and in a comment at the top.

        An Apple profile            forced stays forced, Set-Once becomes SetOnce, and its newest mcx_data_timestamp
                                    the Version (profiles are also read as they are); so in a payload, or in domains
                                    with Forced or Set-Once, that no profile is around
        Managed preferences         a property list named after its domain: every key is forced; complete.plist and
                                    exports of MCX have their domains within
        Keys without a root         as Intune takes them; --domain, or the name of the file
        dconf keyfiles and locks    locked keys are forced, others recommended; /a/b/key is key of a.b. A folder such
                                    as /etc/dconf/db/local.d is its files and those in its folder locks
        Chromium policies in JSON   forced, or recommended in a folder of that name; org.chromium.Chromium without
                                    --domain
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

    static func run(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        var options = ConversionOptions()
        options.identifier = try words.option("--identifier")
        options.domain = try words.option("--domain").map { Key($0) }
        options.isRecommended = words.flag("--recommended") ? true : nil
        if let word = try words.option("--from") {
            guard let kind = ConversionKind(rawValue: word) else {
                let known = ConversionKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("There is no kind \(Printable.escape(word)); there are \(known).", of: self)
            }
            options.kind = kind
        }
        let output = try words.option("-o")
        if output?.isEmpty == true { throw .usage("-o needs the name of a file.", of: self) }
        let files = try words.files()
        guard !files.isEmpty else { throw .usage("The file to convert is missing.", of: self) }
        var inputs: [ConversionInput] = []
        for file in files { inputs += try self.inputs(of: file) }
        let bytes: [UInt8]
        let losses: [String]
        do throws(ConversionError) {
            let conversion = try Conversion(inputs, options)
            bytes = try conversion.policyFile()
            losses = conversion.losses
        } catch {
            throw Failure(code: error.isUsage ? .usage : .badInput, message: "\(Printable.escape(error.description)).")
        }
        if let output, output != "-" {
            try OutputFile.write(bytes, to: output, mode: 0o644, context, for: self)
        } else {
            try context.console.write(bytes)
        }
        for loss in losses { context.console.say("\(Printable.escape(loss)).") }
        return losses.isEmpty ? .success : .no
    }

    /// The file of a name, or the keyfiles and locks of a folder, in byte order.
    private static func inputs(of word: String) throws(Failure) -> [ConversionInput] {
        do throws(SystemError) {
            let path = try CallerPath.absolute(word)
            guard try Root.system.status(path, followingLinks: true).kind == .directory else {
                return [ConversionInput(path: word, bytes: try read(path))]
            }
            var inputs: [ConversionInput] = []
            for folder in ["", "/locks"] {
                guard let names = try? Root.system.names(in: path + folder) else { continue }
                for name in names where name.utf8.first != UInt8(ascii: ".") {
                    let file = "\(folder)/\(name)"
                    guard try Root.system.status(path + file, followingLinks: true).kind == .regular else { continue }
                    inputs.append(ConversionInput(path: word + file, bytes: try read(path + file)))
                }
            }
            return inputs
        } catch {
            throw .of(error)
        }
    }

    /// The content of a file.
    private static func read(_ path: String) throws(SystemError) -> [UInt8] {
        try Root.system.read(path, limit: Limits.standard.bytes).bytes
    }
}
