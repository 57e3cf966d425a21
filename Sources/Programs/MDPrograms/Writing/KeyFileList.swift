/// A list in a key file of GLib (`[Group]`, `key=first;second;`) that others may have items in too.
struct KeyFileList {
    /// The name of the group.
    let group: String
    /// The name of the key.
    let key: String

    /// A text in which the list has these items, after those that it has already.
    func adding(_ items: [String], to text: [UInt8]) -> [UInt8] {
        var lines = KeyFileList.lines(text)
        if let place = place(in: lines) {
            let present = value(of: lines[place])
            lines[place] = line(present + items.filter { !present.contains($0) })
        } else if let header = lines.firstIndex(where: isHeader) {
            lines.insert(line(items), at: header + 1)
        } else {
            lines += [Array("[\(group)]".utf8), line(items)]
        }
        return KeyFileList.text(lines)
    }

    /// A text without these items, and without the key and the group if nothing else is in them.
    func removing(_ items: [String], from text: [UInt8]) -> [UInt8] {
        var lines = KeyFileList.lines(text)
        guard let place = place(in: lines) else { return text }
        let left = value(of: lines[place]).filter { !items.contains($0) }
        if !left.isEmpty {
            lines[place] = line(left)
            return KeyFileList.text(lines)
        }
        lines.remove(at: place)
        // The header is now the last line of its group if the next line begins another one.
        if isHeader(lines[place - 1]), place == lines.count || KeyFileList.isGroup(lines[place]) {
            lines.remove(at: place - 1)
        }
        return KeyFileList.text(lines)
    }

    /// The items of the list, in order.
    func items(in text: [UInt8]) -> [String] {
        let lines = KeyFileList.lines(text)
        return place(in: lines).map { value(of: lines[$0]) } ?? []
    }

    /// The line of the key: the last one, as GLib has it.
    private func place(in lines: [[UInt8]]) -> Int? {
        var isInside = false
        var place: Int?
        for (index, line) in lines.enumerated() {
            if KeyFileList.isGroup(line) { isInside = isHeader(line) }
            if isInside, line.starts(with: key.utf8), KeyFileList.isAssignment(line.dropFirst(key.utf8.count)) {
                place = index
            }
        }
        return place
    }

    /// The items of the key's line.
    private func value(of line: [UInt8]) -> [String] {
        let value = line.drop { $0 != UInt8(ascii: "=") }.dropFirst()
        return value.split(separator: UInt8(ascii: ";")).map { item in
            let trimmed = item.drop { $0 == 0x20 }
            return String(
                decoding: trimmed.prefix(trimmed.count - trimmed.reversed().prefix { $0 == 0x20 }.count), as: UTF8.self)
        }.filter { !$0.isEmpty }
    }

    private func line(_ items: [String]) -> [UInt8] {
        Array("\(key)=\(items.map { $0 + ";" }.joined())".utf8)
    }

    private func isHeader(_ line: [UInt8]) -> Bool { line.starts(with: "[\(group)]".utf8) }

    private static func isGroup(_ line: [UInt8]) -> Bool { line.first == UInt8(ascii: "[") }

    /// Whether the rest of a line after the name of a key assigns a value to it.
    private static func isAssignment(_ rest: ArraySlice<UInt8>) -> Bool {
        rest.first { $0 != 0x20 } == UInt8(ascii: "=")
    }

    private static func lines(_ text: [UInt8]) -> [[UInt8]] {
        var lines = text.split(separator: 0x0a, omittingEmptySubsequences: false).map(Array.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private static func text(_ lines: [[UInt8]]) -> [UInt8] { lines.flatMap { $0 + [0x0a] } }
}
