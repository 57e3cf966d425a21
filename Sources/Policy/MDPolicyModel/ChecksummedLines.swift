import MDPlatform
import MDPropertyList

/// A text file with a checksum: a first line that names its format, lines of fields, and a last line with the digest of
/// all before it.
///
/// Fields are separated by blanks; a byte of a name that is not printable ASCII, and `%`, is written `%xx`. A dash is a
/// missing field; a name that is a single dash is written `%2d`.
package struct ChecksummedLines {
    /// The size of the last line: `sha256`, a blank, 64 digits and the line feed.
    private static let sealSize = 72

    private var bytes: [UInt8]

    /// Begins with the first line; the number at its end grows with every change of the format.
    package init(header: String) {
        bytes = Array(header.utf8)
        bytes.append(0x0a)
    }

    /// Adds a line of fields; the caller escapes names.
    package mutating func add(_ fields: String...) { add(fields) }

    /// Adds a line of fields; the caller escapes names.
    package mutating func add(_ fields: [String]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(0x20) }
            bytes.append(contentsOf: field.utf8)
        }
        bytes.append(0x0a)
    }

    /// The complete file.
    package var sealed: [UInt8] { bytes + ChecksummedLines.seal(of: bytes[...]) }

    /// Makes the last line of a file.
    private static func seal(of content: ArraySlice<UInt8>) -> [UInt8] {
        var hash = SHA256()
        hash.update(content)
        return Array("sha256 \(hash.finish().hex)\n".utf8)
    }

    /// Parses a file.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - headers: the accepted first lines; the first of them is the one that is written.
    ///   - read: parses a line and returns whether it is valid.
    /// - Throws: an error if a line is invalid or the digest does not match.
    package static func read(
        _ bytes: [UInt8], headers: [String], _ read: (Line) -> Bool
    ) throws(StoredFileError) {
        guard let content = content(of: bytes) else { throw StoredFileError("its checksum does not match") }
        guard content.last == 0x0a, content.allSatisfy({ $0 < 0x80 }) || isText(content) else {
            throw StoredFileError("it does not consist of lines of text")
        }
        var number = 0
        var start = 0
        while start < content.endIndex {
            let end = content[start...].firstIndex(of: 0x0a) ?? content.endIndex
            let line = content[start..<end]
            number += 1
            if number == 1 {
                guard headers.contains(where: { line.elementsEqual($0.utf8) }) else {
                    throw StoredFileError("it is not of the format \"\(headers.first ?? "")\"")
                }
            } else if !read(Line(bytes: line)) {
                throw StoredFileError("its line \(number) does not read")
            }
            start = end + 1
        }
    }

    /// All before the last line; `nil` if the digest does not match.
    package static func content(of bytes: [UInt8]) -> ArraySlice<UInt8>? {
        let content = bytes.dropLast(sealSize)
        return bytes.count >= sealSize && bytes[content.endIndex...].elementsEqual(seal(of: content)) ? content : nil
    }

    /// The first lines of a file of any format, without their line feeds; none if the digest does not match.
    package static func first(_ count: Int, of bytes: [UInt8]) -> [String] {
        guard let content = content(of: bytes) else { return [] }
        return content.split(separator: 0x0a, maxSplits: count, omittingEmptySubsequences: false).prefix(count).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    /// A line after the first one.
    package struct Line {
        /// The bytes without the line feed.
        package let bytes: ArraySlice<UInt8>

        /// The texts between its blanks, which may be empty.
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

extension ChecksummedLines {
    /// A name without blanks, control characters and non-ASCII bytes.
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

    /// Reverses ``escape(_:)``; `nil` for any other text.
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

    /// Whether a byte of a name is written unescaped.
    package static func isPlain(_ byte: UInt8) -> Bool { (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "%") }
}

/// Why a file that this program wrote cannot be read.
package struct StoredFileError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, in words.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
