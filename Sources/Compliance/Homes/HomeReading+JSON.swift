import Engine
import PropertyList

extension HomeReading {
    /// The reading as one JSON object, for the way out of the child that looked into the home.
    ///
    /// A value travels as a text that holds its JSON, because the plain reader knows no dates and no data.
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
        for (name, marks) in [("marks", marks), ("spooled", spooled)] {
            json.member(name)
            json.beginArray()
            for mark in marks {
                json.beginArray()
                for part in [mark.domain, mark.key, mark.policy, mark.occasion] { json.string(part.string) }
                json.endArray()
            }
            json.endArray()
        }
        json.field("waiting", waiting)
        json.field("dropped", dropped)
        json.field("furtherMarks", furtherMarks)
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

    /// Reads what ``encoded()`` wrote; `nil` for anything else.
    package init?(decoding bytes: [UInt8]) {
        guard let source = try? SourceText(decoding: bytes),
            let document = try? JSONReader.readPlain(source),
            case .dictionary(let root) = document.root.value,
            case .array(let stored)? = root["stored"], case .array(let problems)? = root["problems"],
            case .array(let outside)? = root["outside"], case .array(let marks)? = root["marks"],
            case .array(let spooled)? = root["spooled"]
        else { return nil }
        self.init()
        waiting = HomeReading.number(root["waiting"])
        // No file has as many; the child took the user's ids, and what it says is added up.
        furtherMarks = min(max(HomeReading.number(root["furtherMarks"]) ?? 0, 0), HomeReading.largestCount)
        dropped = min(max(HomeReading.number(root["dropped"]) ?? 0, 0), HomeReading.largestCount)
        for item in stored {
            guard let item = HomeReading.stored(item) else { return nil }
            self.stored.append(item)
        }
        for item in outside {
            guard let item = HomeReading.outside(item) else { return nil }
            self.outside.append(item)
        }
        for item in marks {
            guard let mark = HomeReading.mark(item) else { return nil }
            self.marks.append(mark)
        }
        for item in spooled {
            guard let mark = HomeReading.mark(item) else { return nil }
            self.spooled.append(mark)
        }
        for item in problems {
            guard let item = HomeReading.problem(item) else { return nil }
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
        // A date before the year 1 has no form in JSON; then the text itself is what can be shown.
        let content = try? JSONReader.read(SourceText(unchecked: Array(text.utf8))).root.value
        let hidden = HiddenValue(
            domain: Key(domain), value: content ?? .string(text), file: file, isThisHost: isThisHost, isEqual: isEqual)
        return Stored(forcedDomain: Key(forcedDomain), key: Key(key), value: hidden)
    }

    /// Reads one mark.
    private static func mark(_ value: Value) -> SetOnceMark? {
        guard let parts = value.stringArrayValue, parts.count == 4 else { return nil }
        return SetOnceMark(domain: Key(parts[0]), key: Key(parts[1]), policy: Key(parts[2]), occasion: Key(parts[3]))
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
