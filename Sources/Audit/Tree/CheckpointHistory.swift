import Platform
import PropertyList

/// The file of all checkpoints that a log has had: the origin, then a line of size and root in Base64 for each.
///
/// It proves no more than the newest checkpoint does. It tells *which* record was changed, because the first entry that
/// fails and the last that holds enclose it, and it betrays a log that was put back together with its checkpoint.
struct CheckpointHistory {
    /// A checkpoint without the origin.
    struct Entry: Hashable {
        /// How many records it covers.
        let size: Int
        /// The root of their tree.
        let root: Digest

        /// Makes an entry.
        init(size: Int, root: Digest) {
            self.size = size
            self.root = root
        }

        /// Reads a line; `nil` for anything else.
        init?(line: some Collection<UInt8>) {
            let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
            guard parts.count == 2, let size = Checkpoint.size(parts[0]), parts[1].count == 44,
                let bytes = try? Base64.decode(parts[1]), let root = Digest(bytes: bytes)
            else { return nil }
            self.init(size: size, root: root)
        }

        /// The entry as a line with its line feed.
        var line: String { "\(size) \(Base64.encode(root.bytes))\n" }
    }

    /// The most bytes of the first line.
    private static let longestOrigin = 1_024
    /// The bytes at the end of the file that hold its last whole line.
    private static let tail = 256

    /// The origin in the first line; `nil` where that is none.
    let origin: String?
    /// The last whole line, where it is an entry.
    let last: Entry?
    /// How many bytes stand before what a crash tore off.
    let wholeSize: Int

    /// Reads the first and the last line.
    ///
    /// - Parameters:
    ///   - size: the size of the file.
    ///   - read: reads bytes at an offset.
    /// - Throws: what `read` throws.
    init(size: Int, read: (Int, Int) throws(SystemError) -> [UInt8]) throws(SystemError) {
        let head = try read(0, CheckpointHistory.longestOrigin)
        let first = head.firstIndex(of: 0x0a).flatMap { String(validating: head[..<$0], as: UTF8.self) }
        origin = first.flatMap { Checkpoint.isOrigin($0) ? $0 : nil }
        let start = max(0, size - CheckpointHistory.tail)
        let tail = try read(start, size - start)
        guard let end = tail.lastIndex(of: 0x0a) else {
            (last, wholeSize) = (nil, 0)
            return
        }
        wholeSize = start + end + 1
        let line = tail[..<end].split(separator: 0x0a, omittingEmptySubsequences: false).last ?? []
        last = Entry(line: line)
    }
}
