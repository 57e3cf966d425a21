import MDEngine
import MDPropertyList

/// `read-type`: the type of a value.
enum ReadTypeVerb: Verb {
    static let name = ["read-type"]
    static var accepts: GlobalOptions.Kinds { .reading }
    static var isPlainReading: Bool { true }
    static let summary = "print the type of a value"
    static let usage = ["read-type DOMAIN KEY"]
    static let help = """
        Prints "Type is string", data, integer, float, boolean, date, array or dictionary, of the value that read prints.

        JSON: {"domain","key","type"}
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let place = try DomainArgument.parse(&arguments, context)
        let key = try arguments.next("A key")
        try arguments.requireEndUnchanged()
        return try DomainLookup(place: place, key: Key(key)).run(context) { value throws(Failure) in
            guard context.options.json else { return try context.console.line("Type is \(value.typeName)") }
            var json = JSONWriter()
            json.beginObject()
            json.field("domain", place.name)
            json.field("key", key)
            json.field("type", value.typeName)
            json.endObject()
            try context.print(json)
        }
    }
}
