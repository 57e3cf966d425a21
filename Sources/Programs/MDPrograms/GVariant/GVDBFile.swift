/// A hash table in a file, in the format of dconf's databases and of compiled schemas.
///
/// Only little-endian files are read. A file is checked as it is read, each place once it is needed, and what is damaged
/// has no value.
package struct GVDBFile: Sendable {
    /// The most bytes of a file that is read.
    package static let sizeLimit = 16 << 20
    /// The first bytes: "GVariant" as its two halves are written by a little-endian machine, version and options 0.
    static let header = Array("GVariant".utf8) + [UInt8](repeating: 0, count: 8)

    fileprivate let bytes: [UInt8]
    /// The outermost table.
    package var root: Table { Table(file: self, layout: layout) }
    private let layout: Layout

    /// Takes a file.
    ///
    /// - Returns: `nil` if it is not such a file, or one for another byte order.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= GVDBFile.header.count + 8, bytes.starts(with: GVDBFile.header),
            let range = GVDBFile.range(in: bytes, at: GVDBFile.header.count),
            let layout = Layout(bytes, range)
        else { return nil }
        (self.bytes, self.layout) = (bytes, layout)
    }

    /// A number of 4 bytes; 0 beyond the end, which no caller asks for.
    fileprivate static func number(in bytes: [UInt8], at offset: Int) -> UInt32 {
        guard offset >= 0, offset + 4 <= bytes.count else { return 0 }
        return (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) }
    }

    /// A range that is given by its ends; `nil` if it leads out of the file.
    fileprivate static func range(in bytes: [UInt8], at offset: Int) -> Range<Int>? {
        let (start, end) = (Int(number(in: bytes, at: offset)), Int(number(in: bytes, at: offset + 4)))
        return start <= end && end <= bytes.count ? start..<end : nil
    }

    /// Where the parts of a table lie.
    fileprivate struct Layout: Sendable {
        let buckets: Int
        let bucketCount: Int
        let items: Int
        let itemCount: Int
        /// The bytes of an item.
        static let itemSize = 24

        /// Reads the head of a table.
        init?(_ bytes: [UInt8], _ range: Range<Int>) {
            guard range.count >= 8 else { return nil }
            // The upper bits say how the filter is hashed, which is only a shortcut.
            let filter = Int(number(in: bytes, at: range.lowerBound) & 0x07ff_ffff)
            bucketCount = Int(number(in: bytes, at: range.lowerBound + 4))
            buckets = range.lowerBound + 8 + 4 * filter
            items = buckets + 4 * bucketCount
            guard items <= range.upperBound, (range.upperBound - items).isMultiple(of: Layout.itemSize) else {
                return nil
            }
            itemCount = (range.upperBound - items) / Layout.itemSize
        }
    }

    /// The hash of a name.
    static func hash(_ name: some Sequence<UInt8>) -> UInt32 {
        name.reduce(5381) { $0 &* 33 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
    }

    /// One table of a file.
    package struct Table: Sendable {
        fileprivate let file: GVDBFile
        fileprivate let layout: Layout

        /// The value of a name; `nil` if there is none.
        package func value(_ name: String) -> GVariant? {
            guard let index = index(of: Array(name.utf8), kind: UInt8(ascii: "v")),
                let range = GVDBFile.range(in: file.bytes, at: place(of: index) + 16),
                case .variant(let value) = GVariantReader.read(file.bytes[range], .variant)
            else { return nil }
            return value
        }

        /// Whether a name has a value.
        package func hasValue(_ name: String) -> Bool {
            index(of: Array(name.utf8), kind: UInt8(ascii: "v")) != nil
        }

        /// The table of a name; `nil` if there is none.
        package func table(_ name: String) -> Table? {
            guard let index = index(of: Array(name.utf8), kind: UInt8(ascii: "H")),
                let range = GVDBFile.range(in: file.bytes, at: place(of: index) + 16),
                let layout = Layout(file.bytes, range)
            else { return nil }
            return Table(file: file, layout: layout)
        }

        /// The names with values, in no order; without those that are damaged.
        package var names: [String] { names(UInt8(ascii: "v")) }

        /// The names with tables, in no order; without those that are damaged.
        package var tables: [String] { names(UInt8(ascii: "H")) }

        private func names(_ kind: UInt8) -> [String] {
            (0..<layout.itemCount).compactMap { index in
                file.bytes[place(of: index) + 14] == kind ? name(of: index) : nil
            }
        }

        private func place(of index: Int) -> Int { layout.items + index * Layout.itemSize }

        /// The item of a name and a kind.
        private func index(of name: [UInt8], kind: UInt8) -> Int? {
            guard layout.bucketCount > 0 else { return nil }
            let hash = GVDBFile.hash(name)
            let bucket = Int(hash) % layout.bucketCount
            let first = Int(GVDBFile.number(in: file.bytes, at: layout.buckets + 4 * bucket))
            let next = bucket + 1 < layout.bucketCount
            // As dconf does, an end beyond the last item means the last item.
            let end = min(
                next ? Int(GVDBFile.number(in: file.bytes, at: layout.buckets + 4 * (bucket + 1))) : layout.itemCount,
                layout.itemCount)
            guard first <= end else { return nil }
            return (first..<end).first { index in
                let place = place(of: index)
                return GVDBFile.number(in: file.bytes, at: place) == hash && file.bytes[place + 14] == kind
                    && isItem(index, named: name)
            }
        }

        /// The end of a name that an item adds to that of its parent.
        private func part(of index: Int) -> ArraySlice<UInt8>? {
            let place = place(of: index)
            let start = Int(GVDBFile.number(in: file.bytes, at: place + 8))
            let length = Int(file.bytes[place + 12]) | Int(file.bytes[place + 13]) << 8
            return start + length <= file.bytes.count ? file.bytes[start..<start + length] : nil
        }

        private func parent(of index: Int) -> Int? {
            let parent = Int(GVDBFile.number(in: file.bytes, at: place(of: index) + 4))
            return parent < layout.itemCount ? parent : nil
        }

        private func isItem(_ index: Int, named name: [UInt8]) -> Bool {
            var (rest, current) = (name[...], index)
            while true {
                guard let part = part(of: current), rest.count >= part.count, rest.suffix(part.count) == part else {
                    return false
                }
                rest = rest.dropLast(part.count)
                guard let parent = parent(of: current) else { return rest.isEmpty }
                // A part of nothing is the outermost list; others shorten the rest, so that a circle ends.
                if part.isEmpty { return rest.isEmpty }
                current = parent
            }
        }

        /// The whole name of an item.
        private func name(of index: Int) -> String? {
            var (parts, current, depth): ([ArraySlice<UInt8>], Int?, Int) = ([], index, 0)
            while let item = current {
                guard depth < 1_000, let part = part(of: item) else { return nil }
                parts.append(part)
                depth += 1
                current = parent(of: item)
            }
            return String(validating: parts.reversed().joined(), as: UTF8.self)
        }
    }
}
