import Platform

/// The bytes of a compiled table, read and checked block by block as somebody asks for them.
///
/// A block is checked against its sum before anybody sees a byte of it, and never changes afterwards.
@safe
final class TablePages: @unchecked Sendable {
    /// What is known of a block, as a byte.
    private enum BlockState {
        /// It was not read.
        static let missing: UInt8 = 0
        /// It was read.
        static let loaded: UInt8 = 1
        /// It was read and checked.
        static let checked: UInt8 = 2
    }

    /// Where the body ends, which consists of blocks; behind it stand their sums.
    private let bodyEnd: Int
    /// How many blocks there are.
    private let blockCount: Int
    /// Room for the whole table, what nobody asks for is never touched; behind it a ``BlockState`` for each block.
    ///
    /// Neither arrays nor `Guarded`: each generic type costs a short command more than a look at the table.
    private let base: UnsafeMutableRawPointer
    /// The states of the blocks; read and written under the lock.
    private let states: UnsafeMutablePointer<UInt8>
    /// The lock of the states, and of `next`.
    private let lock = Lock()
    /// The block behind the last one that was read: who wants it next reads on and on.
    private var next = 0
    /// The file; `nil` where all of it is here.
    private let file: OpenFile?

    /// How much is read at first: the whole of a small table, the header of any.
    private static let firstRead = 16_384
    /// How many blocks are read at once where somebody reads on and on.
    private static let readAhead = 16

    /// Takes on a table that is in memory.
    convenience init(_ bytes: [UInt8]) throws(TableError) {
        try self.init(count: bytes.count, file: nil, memory: bytes)
    }

    /// Takes on a table in a file.
    convenience init(_ file: OpenFile) throws(TableError) {
        try self.init(count: file.status.size, file: file, memory: [])
    }

    /// Reads and checks the header and the sums.
    private init(count: Int, file: OpenFile?, memory: [UInt8]) throws(TableError) {
        guard count >= TableFormat.headerSize, count <= TableFormat.sizeLimit else {
            throw TableError("it is too short or too long")
        }
        // No byte is read before it was written; pages of it that nobody asks for cost nothing. There are fewer blocks
        // than bytes of their sums, of which each has eight.
        let start = UnsafeMutableRawPointer.allocate(byteCount: count + count / 8, alignment: 16)
        let room = unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
        do {
            let first = file == nil ? count : min(count, TablePages.firstRead)
            try unsafe TablePages.read(file, memory, into: room, 0..<first)
            let bodyEnd = try unsafe TableFormat.bodyEnd(UnsafeRawBufferPointer(room))
            if first < count { try unsafe TablePages.read(file, memory, into: room, max(first, bodyEnd)..<count) }
            blockCount = try unsafe TableFormat.checkedBlockCount(UnsafeRawBufferPointer(room), bodyEnd: bodyEnd)
            self.bodyEnd = bodyEnd
            self.file = file
            // A block counts as read where all of it is within the first stretch.
            let whole = max(0, min(first, bodyEnd) - TableFormat.headerSize) / TableFormat.blockSize
            let loaded = first >= bodyEnd ? blockCount : whole
            unsafe base = start
            // The states lie behind the table, in room that has at least as many bytes as there are blocks.
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

    /// Copies a range of the table into its place.
    private static func read(
        _ file: OpenFile?, _ memory: [UInt8], into room: UnsafeMutableRawBufferPointer, _ range: Range<Int>
    ) throws(TableError) {
        if range.isEmpty { return }
        // The range lies within the room, which is as large as the table.
        let target = unsafe UnsafeMutableRawBufferPointer(rebasing: room[range])
        guard let file else {
            unsafe target.copyBytes(from: memory[range])
            return
        }
        do {
            guard try unsafe file.read(into: target, at: range.lowerBound) == range.count else {
                throw TableError("it has been cut")
            }
        } catch let error as TableError {
            throw error
        } catch {
            throw TableError("it cannot be read")
        }
    }

    /// Has a range read and checked.
    ///
    /// - Throws: where the range leads out of the body, or a block of it is damaged or cannot be read.
    func require(_ offset: Int, _ length: Int) throws(TableError) {
        guard offset >= 0, length >= 0, offset <= bodyEnd, length <= bodyEnd - offset else {
            throw TableReader.outside
        }
        // The header was checked with the sums.
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
                throw TableError("its checksum does not match")
            }
            unsafe states[block] = BlockState.checked
        }
    }

    /// Has the whole table read and checked.
    func requireAll() throws(TableError) { try require(0, bodyEnd) }

    /// Reads a block, and those behind it that will be asked for; called under the lock.
    private func load(_ block: Int, through last: Int) throws(TableError) {
        let wanted = block == next ? max(last, block + TablePages.readAhead - 1) : last
        var end = block + 1
        // What was checked is in use, and must not be written again.
        while end <= wanted, end < blockCount, unsafe states[end] == BlockState.missing { end += 1 }
        let start = TableFormat.headerSize + block * TableFormat.blockSize
        let range = start..<min(TableFormat.headerSize + end * TableFormat.blockSize, bodyEnd)
        // Only blocks that nobody has seen are written to.
        let room = unsafe UnsafeMutableRawBufferPointer(start: base, count: bodyEnd)
        guard let file else { throw TableError("it cannot be read") }
        try unsafe TablePages.read(file, [], into: room, range)
        for index in block..<end { unsafe states[index] = BlockState.loaded }
        next = end
    }

    /// The sum that a block must have.
    private func sum(of block: Int) -> UInt64 {
        // The sums stand behind the body, eight bytes for each block, and never change.
        unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: bodyEnd + 8 * block, as: UInt64.self))
    }

    /// The bytes of a block.
    private func bytes(of block: Int) -> UnsafeRawBufferPointer {
        let start = TableFormat.headerSize + block * TableFormat.blockSize
        // The last block may be shorter than the others.
        return unsafe UnsafeRawBufferPointer(
            start: base + start, count: min(TableFormat.blockSize, bodyEnd - start))
    }

    /// A byte of a range that was required.
    func byte(at offset: Int) -> UInt8 {
        // Who asks has required the range, so it lies within the body.
        unsafe base.load(fromByteOffset: offset, as: UInt8.self)
    }

    /// A number of 32 bits of a range that was required.
    func word(at offset: Int) -> UInt32 {
        // Who asks has required the range, so it lies within the body.
        unsafe UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// The bytes of a range that was required.
    func array(_ range: Range<Int>) -> [UInt8] {
        // Who asks has required the range, so it lies within the body.
        unsafe Array(UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
    }

    /// What the kernel says of the path in a range that was required, which ends with a NUL.
    func status(of range: Range<Int>, root: Root) -> (status: FileStatus?, isKnown: Bool) {
        // Who asks has required the range, so it lies within the body, and has seen the NUL at its end.
        unsafe root.statusInPlace((base + range.lowerBound).assumingMemoryBound(to: CChar.self))
    }

    /// Whether a range that was required holds a text's bytes.
    func holds(_ text: String, _ range: Range<Int>) -> Bool {
        // Who asks has required the range, so it lies within the body.
        unsafe text.consists(of: UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
    }

    /// The text of a range that was required; `nil` where it is not valid UTF-8.
    func text(_ range: Range<Int>) -> String? {
        // Who asks has required the range, so it lies within the body, and the buffer is read while this object lives.
        unsafe String(exactly: UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
    }
}
