package import MDPlatform
package import MDPropertyList

/// A program of a user that opened a domain since the boot: the audit service remembers it for the report.
///
/// The file has a line for the boot, then one JSON object for each program and domain of a user.
package struct OpenedDomain: Hashable, Sendable {
    /// The path of the file, under the root.
    package static let path = "/run/mdefaultsd/opened"
    /// The most bytes that are read of it.
    private static let sizeLimit = 64 << 20
    /// The most bytes of a line.
    package static let lineLimit = 8_192

    package let uid: UInt32
    /// The executable as the kernel or the process says it; `nil` if unknown.
    package let executable: String?
    package let domain: Key

    package init(uid: UInt32, executable: String?, domain: Key) {
        (self.uid, self.executable, self.domain) = (uid, executable, domain)
    }

    /// The first line, which another boot does not have.
    package static func head(root: Root) -> [UInt8] { Array("boot \(Machine.bootID(root: root) ?? "unknown")".utf8) }

    /// The line without its line feed.
    package var line: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("uid", Int(uid))
        writer.field("exe", executable)
        writer.field("domain", domain.string)
        writer.endObject()
        return writer.utf8
    }

    /// Reads a line; `nil` if the line has another form.
    package init?(line: [UInt8]) {
        guard let text = try? SourceText(decoding: line),
            case .dictionary(let members) = try? JSONReader.readForeign(text).root.value,
            case .integer(let number) = members["uid"],
            let uid = UInt32("\(number)"), case .string(let domain) = members["domain"]
        else { return nil }
        var executable: String?
        if case .string(let text) = members["exe"] { executable = text }
        self.init(uid: uid, executable: executable, domain: Key(domain))
    }

    /// What programs opened since the boot,.
    ///
    /// - Parameter root: the root.
    /// - Returns: the domains.
    /// - Throws: why the file cannot be read.
    package static func all(root: Root) throws(SystemError) -> [OpenedDomain] {
        lines(in: try root.read(path, limit: sizeLimit).bytes, root: root).lines.compactMap { OpenedDomain(line: $0) }
    }

    /// The lines of this boot, without the first, and whether the file is of this boot.
    ///
    /// A last line without line feed was torn off by a kill, so it is left out.
    package static func lines(in bytes: [UInt8], root: Root) -> (isOfThisBoot: Bool, lines: [[UInt8]]) {
        var parts = bytes.split(separator: 0x0a, omittingEmptySubsequences: false).map(Array.init)
        parts.removeLast()
        guard let first = parts.first, first == head(root: root) else { return (false, []) }
        return (true, Array(parts.dropFirst()))
    }
}
