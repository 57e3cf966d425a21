import MDPlatform
import MDReport

/// Where a report goes: standard output, or a file with its signature beside it.
struct ReportOutput {
    /// The file; `nil` for standard output.
    private(set) var file: String?
    /// The key that signs it, if any.
    private let key: String?
    /// Whether it is to be signed.
    var isSigned: Bool { key != nil }
    /// The permission bits that `--mode` asks for, if any.
    private let mode: UInt32?
    private let verb: any Verb.Type

    /// The permission bits of a file without `--mode`, and the most that it keeps of those of an older one.
    private static let privateMode: UInt32 = 0o600

    /// Parses `-o`, `--sign` and `--mode`.
    init(_ arguments: inout Arguments) throws(Failure) {
        verb = arguments.verb
        let word = try arguments.option("-o")
        key = try arguments.option("--sign")
        let bits = try arguments.option("--mode")
        mode = bits.flatMap { $0.hasPrefix("+") ? nil : UInt32($0, radix: 8) }
        if let bits, mode.map({ $0 > 0o777 }) ?? true {
            throw .usage("--mode needs permission bits from 0 to 777, not \(Printable.escape(bits)).", of: verb)
        }
        if let word, word.isEmpty { throw .usage("-o needs the name of a file.", of: verb) }
        file = word == "-" ? nil : word
        if key != nil, file == nil {
            throw .usage("--sign writes the signature beside the report, so it needs -o FILE.", of: verb)
        }
        if mode != nil, file == nil { throw .usage("--mode is that of the file, so it needs -o FILE.", of: verb) }
    }

    /// Writes a report, and its signature.
    ///
    /// - Throws: exit 4 if it cannot be signed or written; then there is no new report.
    func write(_ document: DocumentPieces, _ context: Context) throws(Failure) {
        guard let file else {
            for piece in document { try context.console.write(piece) }
            return
        }
        var document = document
        var signature: [UInt8]?
        if let key {
            do throws(ReportFault) {
                let path: String
                do throws(SystemError) {
                    path = try CallerPath.absolute(key)
                } catch {
                    throw ReportFault("\(error)")
                }
                // ssh-keygen is given the whole report, and what is written is what was signed.
                let bytes = document.bytes
                document = DocumentPieces(whole: bytes)
                signature = try ReportSignature.sign(bytes, key: path)
            } catch {
                throw Failure(
                    code: .inputOutput, message: "Nothing was written: \(Printable.escape(key)): \(error.message).")
            }
        }
        let bits = { (kept: UInt32?) in mode ?? (kept ?? .max) & ReportOutput.privateMode }
        try OutputFile.write(document, to: file, context, for: verb, mode: bits)
        guard let signature else { return }
        try OutputFile.write(
            CollectionOfOne(signature), to: file + ReportSignature.suffix, context, for: verb, mode: bits)
    }
}

extension ReportOutput {
    /// The folder that it is: one that exists, or a name that ends in a slash; `nil` for any other.
    private var folder: String? {
        guard let file else { return nil }
        if file.hasSuffix("/") { return file }
        let path = try? CallerPath.absolute(file)
        let kind = path.flatMap { try? Root.system.status($0, followingLinks: true).kind }
        return kind == .directory ? file + "/" : nil
    }

    /// Writes a file for each room into a folder, and last one for all machines.
    ///
    /// - Parameters:
    ///   - report: the report.
    ///   - format: the format; rooms have files of their own in XCCDF only, whose readers show one result of a file.
    ///   - context: the machine whose preference files are refused.
    /// - Returns: false if it is no folder, and nothing was written.
    /// - Throws: what ``write(_:_:)`` throws.
    func writeRooms(
        of report: MergedReport, _ format: ReportFormat, _ context: Context
    ) throws(Failure) -> Bool {
        guard format == .xccdf, let folder else { return false }
        do throws(SystemError) {
            let path = try CallerPath.absolute(folder)
            if (try? Root.system.status(path, followingLinks: true)) == nil {
                try Root.system.createDirectory(path, mode: 0o700)
            }
        } catch {
            throw .of(error)
        }
        var output = self
        for document in format.rooms(of: report) {
            output.file = folder + document.name
            try output.write(document.pieces, context)
        }
        return true
    }
}

/// Reads reports and the files beside them, at paths as the shell has them.
enum ReportFile {
    /// Reads a file.
    ///
    /// - Throws: exit 4 if it cannot be read.
    static func read(_ word: String, limit: Int = MachineReport.sizeLimit) throws(Failure) -> [UInt8] {
        do throws(SystemError) {
            return try Root.system.read(try CallerPath.absolute(word), limit: limit).bytes
        } catch {
            throw .of(error)
        }
    }

    /// The names of users in a file, one a line; what follows a colon is left out, so that lines of passwd(5) will do.
    ///
    /// - Throws: exit 4 if it cannot be read, exit 5 with the line for what is not a name.
    static func names(_ word: String) throws(Failure) -> [String] {
        let bytes = try read(word, limit: 16 << 20)
        var names: [String] = []
        for (index, line) in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            let name = line.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "#") && $0 != 0x0d }
                .filter { $0 != 0x20 && $0 != 0x09 }
            if name.isEmpty { continue }
            guard name.count <= 256, let text = String(validating: name, as: UTF8.self),
                !name.contains(where: { $0 < 0x20 || $0 == 0x7f })
            else {
                throw Failure(
                    code: .badInput, message: "\(Printable.escape(word)):\(index + 1): this is no name of a user.")
            }
            names.append(text)
        }
        return names
    }

    /// The signature beside a report; `nil` if there is none.
    static func signature(of word: String) throws(Failure) -> [UInt8]? {
        do throws(SystemError) {
            return try Root.system.read(
                try CallerPath.absolute(word) + ReportSignature.suffix, limit: ReportSignature.sizeLimit
            ).bytes
        } catch {
            if error.isMissing { return nil }
            throw .of(error)
        }
    }

    /// The trusted signers: those of a file, else the machine's; `nil` if there is no list.
    static func signers(_ word: String?, _ context: Context) throws(Failure) -> [UInt8]? {
        if let word { return try read(word, limit: ReportSignature.sizeLimit) }
        let root = try context.root()
        do throws(TrustError) {
            return try root.readTrusted(ReportSignature.trustPath, limit: ReportSignature.sizeLimit).bytes
        } catch {
            if error.isMissing { return nil }
            throw Failure(code: .inputOutput, message: "Who may sign is not known: \(error).")
        }
    }
}
