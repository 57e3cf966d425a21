package import MDPropertyList

/// What was found in a user's preference files: the values of forced and constrained keys, and what could not be read.
package struct HomeInspection: Sendable {
    /// A value of a forced key.
    package struct Stored: Sendable {
        /// The domain of the forced entry.
        package let forcedDomain: Key
        /// The key.
        package let key: Key
        /// The stored value with its file.
        package let value: HiddenValue
    }

    /// A value that violates a constraint.
    package struct Outside: Sendable {
        /// The domain.
        package let domain: Key
        /// The key.
        package let key: Key
        /// The stored value.
        package let value: Value
        /// The file of the value, under the root.
        package let file: String
        /// Whether it applies to this host only.
        package let isThisHost: Bool
    }

    /// The values that violate constraints.
    package var outside: [Outside] = []
    /// The number of all records in the spool; `nil` if unknown.
    package var waiting: Int? = 0
    /// The number of attempts that did not fit into the spool, as the user's own file counts them.
    package var dropped = 0
    /// The values of forced keys.
    package var stored: [Stored] = []
    /// The files and folders that could not be read.
    package var problems: [HomeProblem] = []

    /// Makes an empty result.
    package init() {}
}

/// A preference file, a file of a program's own, or a folder of them, that could not be read.
package struct HomeProblem: Hashable, Sendable {
    /// The cause of a problem.
    package enum Kind: Hashable, Sendable {
        /// The file is damaged, not used as a preference file, or its owner may not read it.
        case file
        /// This process lacks the permission, and is not the owner's.
        case permission
        /// The child process ended early, or did not answer in time.
        case noAnswer
    }

    /// The display path of the file; empty if the message names it.
    package let file: String
    /// The place of the damage; `nil` if the file could not be read at all.
    package let position: Position?
    /// What is wrong, without a full stop.
    package let message: String
    /// The cause.
    package let kind: Kind

    /// Makes a problem.
    package init(file: String, position: Position?, message: String, kind: Kind) {
        self.file = file
        self.position = position
        self.message = message
        self.kind = kind
    }
}

extension HomeInspection {
    /// Encodes the result as one JSON object, which the child process that reads a home sends.
    ///
    /// A value is sent as a string of its JSON, because the plain parser has no dates and no data.
    package func encoded() -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("stored")
        json.beginArray()
        for item in stored {
            var value = JSONWriter()
            value.value(item.value.value)
            json.beginObject()
            json.field("forcedDomain", item.forcedDomain.string)
            json.field("key", item.key.string)
            json.field("domain", item.value.domain.string)
            json.field("value", value.text)
            json.field("file", item.value.file)
            json.field("thisHost", item.value.isThisHost)
            json.field("equal", item.value.isEqual)
            json.field("owner", item.value.foreigner.map { Int($0) })
            json.endObject()
        }
        json.endArray()
        json.member("outside")
        json.beginArray()
        for item in outside {
            var value = JSONWriter()
            value.value(item.value)
            json.beginObject()
            json.field("domain", item.domain.string)
            json.field("key", item.key.string)
            json.field("value", value.text)
            json.field("file", item.file)
            json.field("thisHost", item.isThisHost)
            json.endObject()
        }
        json.endArray()
        json.field("waiting", waiting)
        json.field("dropped", dropped)
        json.member("problems")
        json.beginArray()
        for problem in problems {
            json.beginObject()
            json.field("file", problem.file)
            json.field("message", problem.message)
            json.field("permission", problem.kind == .permission)
            json.field("line", problem.position?.line)
            json.field("column", problem.position?.column)
            json.field("offset", problem.position?.offset)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.utf8
    }

    /// Decodes a result; `nil` for anything else than ``encoded()`` makes.
    package init?(decoding bytes: [UInt8]) {
        guard let source = try? SourceText(decoding: bytes),
            let document = try? JSONReader.readPlain(source),
            case .dictionary(let root) = document.root.value,
            case .array(let stored)? = root["stored"], case .array(let problems)? = root["problems"],
            case .array(let outside)? = root["outside"]
        else { return nil }
        self.init()
        waiting = HomeInspection.number(root["waiting"])
        // The child process has the ids of the user, so its numbers are bounded before they are added up.
        dropped = min(max(HomeInspection.number(root["dropped"]) ?? 0, 0), HomeAccess.largestCount)
        for item in stored {
            guard let item = HomeInspection.stored(item) else { return nil }
            self.stored.append(item)
        }
        for item in outside {
            guard let item = HomeInspection.outside(item) else { return nil }
            self.outside.append(item)
        }
        for item in problems {
            guard let item = HomeInspection.problem(item) else { return nil }
            self.problems.append(item)
        }
    }

    /// Reads one stored value.
    private static func stored(_ value: Value) -> Stored? {
        guard case .dictionary(let members) = value, case .string(let forcedDomain)? = members["forcedDomain"],
            case .string(let key)? = members["key"], case .string(let domain)? = members["domain"],
            case .string(let text)? = members["value"], case .string(let file)? = members["file"],
            case .boolean(let isThisHost)? = members["thisHost"], case .boolean(let isEqual)? = members["equal"]
        else { return nil }
        // A date before the year 1 cannot be written as JSON; then the text itself is shown.
        let content = try? JSONReader.read(SourceText(unchecked: Array(text.utf8))).root.value
        let hidden = HiddenValue(
            domain: Key(domain), value: content ?? .string(text), file: file, isThisHost: isThisHost, isEqual: isEqual,
            foreigner: number(members["owner"]).flatMap { UInt32(exactly: $0) })
        return Stored(forcedDomain: Key(forcedDomain), key: Key(key), value: hidden)
    }

    /// Reads one value that a constraint does not allow.
    private static func outside(_ value: Value) -> Outside? {
        guard case .dictionary(let members) = value, case .string(let domain)? = members["domain"],
            case .string(let key)? = members["key"], case .string(let text)? = members["value"],
            case .string(let file)? = members["file"], case .boolean(let isThisHost)? = members["thisHost"]
        else { return nil }
        let content = try? JSONReader.read(SourceText(unchecked: Array(text.utf8))).root.value
        return Outside(
            domain: Key(domain), key: Key(key), value: content ?? .string(text), file: file, isThisHost: isThisHost)
    }

    /// Reads one problem.
    private static func problem(_ value: Value) -> HomeProblem? {
        guard case .dictionary(let members) = value, case .string(let file)? = members["file"],
            case .string(let message)? = members["message"], case .boolean(let isPermission)? = members["permission"]
        else { return nil }
        var position: Position?
        if let line = number(members["line"]), let column = number(members["column"]),
            let offset = number(members["offset"])
        {
            position = Position(line: line, column: column, offset: offset)
        }
        return HomeProblem(file: file, position: position, message: message, kind: isPermission ? .permission : .file)
    }

    /// A whole number that fits.
    private static func number(_ value: Value?) -> Int? {
        guard case .integer(let number)? = value, let number = number.int64 else { return nil }
        return Int(number)
    }
}
