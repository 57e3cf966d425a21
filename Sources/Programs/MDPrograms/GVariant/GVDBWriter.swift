import MDPropertyList

/// Makes the file of a hash table with values, as ``GVDBFile`` and dconf read it.
struct GVDBWriter {
    /// What an item holds.
    private enum Content {
        case value(GVariant)
        /// The items of a folder, by their indices among the given ones.
        case list([Int])
        case table([Item])
    }

    /// An item of a table.
    private struct Item {
        let hash: UInt32
        /// The index of its folder among the given items; `nil` if it is in none.
        let parent: Int?
        /// The end of its name that its folder's name lacks.
        let part: [UInt8]
        let content: Content
    }

    private var bytes = GVDBFile.header

    /// The name of the table of locks.
    static let locks = ".locks"

    /// Makes a database of dconf.
    ///
    /// - Parameters:
    ///   - values: the values by their paths.
    ///   - locks: the paths of keys that users cannot change.
    /// - Returns: the same bytes for the same database.
    static func database(values: [Key: GVariant], locks: Set<Key>) -> [UInt8] {
        var items = tree(of: values)
        if !locks.isEmpty {
            let inner = locks.sorted().map { lock in
                // dconf looks only for the names; its own databases have an empty text behind each.
                let name = Array(lock.string.utf8)
                return Item(hash: GVDBFile.hash(name), parent: nil, part: name, content: .value(.string("")))
            }
            let name = Array(GVDBWriter.locks.utf8)
            items.append(Item(hash: GVDBFile.hash(name), parent: nil, part: name, content: .table(inner)))
        }
        var writer = GVDBWriter()
        writer.bytes += [UInt8](repeating: 0, count: 8)
        let range = writer.add(items)
        writer.set(UInt32(truncatingIfNeeded: range.lowerBound), at: 16)
        writer.set(UInt32(truncatingIfNeeded: range.upperBound), at: 20)
        return writer.bytes
    }

    /// The values and the folders that they are in.
    private static func tree(of values: [Key: GVariant]) -> [Item] {
        var (items, folders, children): ([Item], [Key: Int], [Int: [Int]]) = ([], [:], [:])
        /// The index of a folder, whose path ends with a slash; those above it are made too.
        func folder(_ path: ArraySlice<UInt8>) -> Int? {
            if let index = folders[Key(String(decoding: path, as: UTF8.self))] { return index }
            var (parent, start): (Int?, Int) = (nil, path.startIndex)
            for end in path.indices where path[end] == UInt8(ascii: "/") {
                let key = Key(String(decoding: path[...end], as: UTF8.self))
                let part = Array(path[start...end])
                start = end + 1
                if let known = folders[key] {
                    parent = known
                    continue
                }
                let item = Item(hash: GVDBFile.hash(path[...end]), parent: parent, part: part, content: .list([]))
                if let parent { children[parent, default: []].append(items.count) }
                parent = items.count
                folders[key] = items.count
                items.append(item)
            }
            return parent
        }
        for (path, value) in values.sorted(by: { $0.key < $1.key }) {
            let name = Array(path.string.utf8)[...]
            let above = name.lastIndex(of: UInt8(ascii: "/")).map { name[...$0] }
            let parent = above.flatMap(folder)
            if let parent { children[parent, default: []].append(items.count) }
            items.append(
                Item(
                    hash: GVDBFile.hash(name), parent: parent, part: Array(name.dropFirst(above?.count ?? 0)),
                    content: .value(value)))
        }
        return items.enumerated().map { index, item in
            guard case .list = item.content else { return item }
            return Item(hash: item.hash, parent: item.parent, part: item.part, content: .list(children[index] ?? []))
        }
    }

    /// Adds a table.
    ///
    /// - Returns: where it lies.
    private mutating func add(_ items: [Item]) -> Range<Int> {
        bytes.pad(to: 4)
        let start = bytes.count
        let order = items.indices.sorted { left, right in
            let buckets = (items[left].hash % UInt32(items.count), items[right].hash % UInt32(items.count))
            return buckets.0 == buckets.1 ? left < right : buckets.0 < buckets.1
        }
        var places = [Int](repeating: 0, count: items.count)
        for (place, index) in order.enumerated() { places[index] = place }
        // No filter; its hash is said to shift by 5, as in all files.
        add(UInt32(5) << 27)
        add(UInt32(items.count))
        var next = 0
        for bucket in items.indices {
            while next < order.count, Int(items[order[next]].hash) % items.count < bucket { next += 1 }
            add(UInt32(next))
        }
        let first = bytes.count
        bytes += [UInt8](repeating: 0, count: 24 * items.count)
        let range = start..<bytes.count
        for (place, index) in order.enumerated() {
            let (item, offset) = (items[index], first + 24 * place)
            set(item.hash, at: offset)
            set(item.parent.map { UInt32(places[$0]) } ?? .max, at: offset + 4)
            set(UInt32(bytes.count), at: offset + 8)
            bytes[offset + 12] = UInt8(truncatingIfNeeded: item.part.count)
            bytes[offset + 13] = UInt8(truncatingIfNeeded: item.part.count >> 8)
            bytes += item.part
            let content: Range<Int>
            switch item.content {
            case .value(let value):
                bytes[offset + 14] = UInt8(ascii: "v")
                bytes.pad(to: 8)
                let start = bytes.count
                bytes += GVariant.variant(value).bytes
                content = start..<bytes.count
            case .list(let children):
                bytes[offset + 14] = UInt8(ascii: "L")
                bytes.pad(to: 4)
                let start = bytes.count
                for child in children { add(UInt32(places[child])) }
                content = start..<bytes.count
            case .table(let items):
                bytes[offset + 14] = UInt8(ascii: "H")
                content = add(items)
            }
            set(UInt32(content.lowerBound), at: offset + 16)
            set(UInt32(content.upperBound), at: offset + 20)
        }
        return range
    }

    private mutating func add(_ number: UInt32) { bytes += GVariant.littleEndian(UInt64(number), width: 4) }

    private mutating func set(_ number: UInt32, at offset: Int) {
        bytes.replaceSubrange(offset..<offset + 4, with: GVariant.littleEndian(UInt64(number), width: 4))
    }
}
