/// One file that is to become policy.
package struct ConversionInput: Sendable {
    /// The path as people are shown it.
    package let path: String
    /// The whole file.
    package let bytes: [UInt8]

    /// Makes an input.
    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    /// The parts of the path.
    private var parts: [Substring.UTF8View.SubSequence] { path[...].utf8.split(separator: UInt8(ascii: "/")) }

    /// The name without folders.
    var name: String { parts.last.map { String(Substring($0)) } ?? path }

    /// The name without folders and without the suffix of a file that is converted; domains have dots themselves.
    var stem: String {
        for suffix in [".plist", ".xml", ".mobileconfig", ".json", ".conf", ".txt"] where has(suffix: suffix) {
            guard name.utf8.count > suffix.utf8.count else { break }
            return String(Substring(name.utf8.dropLast(suffix.utf8.count)))
        }
        return name
    }

    /// Whether the name ends in a text, in any case of its letters.
    func has(suffix: String) -> Bool { name.lowercased().utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

    /// Whether the file lies in a folder of a name.
    func has(folder: String) -> Bool { parts.dropLast().contains { $0.elementsEqual(folder.utf8) } }
}
