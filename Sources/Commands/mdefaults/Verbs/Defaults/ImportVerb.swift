import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPropertyList

/// `import`: stores the entries of a file in a domain.
enum ImportVerb: Verb {
    static let name = ["import"]
    static var accepts: GlobalOptions.Kinds { [.root, .user, .json, .hostFiles] }
    static let summary = "store the entries of a property list file"
    static let usage = ["import DOMAIN FILE", "import DOMAIN -"]
    static let help = """
        Stores every entry of FILE, or of standard input, and leaves the domain's other keys as they are. FILE is a
        property list: XML, binary, OpenStep text, or JSON in a file that ends in .json and with --json.
        All or nothing: one key that is forced to another value, or whose value no constraint leaves anything of, refuses
        the whole, naming each; exit 3. Each is recorded. A value beyond a bound is stored as the bound, with exit 3.
        Exit 4: FILE cannot be read, 5: it does not parse.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let place = try DomainArgument.parse(&arguments, context)
        guard let file = arguments.next() else { throw .usage("Need a path to read from", of: self) }
        try arguments.requireEndUnchanged()
        let values = try values(of: file, isJSON: context.options.json)
        return try DomainEditing.run(.set(values), of: place, via: .import, context)
    }

    /// The entries of a file.
    private static func values(of word: String, isJSON: Bool) throws(Failure) -> [Key: Value] {
        let shown = word == "-" ? "standard input" : Printable.escape(word)
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes =
                word == "-"
                ? try StandardInput.readAll(limit: Limits.standard.bytes)
                : try Root.system.read(try CallerPath.absolute(word), limit: Limits.standard.bytes).bytes
        } catch {
            throw Failure(code: .inputOutput, message: "Could not read data from \(shown): \(error).")
        }
        let document: Document
        do {
            document = try Document.read(bytes, as: isJSON || word.hasSuffix(".json") ? .json : nil)
        } catch {
            throw Failure(
                code: .badInput,
                message:
                    "Could not parse property list from \(shown) due to: \(shown):\(error.position): \(error.message).")
        }
        guard let entries = document.root.entries else {
            throw Failure(code: .badInput, message: "Property list \(shown) was not a dictionary")
        }
        return Node.dictionary(entries)
    }
}
