import Platform
import PropertyList

/// A file of our own that must survive: a first line that names its format, lines of fields, and a last line with the
/// digest of all before it.
///
/// Fields are separated by blanks; a byte of a name that is not printable ASCII, and `%`, is written `%xx`. A dash stands
/// for what is not there; a name of only a dash is written `%2d`.
package struct SealedLines {
    /// The bytes of the last line: `sha256`, a blank, 64 digits and the line feed.
    private static let sealSize = 72

    /// The lines so far.
    private var bytes: [UInt8]

    /// Begins with the first line; the number at its end grows with every change of the format.
    package init(header: String) {
        bytes = Array(header.utf8)
        bytes.append(0x0a)
    }

    /// Adds a line of fields, which are escaped where they are names.
    package mutating func add(_ fields: String...) { add(fields) }

    /// Adds a line of fields, which are escaped where they are names.
    package mutating func add(_ fields: [String]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(0x20) }
            bytes.append(contentsOf: field.utf8)
        }
        bytes.append(0x0a)
    }

    /// The whole file.
    package var sealed: [UInt8] { bytes + SealedLines.seal(of: bytes[...]) }

    /// Whether a file has this first line.
    static func begins(_ bytes: [UInt8], with header: String) -> Bool {
        bytes.starts(with: header.utf8) && bytes.dropFirst(header.utf8.count).first == 0x0a
    }

    /// The last line of a file.
    private static func seal(of content: ArraySlice<UInt8>) -> [UInt8] {
        var hash = SHA256()
        hash.update(content)
        return Array("sha256 \(hash.finish().hex)\n".utf8)
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - headers: the first lines that it may have; the first of them is the one that is written.
    ///   - read: takes over a line, and answers whether it reads.
    /// - Throws: what is wrong with the first line that does not read, or that the digest does not match.
    package static func read(
        _ bytes: [UInt8], headers: [String], _ read: (Line) -> Bool
    ) throws(TableError) {
        let content = bytes.dropLast(sealSize)
        guard bytes.count >= sealSize, bytes[content.endIndex...].elementsEqual(seal(of: content)) else {
            throw TableError("its checksum does not match")
        }
        guard content.last == 0x0a, content.allSatisfy({ $0 < 0x80 }) || isText(content) else {
            throw TableError("it does not consist of lines of text")
        }
        var number = 0
        var start = 0
        while start < content.endIndex {
            let end = content[start...].firstIndex(of: 0x0a) ?? content.endIndex
            let line = content[start..<end]
            number += 1
            if number == 1 {
                guard headers.contains(where: { line.elementsEqual($0.utf8) }) else {
                    throw TableError("it is not of the format \"\(headers.first ?? "")\"")
                }
            } else if !read(Line(bytes: line)) {
                throw TableError("its line \(number) does not read")
            }
            start = end + 1
        }
    }

    /// Whether bytes are valid UTF-8.
    private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    /// A line behind the first one.
    package struct Line {
        /// Its bytes, without the line feed.
        let bytes: ArraySlice<UInt8>

        /// What stands between its blanks, which may be nothing.
        package var fields: [String] {
            var fields: [String] = []
            fields.reserveCapacity(6)
            var start = bytes.startIndex
            while true {
                let end = bytes[start...].firstIndex(of: 0x20) ?? bytes.endIndex
                fields.append(String(decoding: bytes[start..<end], as: UTF8.self))
                if end == bytes.endIndex { return fields }
                start = end + 1
            }
        }
    }
}

extension SealedLines {
    /// A name without blanks, control characters and anything that is not ASCII.
    package static func escape(_ name: String) -> String {
        if name == "-" { return "%2d" }
        if name.utf8.allSatisfy(isPlain) { return name }
        let digits = Array("0123456789abcdef".utf8)
        var result: [UInt8] = []
        for byte in name.utf8 {
            if isPlain(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Reads what ``escape(_:)`` wrote; `nil` for anything else.
    package static func unescape(_ text: String) -> String? {
        if text.isEmpty { return nil }
        if text.utf8.allSatisfy({ $0 != UInt8(ascii: "%") }) { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%") {
                guard index + 2 < bytes.count,
                    let value = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
                else { return nil }
                result.append(value)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(validating: result, as: UTF8.self)
    }

    /// Whether a byte of a name is written as it is.
    static func isPlain(_ byte: UInt8) -> Bool { (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "%") }
}
