import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// `policy digest`: one hash of all that policy enforces for a user.
enum PolicyDigestVerb: Verb {
    static let name = ["policy", "digest"]
    static let summary = "print one hash of what policy enforces for a user"
    static let usage = ["policy digest [--user NAME] [--json]"]
    static var accepts: GlobalOptions.Kinds { .question }
    static let help = """
        Prints the SHA-256 of everything that policy enforces for the user now, in hexadecimal digits: two machines that
        print the same enforce the same. Paths, files, identifiers, versions, times and what is only recommended or
        set once have no part in it; whether values come from a last good copy has none either.

        What is hashed, byte for byte: the line "managed-defaults effective policy 2", then for each key a record, the
        records sorted as unsigned bytes, and a line feed (0x0a) behind the first line and behind each record.

        record = TEXT(domain) TEXT(key) "F" VALUE    the key is forced to the value
               | TEXT(domain) TEXT(key) "A"          the key is forced to have no value, in no sealed domain
               | TEXT(domain) "S"                    the domain is sealed: keys without a record of their own are absent
               | TEXT(domain) TEXT(key) "U"          a waiver frees this key of a sealed domain
               | TEXT(domain) TEXT(key) "C" ["n" VALUE] ["x" VALUE] ["o" COUNT ":" VALUE…] ["p" TEXT]
                                                     a constraint: Minimum, Maximum, OneOf (sorted), Pattern
        TEXT   = "s" LENGTH ":" the bytes in UTF-8, not normalized; LENGTH counts bytes, in decimal digits
        VALUE  = TEXT a string | "b0" | "b1" a boolean | "i" DECIMAL ";" an integer
               | "r" HEX16 a real: the bits of its IEEE 754 double, every NaN as 7ff8000000000000
               | "t" HEX16 a date: the same of the seconds since 2001-01-01 00:00:00 UTC
               | "d" LENGTH ":" bytes | "a" COUNT ":" VALUE… an array
               | "m" COUNT ":" (TEXT VALUE)… a dictionary, its keys in byte order
        Variables are expanded, so that ${user} makes a difference between users. The types of values count:
        1, 1.0 and true are equal wherever values are compared, and have three digests, because programs can tell them
        apart.

        JSON: {"digest","user","host","records"}
        "user" is missing in a user namespace in which nobody can tell who that is outside of it.

        exit codes: 0 printed; 2 wrong command line; 4 could not read, or the value of a key cannot be told here.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        let resultant = try context.resultant()
        let unknown = resultant.forcedEntries.filter { $0.shortfall != nil }
        if let first = unknown.first, let arguments = first.shortfall?.words {
            let more = unknown.count > 1 ? ", and \(unknown.count - 1) more" : ""
            let name = Printable.escape("\(first.domain.string) \(first.key.string)")
            throw Failure(
                code: .inputOutput,
                message: "There is no digest of what nobody can tell here: \(name) is \(arguments)\(more).")
        }
        let canonical = CanonicalPolicy(resultant)
        let digest = SHA256.hash(canonical.bytes).hex
        guard context.options.json else {
            try context.console.line(digest)
            return .success
        }
        var json = JSONWriter()
        json.beginObject()
        json.field("digest", digest)
        json.field("user", try context.machine().name(of: try context.account()))
        json.field("host", try context.machine().host.full)
        json.field("records", canonical.count)
        json.endObject()
        try context.print(json)
        return .success
    }
}
