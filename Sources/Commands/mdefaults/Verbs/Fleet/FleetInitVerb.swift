import MDFleet
import MDPlatform
import MDPropertyList

/// `fleet init`: the centre of a fleet.
enum FleetInitVerb: Verb {
    static let name = ["fleet", "init"]
    static let summary = "make the centre of a fleet: keys, certificates, folders, the web server's file"
    static let usage = [
        "fleet init NAME --root-key KEYFILE [--centre URL] [--publisher KEYFILE]",
        "  [--authority FILE --authority-key FILE] [--json]",
    ]
    static let help = """
        Makes in /var/lib/managed-defaults-fleet what the centre of the fleet NAME needs, and prints what to do next. What is
        there stays as it is: a second run makes only what is missing.

          --root-key KEYFILE   the root key of the fleet, an SSH key that says who may publish policy: made if it is missing
                               (ed25519, without a passphrase), and never copied. Put it on a stick, and keep that locked
                               away. A key on a token (ssh-keygen -t ed25519-sk) is good too
          --centre URL         the address at which hosts reach the web server: https://, a name or an address, a port;
                               without it https://, the full name of this machine, and port 8443
          --publisher KEYFILE  the public key that signs policy, for example one on a token; without it a key is made here.
                               At a centre that exists, another key begins an epoch: from then on hosts take only what it
                               signed, whatever the earlier key signs
          --authority FILE --authority-key FILE
                               an authority of certificates that exists, in PEM. Every certificate that it signs for a
                               client counts for the host in its name; without it an authority is made here

        The folder authority is root's alone, because its key makes hosts. The file nginx.conf needs nginx with the
        module nchan. On a real centre the user mdefaults-centre collects, and nginx's user writes only into in.

        JSON: {"fleet","centre","rootKey","made":[{"what","path"}],"there":[{"what","path"}]}

        exit codes: 0 everything is there; 2 wrong command line; 4 something could not be made, or the centre is another
        fleet's.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let rootKey = try path(arguments.option("--root-key"))
        let address = try arguments.option("--centre").map { word throws(Failure) in try parse(word) }
        let publisher = try path(arguments.option("--publisher"))
        let certificate = try path(arguments.option("--authority"))
        let key = try path(arguments.option("--authority-key"))
        let fleet = try arguments.next("the name of the fleet")
        try arguments.requireEnd()
        guard CentreConfiguration.isName(fleet) else {
            throw .usage(
                "The name of a fleet has at most 40 letters, digits, spaces, dots, hyphens and underscores, and begins with a"
                    + " letter or digit.", of: self)
        }
        guard (certificate == nil) == (key == nil) else {
            throw .usage("An authority needs both, --authority and --authority-key.", of: self)
        }
        let root = try PolicyWriting.root(context, to: "make a centre")
        let now = Clock.now()
        let preparation: CentrePreparation
        do throws(FleetFault) {
            var pair: CertificateAuthority.Pair?
            if let certificate, let key { pair = try CertificateAuthority.read(certificate: certificate, key: key) }
            var work = try CentrePreparation(root: root, fleet: fleet, address: address, rootKey: rootKey, now: now)
            try work.run(authority: pair, publisher: publisher)
            preparation = work
        } catch {
            throw .of(error)
        }
        if context.options.json {
            try context.print(document(preparation))
        } else {
            try print(preparation, context)
        }
        return .success
    }

    /// A path of the caller, absolute.
    private static func path(_ word: String?) throws(Failure) -> String? {
        try word.map { word throws(Failure) in try CallerPath.given(word) }
    }

    private static func parse(_ word: String) throws(Failure) -> CentreAddress {
        guard let address = CentreAddress(word) else {
            throw .usage("\(Printable.escape(word)): \(CentreAddress.rule).", of: self)
        }
        return address
    }

    private static func print(_ preparation: CentrePreparation, _ context: Context) throws(Failure) {
        for piece in preparation.pieces {
            try context.console.line(
                "\(piece.isNew ? "made " : "there") \(piece.what): \(Printable.escape(piece.path))")
        }
        let root = context.options.root.map { "--root \(Printable.escape($0)) " } ?? ""
        let file = Printable.escape(preparation.outside(WebServer.path))
        try context.console.line()
        try context.console.line("Next:")
        for line in [
            "lock the stick with the root key away; only a new publisher needs it",
            "ln -s \(file) /etc/nginx/conf.d/managed-defaults-fleet.conf && systemctl restart nginx",
            "mdefaults \(root)fleet enroll HOST… -o FOLDER, for each host",
            "mdefaults \(root)fleet publish FOLDER, for policy",
        ] { try context.console.line("  \(line)") }
    }

    private static func document(_ preparation: CentrePreparation) -> JSONWriter {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("fleet", preparation.fleet)
        json.field("centre", preparation.address.text)
        json.field("rootKey", preparation.rootKeyLine)
        for isNew in [true, false] {
            json.member(isNew ? "made" : "there")
            json.beginArray()
            for piece in preparation.pieces where piece.isNew == isNew {
                json.beginObject()
                json.field("what", piece.what)
                json.field("path", piece.path)
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
        return json
    }
}
