import MDFleet
import MDPlatform
import MDPropertyList
import MDTools

/// `fleet revoke`: the certificates of hosts count no more.
enum FleetRevokeVerb: Verb {
    static let name = ["fleet", "revoke"]
    static let summary = "take the certificates of hosts back"
    static let usage = ["fleet revoke HOST… [--json]"]
    static let help = """
        Revokes all certificates that fleet enroll made for these hosts, and renews the list that the web server reads
        (authority/revoked.pem). The web server reads it when it starts: systemctl restart nginx. A restart also ends the
        connections that are open; a reload lets them go on for as long as a host waits. A host that was revoked is
        enrolled again by fleet enroll.

        JSON: {"hosts":[…],"certificates"}

        exit codes: 0 revoked; 1 none of them has a certificate; 2 wrong command line; 4 the list could not be written.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let hosts = try FleetEnrollVerb.hosts(&arguments)
        let root = try PolicyWriting.root(context, to: "revoke certificates")
        let now = Clock.now()
        let count: Int
        do throws(FleetFault) {
            count = try HostEnrolment(root: root).revoke(hosts, now: now)
        } catch {
            throw .of(error)
        }
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginObject()
            json.field("hosts", .array(hosts.map { .string($0.name) }))
            json.field("certificates", count)
            json.endObject()
            try context.print(json)
        } else {
            try context.console.line(
                count == 0
                    ? "None of these hosts has a certificate that counts."
                    : "Revoked \(Plural.count(count, "certificate")). Next: systemctl restart nginx")
        }
        return count == 0 ? .no : .success
    }
}

extension Failure {
    /// Why a file of a fleet is not taken, or could not be made.
    static func of(_ fault: FleetFault) -> Failure {
        let text = Printable.escape("\(fault)")
        return Failure(code: .inputOutput, message: text.prefix(1).uppercased() + text.dropFirst() + ".")
    }
}
