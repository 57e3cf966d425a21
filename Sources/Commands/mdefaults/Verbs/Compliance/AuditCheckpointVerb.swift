import MDAuditLog
import MDAuditReading
import MDPlatform
import MDPropertyList

/// `audit checkpoint`: the signed head of the log, for somebody else to keep.
enum AuditCheckpointVerb: Verb {
    static let name = ["audit", "checkpoint"]
    static let summary = "print the log's newest checkpoint, for somebody else to keep"
    static let usage = ["audit checkpoint [--new-key|--public-key] [--json]"]
    static let help = """
        Prints the newest checkpoint as a signed note (C2SP): the name of the log, the number of records, the root of
        their tree, and the signatures. Kept on another machine, it proves later that the log only grew: mdefaults audit
        verify --against. It is not compared with the records here.

        One signature is always there: an HMAC-SHA-256 whose key is replaced by its digest after each checkpoint, so
        that who takes over the machine cannot sign what was before. Who keeps the first key checks all of them. A second
        one, Ed25519, is made by openssl if there is a private key in /etc/managed-defaults/audit-key.pem
        (openssl genpkey -algorithm ed25519, mode 0600); only root's audit checkpoint makes it.

        --new-key      begins a new series of keys, prints the first one, once, and makes a checkpoint with it. Keep
                       the line where nobody on this machine can read it, for mdefaults audit verify --first-key
        --public-key   prints the Ed25519 key as verifiers of signed notes take it

        JSON: {"origin","size","root","note"}; "root" is Base64, "note" the whole text. With --new-key
        {"origin","keyID","firstKey"}, with --public-key {"origin","verifier"}; "firstKey" and "verifier" are the lines.

        exit codes: 0 printed; 1 there is no checkpoint, or no Ed25519 key; 2 wrong command line; 4 a file could not be
        read or written, or openssl not be run; 5 the checkpoint or the key is damaged.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let makesKey = arguments.flag("--new-key")
        let showsKey = arguments.flag("--public-key")
        try arguments.requireEnd()
        if makesKey, showsKey { throw .usage("--new-key and --public-key exclude each other.", of: self) }
        let root = try context.root()
        if makesKey { return try beginKey(root, context) }
        guard let found = try newest(root) else {
            context.console.say(
                "There is no checkpoint \(Printable.escape(root.display(LogFiles.current.checkpoint))).")
            return .no
        }
        var checkpoint = found
        let signer: CheckpointSigner?
        do {
            signer = try CheckpointSigner(of: root)
            if let signer, !showsKey { checkpoint.signatures.append(try signer.signature(of: checkpoint)) }
        } catch {
            throw failure(error)
        }
        if showsKey { return try showKey(signer, checkpoint.origin, root, context) }
        guard context.options.json else {
            try context.console.write(Array(checkpoint.text.utf8))
            return .success
        }
        var json = JSONWriter()
        json.beginObject()
        json.field("origin", checkpoint.origin)
        json.field("size", checkpoint.size)
        json.field("root", Base64.encode(checkpoint.root.bytes))
        json.field("note", checkpoint.text)
        json.endObject()
        try context.print(json)
        return .success
    }

    /// The failure of a signature.
    private static func failure(_ error: CheckpointSigningError) -> Failure {
        switch error {
        case .system(let error): .of(error)
        case .badKey: Failure(code: .badInput, message: "\(error).")
        case .exposed, .unsigned: Failure(code: .inputOutput, message: "\(error).")
        }
    }

    /// Reads the newest checkpoint; `nil` if there is none.
    private static func newest(_ root: Root) throws(Failure) -> Checkpoint? {
        let bytes: [UInt8]
        do {
            bytes = try root.read(LogFiles.current.checkpoint, limit: Checkpoint.longestText).bytes
        } catch {
            if error.isMissing { return nil }
            throw .of(error)
        }
        guard let checkpoint = Checkpoint(text: bytes) else {
            let shown = Printable.escape(root.display(LogFiles.current.checkpoint))
            throw Failure(code: .badInput, message: "The checkpoint \(shown) is not as it was written.")
        }
        return checkpoint
    }

    /// Begins a new series of keys and prints the first one.
    private static func beginKey(_ root: Root, _ context: Context) throws(Failure) -> ExitCode {
        let first: FirstKey
        do {
            first = try AuditLog(root: root).beginKey()
        } catch {
            throw Failure(code: .inputOutput, message: "The key could not be replaced: \(error).")
        }
        guard context.options.json else {
            try context.console.line(first.text)
            return .success
        }
        var json = JSONWriter()
        json.beginObject()
        json.field("origin", first.origin)
        json.field("keyID", NoteSignature.hex(first.key.id))
        json.field("firstKey", first.text)
        json.endObject()
        try context.print(json)
        return .success
    }

    /// Prints the public key.
    private static func showKey(
        _ signer: CheckpointSigner?, _ origin: String, _ root: Root, _ context: Context
    ) throws(Failure) -> ExitCode {
        guard let signer else {
            let shown = Printable.escape(root.display(CheckpointSigner.path))
            context.console.say("There is no key \(shown), or you may not read it.")
            return .no
        }
        let line =
            "\(origin)+\(NoteSignature.hex(signer.keyID(of: origin)))+\(Base64.encode(signer.typedPublicKey))"
        guard context.options.json else {
            try context.console.line(line)
            return .success
        }
        var json = JSONWriter()
        json.beginObject()
        json.field("origin", origin)
        json.field("verifier", line)
        json.endObject()
        try context.print(json)
        return .success
    }
}
