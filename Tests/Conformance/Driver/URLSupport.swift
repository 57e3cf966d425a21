package import ConformanceTable
package import Foundation

/// URLs in requests and answers.
package enum URLSupport {
    /// Reads a URL: `nil`, `"https://…"`, or `"relative" "base"`; a leading `~` stands for the home folder.
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

    /// What an unarchiver makes of data; `nil` where it is no archive of a URL.
    package static func unarchived(_ value: Any?) -> Wire {
        guard let data = value as? Data,
            let url = try? NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: data)
        else { return .nothing }
        return .string(url.absoluteString)
    }
}
