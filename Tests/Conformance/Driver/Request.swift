package import Foundation
package import MDConformanceTable

/// One line of a row, as a driver gets it: `[@object] operation words…`.
package struct Request {
    /// The object that is asked; `standard` if none is named.
    package let object: String
    /// What is asked.
    package let operation: String
    /// The rest of the line.
    private var reader: WireReader

    /// Reads a line.
    package init(_ line: String) throws {
        var reader = WireReader(line)
        var word = try reader.word()
        if word.hasPrefix("@") {
            object = String(word.dropFirst())
            word = try reader.word()
        } else {
            object = "standard"
        }
        operation = word
        self.reader = reader
    }

    /// The next word.
    package mutating func word() throws -> String {
        try reader.word()
    }

    /// The next text.
    package mutating func text() throws -> String {
        guard case .string(let text) = try reader.value() else {
            throw WireReader.Mistake(description: "A text is expected.")
        }
        return text
    }

    /// The next value.
    package mutating func value() throws -> Wire {
        try reader.value()
    }

    /// Whether nothing is left.
    package var isAtEnd: Bool {
        mutating get { reader.isAtEnd }
    }

    /// The next value as Foundation has it; behind `~` of mutable classes all the way down, and kept for `mutate`.
    package mutating func argument() throws -> Any? {
        if reader.take("~") { return MutableValue.make(try reader.value()) }
        let value = try reader.value()
        return value == .nothing ? nil : value.foundation
    }

    /// The next value as a dictionary.
    package mutating func dictionary() throws -> [String: Any] {
        guard let values = try argument() as? [String: Any] else {
            throw WireReader.Mistake(description: "A dictionary is expected.")
        }
        return values
    }

    /// The rest of the line as a request of its own.
    mutating func nested() throws -> (Request, String) {
        let rest = reader.rest
        return (try Request("@\(object) \(rest)"), rest)
    }
}

/// URLs in requests and answers.
package enum URLSupport {
    /// Reads a URL: `nil`, `"https://…"`, or `"relative" "base"`; a leading `~` is the home folder.
    package static func url(_ request: inout Request, home: String) throws -> URL? {
        guard case .string(let text) = try request.value() else { return nil }
        if text.hasPrefix("~") { return URL(fileURLWithPath: home + text.dropFirst()) }
        if text.hasPrefix("/") { return URL(fileURLWithPath: text) }
        let base = request.isAtEnd ? nil : URL(string: try request.text())
        return URL(string: text, relativeTo: base)
    }

    /// Reads a URL and makes the data that an archiver writes of it.
    package static func archive(_ request: inout Request) throws -> Data {
        guard let url = try url(&request, home: "") else { return Data() }
        return try NSKeyedArchiver.archivedData(withRootObject: url as NSURL, requiringSecureCoding: true)
    }

    /// A file URL's path, with `~` for the home folder, whether HOME or the account's entry names it.
    package static func path(of url: URL?) -> Wire {
        guard let url else { return .nothing }
        guard url.isFileURL else { return .string(url.absoluteString) }
        for home in [ProcessInfo.processInfo.environment["HOME"] ?? "", NSHomeDirectory()]
        where !home.isEmpty && url.path.hasPrefix(home + "/") {
            return .string("~" + url.path.dropFirst(home.count))
        }
        return .string(url.path)
    }

    /// A URL's relative text and its base.
    package static func parts(of url: URL?) -> Wire {
        guard let url else { return .nothing }
        return .array([.string(url.relativeString), url.baseURL.map { .string($0.absoluteString) } ?? .nothing])
    }

    /// The URL that an unarchiver reads; `nil` if it is no archive of a URL.
    package static func unarchived(_ value: Any?) -> Wire {
        guard let data = value as? Data,
            let url = try? NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: data)
        else { return .nothing }
        return .string(url.absoluteString)
    }
}

/// Values of mutable classes, for the rows that change a value after it was set.
package enum MutableValue {
    /// The value that was made last.
    package private(set) nonisolated(unsafe) static var last: Any?

    /// Makes a value whose strings, data and containers are mutable all the way down.
    static func make(_ value: Wire) -> Any {
        let result = build(value)
        last = result
        return result
    }

    /// Changes the value that was made last, all the way down.
    static func mutateLast() {
        if let last { mutate(last) }
    }

    /// Changes whatever can be changed in a value, all the way down.
    package static func mutate(_ value: Any) {
        switch value {
        case let array as NSMutableArray:
            for element in array { mutate(element) }
            array.add("!")
        case let dictionary as NSMutableDictionary:
            for (_, element) in dictionary { mutate(element) }
            dictionary["!"] = "!"
        case let text as NSMutableString: text.append("!")
        case let data as NSMutableData: data.append(Data([33]))
        case let values as [Any]:
            for element in values { mutate(element) }
        case let values as [String: Any]:
            for (_, element) in values { mutate(element) }
        default: break
        }
    }

    /// Makes one part.
    private static func build(_ value: Wire) -> Any {
        switch value {
        case .string(let text): return NSMutableString(string: text)
        case .data(let bytes): return NSMutableData(data: Data(bytes))
        case .array(let values):
            let result = NSMutableArray()
            for element in values { result.add(build(element)) }
            return result
        case .dictionary(let values):
            let result = NSMutableDictionary()
            for (key, element) in values { result[key] = build(element) }
            return result
        default: return value.foundation
        }
    }
}
