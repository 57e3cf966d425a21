public import FoundationEssentials
import MDEngine
import MDPlatform
import MDPropertyList

extension ManagedDefaults {
    /// The value as a URL, read as NSUserDefaults does; `nil` if the value is not a URL.
    ///
    /// - Bytes are a keyed archive of an NSURL, as `set(_:forKey:)` and Apple's systems write it; other bytes give
    ///   `nil`. The bookmark data that Apple's systems add for a file reference URL is not used: Linux
    ///   has no such references, so that URL comes back as it was and leads to no file.
    /// - A text is the path of a file, even if it looks like a web address: read such a text with ``string(forKey:)``. `~`
    ///   at its beginning is the home directory of the user whose defaults these are, from the account database and not
    ///   from `HOME`; `~name` is that of another user. A text that begins otherwise than with `/` or `~`
    ///   is relative to the working directory. An unknown user, an empty text and one with a NUL give `nil`.
    ///
    /// The file system is asked whether a path is a directory, whose URL ends with `/`.
    public func url(forKey key: String) -> URL? {
        engine.cell.value(key).flatMap { url(of: $0) }
    }

    /// A stored value as a URL.
    func url(of value: Value) -> URL? {
        switch value {
        case .data(let bytes): URLArchive(bytes).flatMap { URL($0) }
        case .string(let text): fileURL(text)
        default: nil
        }
    }

    /// Sets a key to a URL; `nil` removes it.
    ///
    /// The format is that of NSUserDefaults: a file URL is stored as its path, with `~` for the user's home directory from
    /// the account database, so that it remains valid if the home is moved; any other URL as a keyed archive with its base. A file URL that is more than a path on this machine is archived too: a file reference URL
    /// (`file:///.file/id=…`, without bookmark data, which Linux does not have), one of another host, and one whose path
    /// is not absolute or is not text without NUL.
    ///
    /// - Parameters:
    ///   - url: the URL.
    ///   - key: the key.
    /// - Returns: the outcome; ``WriteOutcome/invalid(_:)`` for a URL of more than 16 MiB, which could not be read back.
    @discardableResult
    public func set(_ url: URL?, forKey key: String) -> WriteOutcome {
        guard let url else { return removeObject(forKey: key) }
        guard let value = stored(url) else {
            return .invalid(.unreadableURL(key: key))
        }
        return write(value, key)
    }

    /// The stored form of a URL; `nil` for one that could not be read back.
    func stored(_ url: URL) -> Value? {
        if let path = storablePath(url) { return .string(abbreviated(path)) }
        let base = url.baseURL?.absoluteString
        let archive = URLArchive(relative: url.relativeString, bases: base.map { [$0] } ?? [])
        guard let bytes = archive.bytes, URL(archive) == url else { return nil }
        return .data(bytes)
    }

    /// The path that is equivalent to a file URL; `nil` if there is none.
    private func storablePath(_ url: URL) -> String? {
        guard url.isFileURL else { return nil }
        let url = url.absoluteURL
        let host = url.host()
        guard host == nil || host == "" || host == "localhost" else { return nil }
        let path = url.path
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.starts(with: "/.file/id=".utf8),
            !ManagedDefaults.hidesSeparator(url.path(percentEncoded: true))
        else { return nil }
        return path
    }

    /// Whether a percent-encoded path has an encoded NUL or slash, which is ambiguous in a path without encoding.
    private static func hidesSeparator(_ path: String) -> Bool {
        var rest = path.utf8[...]
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            let code = rest[percent...].dropFirst().prefix(2)
            if code.elementsEqual("00".utf8) || code.elementsEqual("2F".utf8) || code.elementsEqual("2f".utf8) {
                return true
            }
            rest = rest[percent...].dropFirst()
        }
        return false
    }

    /// A path with `~` for the user's home directory, unless that is the root, under which everything is.
    private func abbreviated(_ path: String) -> String {
        guard let home = home(of: nil), !home.isEmpty, path.utf8.starts(with: home.utf8) else { return path }
        let rest = path.utf8.dropFirst(home.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/") ? "~" + String(Substring(rest)) : path
    }

    /// The URL of a file whose path is a stored text.
    private func fileURL(_ text: String) -> URL? {
        guard !text.isEmpty, !text.utf8.contains(0) else { return nil }
        guard text.utf8.first == UInt8(ascii: "~") else { return URL(fileURLWithPath: text) }
        let afterTilde = text.utf8.dropFirst()
        let name = afterTilde.prefix { $0 != UInt8(ascii: "/") }
        guard let home = home(of: name.isEmpty ? nil : String(Substring(name))) else { return nil }
        let path = home + String(Substring(afterTilde[name.endIndex...]))
        return URL(fileURLWithPath: path.isEmpty ? "/" : path)
    }

    /// A user's home directory without slashes at its end, empty if it is the root; `nil` if the user is unknown or has
    /// none.
    private func home(of name: String?) -> String? {
        let account = name.map { AccountDatabase(root: engine.root).account(named: $0) } ?? engine.account
        guard let home = account?.home, home.utf8.first == UInt8(ascii: "/") else { return nil }
        var path = Substring(home).utf8
        while path.last == UInt8(ascii: "/") { path.removeLast() }
        return String(Substring(path))
    }
}

extension URL {
    /// The URL of an archive; `nil` if its text is not a URL.
    fileprivate init?(_ archive: URLArchive) {
        var url: URL?
        for text in archive.bases.reversed() + [archive.relative] {
            guard let next = URL(string: text, relativeTo: url) else { return nil }
            url = next
        }
        guard let url else { return nil }
        self = url
    }
}
