/// A zip file, such as `omni.ja` of Firefox; read are entries that are stored as they are.
///
/// Its bytes may be anything: each number is compared with the size of the file before it is used, and at most
/// ``directoryLimit`` and ``entryLimit`` bytes are read at once.
struct StoredArchive {
    /// The most bytes of the list of entries; Firefox 153 has 0.6 MB of them.
    private static let directoryLimit = 8 << 20
    /// The most bytes of an entry that is read.
    private static let entryLimit = 4 << 20

    /// The size of the file.
    private let size: Int
    /// Reads exactly so many bytes at an offset; `nil` if there are fewer.
    private let read: (_ offset: Int, _ count: Int) -> [UInt8]?

    init(size: Int, read: @escaping (_ offset: Int, _ count: Int) -> [UInt8]?) {
        (self.size, self.read) = (size, read)
    }

    /// Reads an entry.
    ///
    /// - Returns: its bytes; `nil` if there is no entry of this name, or several, or if it is compressed, encrypted, too
    ///   large or damaged.
    func entry(_ name: String) -> [UInt8]? {
        guard let (count, list) = directory else { return nil }
        let name = Array(name.utf8)
        var (offset, found): (Int, Int?) = (0, nil)
        for _ in 0..<count {
            guard offset + 46 <= list.count, Self.word(list, offset) == 0x0201_4b50 else { return nil }
            let length = Self.half(list, offset + 28)
            let next = offset + 46 + length + Self.half(list, offset + 30) + Self.half(list, offset + 32)
            guard next <= list.count else { return nil }
            if length == name.count, list[(offset + 46)..<(offset + 46 + length)].elementsEqual(name) {
                if found != nil { return nil }
                found = offset
            }
            offset = next
        }
        guard let found else { return nil }
        let (flags, method) = (Self.half(list, found + 8), Self.half(list, found + 10))
        let length = Self.word(list, found + 24)
        guard flags & 1 == 0, method == 0, Self.word(list, found + 20) == length, length <= Self.entryLimit else {
            return nil
        }
        return content(at: Self.word(list, found + 42), length, name)
    }

    /// The bytes behind an entry's own head, which repeats its name.
    private func content(at place: Int, _ length: Int, _ name: [UInt8]) -> [UInt8]? {
        guard let head = bytes(place, 30), Self.word(head, 0) == 0x0403_4b50, Self.half(head, 26) == name.count,
            bytes(place + 30, name.count) == name
        else { return nil }
        return bytes(place + 30 + name.count + Self.half(head, 28), length)
    }

    /// The number of entries, and their list, which the end of the file points to.
    private var directory: (count: Int, bytes: [UInt8])? {
        // A comment of at most 65,535 bytes may follow.
        let count = min(size, 22 + 65_535)
        guard count >= 22, let tail = bytes(size - count, count) else { return nil }
        for start in stride(from: tail.count - 22, through: 0, by: -1)
        where tail[start] == 0x50 && Self.word(tail, start) == 0x0605_4b50
            && start + 22 + Self.half(tail, start + 20) == tail.count
        {
            let (number, length) = (Self.half(tail, start + 10), Self.word(tail, start + 12))
            // All of it is in this file.
            guard Self.word(tail, start + 4) == 0, Self.half(tail, start + 8) == number,
                length <= Self.directoryLimit, let list = bytes(Self.word(tail, start + 16), length)
            else { return nil }
            return (number, list)
        }
        return nil
    }

    private func bytes(_ offset: Int, _ count: Int) -> [UInt8]? {
        guard offset <= size, count <= size - offset, let bytes = read(offset, count), bytes.count == count else {
            return nil
        }
        return bytes
    }

    /// The number of four bytes, the least first, which are there.
    private static func word(_ bytes: [UInt8], _ offset: Int) -> Int {
        half(bytes, offset) | half(bytes, offset + 2) << 16
    }

    /// The number of two bytes, which are there.
    private static func half(_ bytes: [UInt8], _ offset: Int) -> Int {
        Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
    }
}
