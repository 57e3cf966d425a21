package import MDPlatform
import MDPolicyModel

/// The bytes of a compiled table, read and checked block by block on demand.
///
/// A block is checked against its checksum before any of it is used, and never changes afterwards.
@safe
package final class TablePages: @unchecked Sendable {
    /// The state of a block, as a byte.
    private enum BlockState {
        /// The block was not read.
        static let missing: UInt8 = 0
        /// The block was read.
        static let loaded: UInt8 = 1
        /// The block was read and checked.
        static let checked: UInt8 = 2
    }

    /// The end of the body, which consists of blocks; their checksums follow.
    private let bodyEnd: Int
    /// How many blocks there are.
    private let blockCount: Int
    /// Memory for the whole table, whose unused pages are never touched, and then a ``BlockState`` for each block.
    ///
    /// Neither arrays nor `Guarded`: specializing a generic type costs a short command more time than reading the
    /// table.
    private let base: UnsafeMutableRawPointer
    /// The states of the blocks; read and written under the lock.
    private let states: UnsafeMutablePointer<UInt8>
    /// The lock of the states, and of `next`.
    private let lock = Lock()
    /// The block after the last one that was read, to detect sequential reading.
    private var next = 0
    /// The file; `nil` if the whole table is in memory.
    private let file: OpenFile?

    /// The size of a table that is read at once.
    private static let smallTable = 16_384
    /// The size of the first read of any other: the header, and a block that has most of what it was made of.
    private static let firstRead = TableFormat.headerSize + TableFormat.blockSize
    /// The number of blocks in one read during sequential reading.
    private static let readAhead = 16

    /// Makes the pages of a table in memory.
    convenience init(_ bytes: [UInt8]) throws(StoredFileError) {
        try self.init(count: bytes.count, file: nil, memory: bytes)
    }

    /// Makes the pages of a table in a file.
    convenience init(_ file: OpenFile) throws(StoredFileError) {
        try self.init(count: file.status.size, file: file, memory: [])
    }

    /// Reads and checks the header and the checksums.
    private init(count: Int, file: OpenFile?, memory: [UInt8]) throws(StoredFileError) {
        guard count >= TableFormat.headerSize, count <= TableFormat.sizeLimit else {
            throw StoredFileError("it is too short or too long")
        }
        // No byte is read before it was written; untouched pages cost nothing. There are fewer blocks than bytes of
        // their checksums, which have eight each.
        let start = UnsafeMutableRawPointer.allocate(byteCount: count + count / 8, alignment: 16)
        let room = unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
        do {
            let first = file == nil || count <= TablePages.smallTable ? count : TablePages.firstRead
            try unsafe TablePages.read(file, memory, into: room, 0..<first)
            let bodyEnd = try unsafe TableFormat.bodyEnd(UnsafeRawBufferPointer(room))
            if first < count { try unsafe TablePages.read(file, memory, into: room, max(first, bodyEnd)..<count) }
            blockCount = try unsafe TableFormat.checkedBlockCount(UnsafeRawBufferPointer(room), bodyEnd: bodyEnd)
            self.bodyEnd = bodyEnd
            self.file = file
            // A block counts as read if all of it is within the first read.
            let whole = max(0, min(first, bodyEnd) - TableFormat.headerSize) / TableFormat.blockSize
            let loaded = first >= bodyEnd ? blockCount : whole
            unsafe base = start
            // The states follow the table, in memory that has at least as many bytes as there are blocks.
            unsafe states = (start + count).bindMemory(to: UInt8.self, capacity: blockCount)
            unsafe states.initialize(repeating: BlockState.missing, count: blockCount)
            unsafe states.update(repeating: BlockState.loaded, count: loaded)
        } catch {
            unsafe start.deallocate()
            throw error
        }
    }

    deinit {
        unsafe base.deallocate()
    }

    /// Reads a range of the table into memory.
    private static func read(
        _ file: OpenFile?, _ memory: [UInt8], into room: UnsafeMutableRawBufferPointer, _ range: Range<Int>
    ) throws(StoredFileError) {
        if range.isEmpty { return }
        // The range lies within the memory, which is as large as the table.
        let target = unsafe UnsafeMutableRawBufferPointer(rebasing: room[range])
        guard let file else {
            unsafe target.copyBytes(from: memory[range])
            return
        }
        do {
            guard try unsafe file.read(into: target, at: range.lowerBound) == range.count else {
                throw StoredFileError("it has been cut")
            }
        } catch let error as StoredFileError {
            throw error
        } catch {
            throw StoredFileError("it cannot be read")
        }
    }

    /// Reads and checks the blocks of a range.
    ///
    /// - Throws: an error if the range exceeds the body, or a block of it is damaged or cannot be read.
    func require(_ offset: Int, _ length: Int) throws(StoredFileError) {
        guard offset >= 0, length >= 0, offset <= bodyEnd, length <= bodyEnd - offset else {
            throw TableReader.outside
        }
        // The header was checked with the checksums.
        let (start, end) = (max(offset, TableFormat.headerSize), offset + length)
        guard start < end else { return }
        let first = (start - TableFormat.headerSize) / TableFormat.blockSize
        let last = (end - 1 - TableFormat.headerSize) / TableFormat.blockSize
        lock.acquire()
        defer { lock.release() }
        // The range lies within the body, so that each of these is a block.
        for block in first...last where unsafe states[block] != BlockState.checked {
            if unsafe states[block] == BlockState.missing { try load(block, through: last) }
            guard unsafe TableFormat.sum(bytes(of: block), seed: UInt64(block)) == sum(of: block) else {
                throw StoredFileError("its checksum does not match")
            }
            unsafe states[block] = BlockState.checked
        }
    }

    /// Reads and checks the whole table.
    func requireAll() throws(StoredFileError) { try require(0, bodyEnd) }

    /// Reads a block, and those after it that will be needed; called under the lock.
    private func load(_ block: Int, through last: Int) throws(StoredFileError) {
        let wanted = block == next ? max(last, block + TablePages.readAhead - 1) : last
        var end = block + 1
        // Checked blocks are in use and must not be written again.
        while end <= wanted, end < blockCount, unsafe states[end] == BlockState.missing { end += 1 }
        let start = TableFormat.headerSize + block * TableFormat.blockSize
        let range = start..<min(TableFormat.headerSize + end * TableFormat.blockSize, bodyEnd)
        // Only blocks that were not returned yet are written to.
        let room = unsafe UnsafeMutableRawBufferPointer(start: base, count: bodyEnd)
        guard let file else { throw StoredFileError("it cannot be read") }
        try unsafe TablePages.read(file, [], into: room, range)
        for index in block..<end { unsafe states[index] = BlockState.loaded }
        next = end
    }

    /// The stored checksum of a block.
    private func sum(of block: Int) -> UInt64 {
        // The checksums follow the body, eight bytes for each block, and never change.
        unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: bodyEnd + 8 * block, as: UInt64.self))
    }

    /// The bytes of a block.
    private func bytes(of block: Int) -> UnsafeRawBufferPointer {
        let start = TableFormat.headerSize + block * TableFormat.blockSize
        // The last block may be shorter than the others.
        return unsafe UnsafeRawBufferPointer(
            start: base + start, count: min(TableFormat.blockSize, bodyEnd - start))
    }

    /// A byte of a required range.
    package func byte(at offset: Int) -> UInt8 {
        // The caller has required the range, so it lies within the body.
        unsafe base.load(fromByteOffset: offset, as: UInt8.self)
    }

    /// A number of 32 bits of a required range.
    package func word(at offset: Int) -> UInt32 {
        // The caller has required the range, so it lies within the body.
        unsafe UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// A number of 64 bits of a required range.
    package func long(at offset: Int) -> UInt64 {
        // The caller has required the range, so it lies within the body.
        unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The bytes of a required range.
    package func array(_ range: Range<Int>) -> [UInt8] {
        // The caller has required the range, so it lies within the body.
        unsafe Array(UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
    }

    /// The status of the path in a required range, which ends with a NUL.
    package func status(of range: Range<Int>, root: Root) -> (status: FileStatus?, isKnown: Bool) {
        // The caller has required the range, so it lies within the body, and has checked the NUL at its end.
        unsafe root.statusInPlace((base + range.lowerBound).assumingMemoryBound(to: CChar.self))
    }

    /// Whether a required range holds the bytes of a text.
    package func holds(_ text: String, _ range: Range<Int>) -> Bool {
        // The caller has required the range, so it lies within the body.
        unsafe text.consists(of: UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
    }

    /// The text of a required range; `nil` if it is not valid UTF-8.
    package func text(_ range: Range<Int>) -> String? {
        // The caller has required the range, so it lies within the body, and the buffer is read during the lifetime of
        // this object.
        unsafe String(exactly: UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
    }
}

/// The sections of a compiled table, in the order of the header.
enum TableSection: Int, CaseIterable {
    /// The fingerprints of everything but the policy files, of variable size.
    case surroundings
    /// The fingerprints of the policy files, in the same form.
    case sources
    /// Offset and length of the head of each policy file, and of the list of the groups that it contributes to, eight
    /// bytes each, in order of application.
    case files
    /// The slots that find groups by their hash, a power of two of them: upper half of the hash, offset and length of
    /// the group, twelve bytes each; a length of zero is a free slot.
    case slots
    /// Offset and length of each group with metadata, eight bytes each.
    case described
    case calendars
    case host
    /// The words of the machine's tags file.
    case tags
    /// The slots that find domains by their hash, in the form of those of groups; the range is that of all groups of
    /// the domain, one after the other.
    case domains
    /// Its count is 0 if every file is in force itself, else 1; its range is the list of each ``LaterSection``.
    case broken
    /// The fingerprints of the manifests and of the directories on the way to them; none if they cannot be vouched for.
    case manifests
    /// Whether all keys are sensitive by manifests, then each domain with sensitive keys.
    case secrets
}

/// The number of elements and the range of each section of a compiled table.
struct TableSections {
    /// One section.
    struct Section {
        /// The number of elements.
        var count = 0
        /// The range in the table.
        var range = TableRange(offset: 0, length: 0)
    }

    /// The sections, in order.
    private var sections = [Section](repeating: Section(), count: TableSection.allCases.count)

    /// Begins with empty sections.
    init() {}

    /// Reads the sections of a header.
    init(_ reader: inout TableReader) throws(StoredFileError) {
        for index in sections.indices {
            sections[index].count = try reader.fixedIndex()
            sections[index].range = try reader.range()
        }
    }

    subscript(_ section: TableSection) -> Section { sections[section.rawValue] }

    /// Appends a section to a table.
    mutating func write(
        _ section: TableSection, count: Int, to body: inout TableWriter, _ write: (inout TableWriter) -> Void
    ) {
        let offset = body.size
        write(&body)
        sections[section.rawValue] = Section(
            count: count, range: TableRange(offset: offset, length: body.size - offset))
    }

    /// Writes the header at the beginning of a table.
    ///
    /// - Parameters:
    ///   - body: the table with space for the header; empty afterwards, so that there is never a second one in memory.
    ///   - generation: the daemon's revision at which the table was made.
    /// - Returns: the whole table.
    func finish(_ body: inout TableWriter, generation: UInt64) -> [UInt8] {
        var header = TableWriter()
        header.long(generation)
        for section in sections {
            header.fixedIndex(section.count)
            header.range(section.range)
        }
        body.replace(at: TableFormat.generationOffset, with: header.finish())
        return TableFormat.sealed(body.finish())
    }
}

/// A range of bytes of a compiled table.
struct TableRange: Hashable {
    /// The offset from the beginning of the table.
    let offset: Int
    let length: Int
}

extension TableReader {
    /// Reads a range.
    mutating func range() throws(StoredFileError) -> TableRange {
        let offset = try fixedIndex()
        return TableRange(offset: offset, length: try fixedIndex())
    }
}

extension TableWriter {
    /// Appends a range.
    mutating func range(_ value: TableRange) {
        fixedIndex(value.offset)
        fixedIndex(value.length)
    }
}
