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

    /// The name without folders and without what follows its last dot.
    var stem: String {
        let bytes = name.utf8
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > bytes.startIndex else { return name }
        return String(name[..<dot])
    }

    /// Whether the name ends in a text, in any case of its letters.
    func has(suffix: String) -> Bool { name.lowercased().utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

    /// Whether the file lies in a folder of a name.
    func has(folder: String) -> Bool { parts.dropLast().contains { $0.elementsEqual(folder.utf8) } }
}
