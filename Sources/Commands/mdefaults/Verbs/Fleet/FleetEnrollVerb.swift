import MDFleet
import MDPlatform
import MDPropertyList
import MDTools

/// `fleet enroll`: hosts join a fleet.
enum FleetEnrollVerb: Verb {
    static let name = ["fleet", "enroll"]
    static let summary = "let hosts join a fleet: a certificate and a configuration each"
    static let usage = [
        "fleet enroll HOST… -o FOLDER [--room ROOM] [--centre URL|FOLDER] [--resets-at-boot] [--renew] [--json]",
        "fleet enroll HOST… --room ROOM [--json]",
        "fleet enroll --here FOLDER [--renew] [--json]",
        "fleet enroll --back FOLDER [--replace] [--json]",
    ]
    static let help = """
        In three steps, with a stick or by Ansible (Examples/fleet):

        1. At the centre, enroll HOST… makes FOLDER/HOST for each host: certificate, private key, the authority's certificate
           and fleet.json. One a host, and never in an image of disks.
        2. On the host, enroll --here FOLDER installs what is in FOLDER, or in its folder with the host's name, into
           /etc/managed-defaults; makes the key that signs the host's checkpoints, which never leaves it; writes public-key
           beside the rest; and removes the certificate's private key from FOLDER.
        3. At the centre, enroll --back FOLDER takes each host's public-key. Until then no signature of the host is checked.

        HOST has a-z, 0-9, hyphens and dots, at most 64.

          -o FOLDER          where the hosts' folders are made; only the caller can read them
          --room ROOM        the room of these hosts on the pages, whatever they say themselves; without -o, of hosts that are
                             enrolled already
          --centre           where these hosts find the centre: another address of its web server, or a folder that they
                             mount; without it the address of fleet init
          --resets-at-boot   the machines forget everything at each boot, so that a new log is no alarm
          --renew            a further certificate for hosts that have one (the older one counts until it ends, or until
                             fleet revoke, which takes all); with --here: this machine becomes another host
          --replace          a host's new public key takes the place of another one

        JSON: {"hosts":[{"host","folder"}]}, with --room alone without "folder"; with --here {"host","fleet","newKey":bool,"returned":bool,"keyRemoved":bool,
        "publicKey"}; with --back {"hosts":[{"host","key":"taken"|"known"|"missing"|"refused","reason"}]}

        exit codes: 0 done; 1 a host has a certificate already, or a key is missing or was refused; 2 wrong command line;
        4 something could not be read or made.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let here = try arguments.option("--here")
        let back = try arguments.option("--back")
        if here != nil, back != nil { throw .usage("--here is for hosts, --back for the centre.", of: self) }
        if let here { return try install(here, &arguments, context) }
        if let back { return try takeBack(back, &arguments, context) }
        return try enroll(&arguments, context)
    }

    // MARK: At the centre

    private static func enroll(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let room = try room(&arguments)
        guard let word = try arguments.option("-o") else {
            guard let room else { throw .usage("-o FOLDER is missing.", of: self) }
            return try move(to: room, &arguments, context)
        }
        let place = try arguments.option("--centre").map { word throws(Failure) in try parse(word) }
        let (isRenewed, resets) = (arguments.flag("--renew"), arguments.flag("--resets-at-boot"))
        let hosts = try hosts(&arguments)
        let folder = try CallerPath.given(word)
        let root = try PolicyWriting.root(context, to: "enroll hosts")
        let now = Clock.now()
        let known: [FleetHost]
        do throws(FleetFault) {
            let enrolment = try HostEnrolment(root: root)
            known = try enrolment.enrolled(among: hosts)
            for host in hosts where known.isEmpty || isRenewed {
                try enrolment.enroll(host, at: place, resetsAtBoot: resets, into: folder, now: now)
                if let room { try enrolment.move(host, to: room) }
            }
        } catch {
            throw .of(error)
        }
        guard known.isEmpty || isRenewed else {
            throw Failure(
                code: .no,
                message: "\(Plural.list(known.map(\.name), "host")) \(known.count == 1 ? "has" : "have") a certificate"
                    + " already; --renew makes another one. Nothing was made.")
        }
        if context.options.json {
            try context.print(document(hosts, folder: folder))
        } else {
            let shown = Printable.escape(word)
            try context.console.line(
                "Enrolled \(Plural.count(hosts.count, "host")), each with a folder in \(shown). Next:")
            try context.console.line("  on each host:   mdefaults fleet enroll --here \(shown)")
            try context.console.line("  then here:      mdefaults fleet enroll --back \(shown)")
        }
        return .success
    }

    /// Says in which room hosts are that are enrolled already.
    private static func move(
        to room: EnrolledRoom, _ arguments: inout Arguments, _ context: Context
    ) throws(Failure) -> ExitCode {
        let hosts = try hosts(&arguments)
        let root = try PolicyWriting.root(context, to: "enroll hosts")
        var unknown: [FleetHost] = []
        do throws(FleetFault) {
            let enrolment = try HostEnrolment(root: root)
            let known = Set(try enrolment.enrolled(among: hosts))
            unknown = hosts.filter { !known.contains($0) }
            if unknown.isEmpty { for host in hosts { try enrolment.move(host, to: room) } }
        } catch {
            throw .of(error)
        }
        guard unknown.isEmpty else {
            throw Failure(
                code: .no,
                message:
                    "\(Plural.list(unknown.map(\.name), "host")) \(unknown.count == 1 ? "has" : "have") no certificate."
                    + " Nothing was changed.")
        }
        if context.options.json {
            try context.print(document(hosts, folder: nil))
        } else {
            try context.console.line("\(Plural.count(hosts.count, "host")) in \(room.name).")
        }
        return .success
    }

    /// Consumes `--room`.
    private static func room(_ arguments: inout Arguments) throws(Failure) -> EnrolledRoom? {
        guard let word = try arguments.option("--room") else { return nil }
        guard let room = EnrolledRoom(word) else {
            throw .usage(
                "The name of a room has at most 40 letters, digits, spaces, dots, hyphens and underscores, and begins with a"
                    + " letter or digit.", of: self)
        }
        return room
    }

    /// The hosts as a document, each with its folder if there is one.
    private static func document(_ hosts: [FleetHost], folder: String?) -> JSONWriter {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.member("hosts")
        json.beginArray()
        for host in hosts {
            json.beginObject()
            json.field("host", host.name)
            json.field("folder", folder.map { "\($0)/\(host)" })
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json
    }

    private static func takeBack(
        _ word: String, _ arguments: inout Arguments, _ context: Context
    ) throws(Failure) -> ExitCode {
        let isReplacing = arguments.flag("--replace")
        try arguments.requireEnd()
        let folder = try CallerPath.given(word)
        let root = try PolicyWriting.root(context, to: "take keys of hosts")
        let answers: [HostEnrolment.Return]
        do throws(FleetFault) {
            answers = try HostEnrolment(root: root).takeBack(folder, replacing: isReplacing)
        } catch {
            throw .of(error)
        }
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.member("hosts")
        json.beginArray()
        var (counts, isWhole): ([String: Int], Bool) = ([:], !answers.isEmpty)
        for answer in answers {
            let (host, word, reason): (FleetHost, String, String?) =
                switch answer {
                case .taken(let host): (host, "taken", nil)
                case .known(let host): (host, "known", nil)
                case .missing(let host): (host, "missing", "the host has not written its public-key yet")
                case .refused(let host, let reason): (host, "refused", reason)
                }
            json.beginObject()
            json.field("host", host.name)
            json.field("key", word)
            json.field("reason", reason)
            json.endObject()
            counts[word, default: 0] += 1
            if let reason {
                isWhole = false
                if !context.options.json { try context.console.line("\(host): \(Printable.escape(reason))") }
            }
        }
        json.endArray()
        json.endObject()
        if context.options.json {
            try context.print(json)
        } else {
            let words = ["taken", "known", "missing", "refused"].compactMap { word in
                counts[word].map { "\($0) \(word)" }
            }
            try context.console.line("Keys of checkpoints: \(words.isEmpty ? "none" : words.joined(separator: ", ")).")
        }
        return isWhole ? .success : .no
    }

    // MARK: On the host

    private static func install(
        _ word: String, _ arguments: inout Arguments, _ context: Context
    ) throws(Failure) -> ExitCode {
        let isRenewed = arguments.flag("--renew")
        try arguments.requireEnd()
        let folder = try CallerPath.given(word)
        let root = try PolicyWriting.root(context, to: "enroll this machine")
        let outcome: HostInstallation.Outcome
        do throws(FleetFault) {
            outcome = try HostInstallation(root: root).run(from: folder, replacing: isRenewed)
        } catch {
            throw .of(error)
        }
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginObject()
            json.field("host", outcome.host.name)
            json.field("fleet", outcome.fleet)
            json.field("newKey", outcome.isNewKey)
            json.field("returned", outcome.isReturned)
            json.field("keyRemoved", outcome.isKeyRemoved)
            json.field("publicKey", String(decoding: outcome.publicKey, as: UTF8.self))
            json.endObject()
            try context.print(json)
            return .success
        }
        try context.console.line(Printable.escape("This machine is \(outcome.host) of the fleet \(outcome.fleet)."))
        if !outcome.isReturned {
            context.console.say("The folder cannot be written, so public-key has to reach the centre in another way:")
            try context.console.line(String(decoding: outcome.publicKey.dropLast(), as: UTF8.self))
        }
        if !outcome.isKeyRemoved {
            context.console.say(
                "The private key of the certificate is still in \(Printable.escape(word)); remove it there.")
        }
        return .success
    }

    // MARK: Words of the command line

    private static func parse(_ word: String) throws(Failure) -> FleetConfiguration.Centre {
        if let address = CentreAddress(word) { return .address(address.text) }
        guard word.hasPrefix("/") else {
            throw .usage("\(Printable.escape(word)): \(CentreAddress.rule), nor the whole path of a folder.", of: self)
        }
        return .folder(word)
    }

    /// Consumes all arguments as names of hosts, each once.
    static func hosts(_ arguments: inout Arguments) throws(Failure) -> [FleetHost] {
        let verb = arguments.verb
        var hosts: [FleetHost] = []
        for word in try arguments.files() {
            guard let host = FleetHost(word) else {
                throw .usage(
                    "\(Printable.escape(word)) is no name of a host: a-z, 0-9, hyphen and dot, at most 64.", of: verb)
            }
            if !hosts.contains(host) { hosts.append(host) }
        }
        guard (1...HostEnrolment.most).contains(hosts.count) else {
            throw .usage("The names of 1 to \(HostEnrolment.most) hosts are missing.", of: verb)
        }
        return hosts
    }
}
