import MDCPlatform

/// The SHA-256 hash function (FIPS 180-4), fed in pieces of any size.
///
/// Where the processor has instructions for it, these are used; they are four times as fast. Everywhere else it is Swift.
///
/// The message schedule rolls through sixteen local variables, which the compiler holds in registers or close to them;
/// that is faster than a schedule of 64 words in memory and needs no allocation.
package struct SHA256: Sendable {
    /// The bytes of a block.
    private static let blockSize = 64

    /// The first two words of the chaining value.
    private var (h0, h1): (UInt32, UInt32) = (0x6a09_e667, 0xbb67_ae85)
    /// The third and fourth word of the chaining value.
    private var (h2, h3): (UInt32, UInt32) = (0x3c6e_f372, 0xa54f_f53a)
    /// The fifth and sixth word of the chaining value.
    private var (h4, h5): (UInt32, UInt32) = (0x510e_527f, 0x9b05_688c)
    /// The last two words of the chaining value.
    private var (h6, h7): (UInt32, UInt32) = (0x1f83_d9ab, 0x5be0_cd19)
    /// The bytes that do not fill a block yet; only the first `pendingCount` count.
    private var pending = InlineArray<64, UInt8>(repeating: 0)
    /// How many bytes of `pending` count, below `blockSize`.
    private var pendingCount = 0
    /// The bytes that were fed so far, modulo 2^64; their bits fit for any message that a machine can hold.
    private var length: UInt64 = 0

    /// Whether the processor's instructions are left unused, for tests.
    package var isPortable = false

    /// Begins a hash of nothing.
    package init() {}

    /// Feeds the next bytes of the message.
    ///
    /// Complexity: O(n), whole blocks are read in place.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard var next = bytes.baseAddress else { return }
        var left = bytes.count
        length &+= UInt64(left)
        if pendingCount > 0 {
            let taken = min(SHA256.blockSize - pendingCount, left)
            // The range lies within the buffer, and `taken` is at most what a block still has room for.
            unsafe buffer(UnsafeRawBufferPointer(start: next, count: taken))
            unsafe next += taken
            left -= taken
            guard pendingCount == SHA256.blockSize else { return }
            compressPending()
        }
        let blocks = left / SHA256.blockSize
        // `blocks` whole blocks lie within the buffer.
        unsafe compress(next, blocks: blocks)
        unsafe next += blocks * SHA256.blockSize
        left -= blocks * SHA256.blockSize
        // The rest is shorter than a block and lies at the buffer's end.
        unsafe buffer(UnsafeRawBufferPointer(start: next, count: left))
    }

    /// Feeds the next bytes of the message.
    package mutating func update(_ bytes: [UInt8]) {
        // The pointer does not leave the closure.
        unsafe bytes.withUnsafeBytes { unsafe update($0) }
    }

    /// Feeds the next bytes of the message.
    package mutating func update(_ bytes: ArraySlice<UInt8>) {
        // The pointer does not leave the closure.
        unsafe bytes.withUnsafeBytes { unsafe update($0) }
    }

    /// Feeds one byte of the message.
    package mutating func update(_ byte: UInt8) {
        length &+= 1
        pending[pendingCount] = byte
        pendingCount += 1
        if pendingCount == SHA256.blockSize { compressPending() }
    }

    /// Feeds the 32 bytes of another digest.
    package mutating func update(_ digest: Digest) {
        var words = digest.words
        for index in words.indices { words[index] = words[index].bigEndian }
        // The pointer to the 32 bytes of the copy does not leave the closure.
        unsafe words.span.withUnsafeBytes { unsafe update($0) }
    }

    /// Pads the message and returns its digest; the value itself may be fed further.
    package func finish() -> Digest {
        var copy = self
        let bits = length &* 8
        copy.update(0x80 as UInt8)
        while copy.pendingCount != SHA256.blockSize - 8 { copy.update(0x00 as UInt8) }
        for index in 0..<8 { copy.update(UInt8(truncatingIfNeeded: bits &>> UInt64(56 - 8 * index))) }
        return Digest(words: [copy.h0, copy.h1, copy.h2, copy.h3, copy.h4, copy.h5, copy.h6, copy.h7])
    }

    /// The digest of a whole message.
    package static func hash(_ bytes: [UInt8]) -> Digest {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }
}

extension SHA256 {
    /// Appends bytes to the pending ones; they must fit into the block.
    private mutating func buffer(_ bytes: UnsafeRawBufferPointer) {
        let start = pendingCount
        var rest = pending.mutableSpan
        unsafe rest.withUnsafeMutableBytes { buffer in
            // Rebasing the range traps if the bytes do not fit into the 64.
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start..<(start + bytes.count)]).copyMemory(
                from: bytes)
        }
        pendingCount += bytes.count
    }

    /// Compresses the full pending block into the chaining value.
    private mutating func compressPending() {
        let block = pending
        // The pointer to the 64 bytes of the copy does not leave the closure.
        unsafe block.span.withUnsafeBytes { unsafe compress($0) }
        pendingCount = 0
    }

    /// Compresses a buffer of whole blocks into the chaining value.
    private mutating func compress(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        // The count is rounded down to whole blocks of the buffer.
        unsafe compress(start, blocks: bytes.count / SHA256.blockSize)
    }

    /// Compresses whole blocks into the chaining value (FIPS 180-4, 6.2.2).
    ///
    /// - Parameters:
    ///   - start: the first byte of the first block, at any alignment.
    ///   - blocks: how many blocks of 64 readable bytes follow.
    private mutating func compress(_ start: UnsafeRawPointer, blocks: Int) {
        if blocks == 0 { return }
        var state: InlineArray<8, UInt32> = [h0, h1, h2, h3, h4, h5, h6, h7]
        var words = state.mutableSpan
        // The eight words and the blocks, which the caller vouches for, are used during the call only.
        let isDone = unsafe words.withUnsafeMutableBufferPointer { buffer in
            unsafe !isPortable && cplatform_sha256(buffer.baseAddress, start, blocks) == 1
        }
        if isDone {
            (h0, h1, h2, h3) = (state[0], state[1], state[2], state[3])
            (h4, h5, h6, h7) = (state[4], state[5], state[6], state[7])
            return
        }
        unsafe compressPortably(start, blocks: blocks)
    }

    /// Compresses whole blocks in Swift.
    private mutating func compressPortably(_ start: UnsafeRawPointer, blocks: Int) {
        var block = unsafe start
        for _ in 0..<blocks {
            // Words 0 to 15 are the 64 bytes of this block, which the caller vouches for.
            var w0 = unsafe word(block, 0)
            var w1 = unsafe word(block, 1)
            var w2 = unsafe word(block, 2)
            var w3 = unsafe word(block, 3)
            var w4 = unsafe word(block, 4)
            var w5 = unsafe word(block, 5)
            var w6 = unsafe word(block, 6)
            var w7 = unsafe word(block, 7)
            var w8 = unsafe word(block, 8)
            var w9 = unsafe word(block, 9)
            var w10 = unsafe word(block, 10)
            var w11 = unsafe word(block, 11)
            var w12 = unsafe word(block, 12)
            var w13 = unsafe word(block, 13)
            var w14 = unsafe word(block, 14)
            var w15 = unsafe word(block, 15)
            var (a, b, c, d) = (h0, h1, h2, h3)
            var (e, f, g, h) = (h4, h5, h6, h7)

            round(a, b, c, &d, e, f, g, &h, 0x428a_2f98, w0)
            round(h, a, b, &c, d, e, f, &g, 0x7137_4491, w1)
            round(g, h, a, &b, c, d, e, &f, 0xb5c0_fbcf, w2)
            round(f, g, h, &a, b, c, d, &e, 0xe9b5_dba5, w3)
            round(e, f, g, &h, a, b, c, &d, 0x3956_c25b, w4)
            round(d, e, f, &g, h, a, b, &c, 0x59f1_11f1, w5)
            round(c, d, e, &f, g, h, a, &b, 0x923f_82a4, w6)
            round(b, c, d, &e, f, g, h, &a, 0xab1c_5ed5, w7)
            round(a, b, c, &d, e, f, g, &h, 0xd807_aa98, w8)
            round(h, a, b, &c, d, e, f, &g, 0x1283_5b01, w9)
            round(g, h, a, &b, c, d, e, &f, 0x2431_85be, w10)
            round(f, g, h, &a, b, c, d, &e, 0x550c_7dc3, w11)
            round(e, f, g, &h, a, b, c, &d, 0x72be_5d74, w12)
            round(d, e, f, &g, h, a, b, &c, 0x80de_b1fe, w13)
            round(c, d, e, &f, g, h, a, &b, 0x9bdc_06a7, w14)
            round(b, c, d, &e, f, g, h, &a, 0xc19b_f174, w15)

            round(a, b, c, &d, e, f, g, &h, 0xe49b_69c1, expand(&w0, w1, w9, w14))
            round(h, a, b, &c, d, e, f, &g, 0xefbe_4786, expand(&w1, w2, w10, w15))
            round(g, h, a, &b, c, d, e, &f, 0x0fc1_9dc6, expand(&w2, w3, w11, w0))
            round(f, g, h, &a, b, c, d, &e, 0x240c_a1cc, expand(&w3, w4, w12, w1))
            round(e, f, g, &h, a, b, c, &d, 0x2de9_2c6f, expand(&w4, w5, w13, w2))
            round(d, e, f, &g, h, a, b, &c, 0x4a74_84aa, expand(&w5, w6, w14, w3))
            round(c, d, e, &f, g, h, a, &b, 0x5cb0_a9dc, expand(&w6, w7, w15, w4))
            round(b, c, d, &e, f, g, h, &a, 0x76f9_88da, expand(&w7, w8, w0, w5))
            round(a, b, c, &d, e, f, g, &h, 0x983e_5152, expand(&w8, w9, w1, w6))
            round(h, a, b, &c, d, e, f, &g, 0xa831_c66d, expand(&w9, w10, w2, w7))
            round(g, h, a, &b, c, d, e, &f, 0xb003_27c8, expand(&w10, w11, w3, w8))
            round(f, g, h, &a, b, c, d, &e, 0xbf59_7fc7, expand(&w11, w12, w4, w9))
            round(e, f, g, &h, a, b, c, &d, 0xc6e0_0bf3, expand(&w12, w13, w5, w10))
            round(d, e, f, &g, h, a, b, &c, 0xd5a7_9147, expand(&w13, w14, w6, w11))
            round(c, d, e, &f, g, h, a, &b, 0x06ca_6351, expand(&w14, w15, w7, w12))
            round(b, c, d, &e, f, g, h, &a, 0x1429_2967, expand(&w15, w0, w8, w13))

            round(a, b, c, &d, e, f, g, &h, 0x27b7_0a85, expand(&w0, w1, w9, w14))
            round(h, a, b, &c, d, e, f, &g, 0x2e1b_2138, expand(&w1, w2, w10, w15))
            round(g, h, a, &b, c, d, e, &f, 0x4d2c_6dfc, expand(&w2, w3, w11, w0))
            round(f, g, h, &a, b, c, d, &e, 0x5338_0d13, expand(&w3, w4, w12, w1))
            round(e, f, g, &h, a, b, c, &d, 0x650a_7354, expand(&w4, w5, w13, w2))
            round(d, e, f, &g, h, a, b, &c, 0x766a_0abb, expand(&w5, w6, w14, w3))
            round(c, d, e, &f, g, h, a, &b, 0x81c2_c92e, expand(&w6, w7, w15, w4))
            round(b, c, d, &e, f, g, h, &a, 0x9272_2c85, expand(&w7, w8, w0, w5))
            round(a, b, c, &d, e, f, g, &h, 0xa2bf_e8a1, expand(&w8, w9, w1, w6))
            round(h, a, b, &c, d, e, f, &g, 0xa81a_664b, expand(&w9, w10, w2, w7))
            round(g, h, a, &b, c, d, e, &f, 0xc24b_8b70, expand(&w10, w11, w3, w8))
            round(f, g, h, &a, b, c, d, &e, 0xc76c_51a3, expand(&w11, w12, w4, w9))
            round(e, f, g, &h, a, b, c, &d, 0xd192_e819, expand(&w12, w13, w5, w10))
            round(d, e, f, &g, h, a, b, &c, 0xd699_0624, expand(&w13, w14, w6, w11))
            round(c, d, e, &f, g, h, a, &b, 0xf40e_3585, expand(&w14, w15, w7, w12))
            round(b, c, d, &e, f, g, h, &a, 0x106a_a070, expand(&w15, w0, w8, w13))

            round(a, b, c, &d, e, f, g, &h, 0x19a4_c116, expand(&w0, w1, w9, w14))
            round(h, a, b, &c, d, e, f, &g, 0x1e37_6c08, expand(&w1, w2, w10, w15))
            round(g, h, a, &b, c, d, e, &f, 0x2748_774c, expand(&w2, w3, w11, w0))
            round(f, g, h, &a, b, c, d, &e, 0x34b0_bcb5, expand(&w3, w4, w12, w1))
            round(e, f, g, &h, a, b, c, &d, 0x391c_0cb3, expand(&w4, w5, w13, w2))
            round(d, e, f, &g, h, a, b, &c, 0x4ed8_aa4a, expand(&w5, w6, w14, w3))
            round(c, d, e, &f, g, h, a, &b, 0x5b9c_ca4f, expand(&w6, w7, w15, w4))
            round(b, c, d, &e, f, g, h, &a, 0x682e_6ff3, expand(&w7, w8, w0, w5))
            round(a, b, c, &d, e, f, g, &h, 0x748f_82ee, expand(&w8, w9, w1, w6))
            round(h, a, b, &c, d, e, f, &g, 0x78a5_636f, expand(&w9, w10, w2, w7))
            round(g, h, a, &b, c, d, e, &f, 0x84c8_7814, expand(&w10, w11, w3, w8))
            round(f, g, h, &a, b, c, d, &e, 0x8cc7_0208, expand(&w11, w12, w4, w9))
            round(e, f, g, &h, a, b, c, &d, 0x90be_fffa, expand(&w12, w13, w5, w10))
            round(d, e, f, &g, h, a, b, &c, 0xa450_6ceb, expand(&w13, w14, w6, w11))
            round(c, d, e, &f, g, h, a, &b, 0xbef9_a3f7, expand(&w14, w15, w7, w12))
            round(b, c, d, &e, f, g, h, &a, 0xc671_78f2, expand(&w15, w0, w8, w13))

            (h0, h1, h2, h3) = (h0 &+ a, h1 &+ b, h2 &+ c, h3 &+ d)
            (h4, h5, h6, h7) = (h4 &+ e, h5 &+ f, h6 &+ g, h7 &+ h)
            // The next block begins within the caller's bytes or, after the last, at their end.
            unsafe block += SHA256.blockSize
        }
    }
}

/// The big-endian word at an index of a block.
@inline(__always)
private func word(_ block: UnsafeRawPointer, _ index: Int) -> UInt32 {
    // The index is below 16, and the block has 64 bytes.
    UInt32(bigEndian: unsafe block.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
}

/// Rotates a word to the right.
@inline(__always)
private func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word &>> count | word &<< (32 &- count)
}

/// Replaces a word of the schedule by the one sixteen rounds later, and returns it.
@inline(__always)
private func expand(_ w0: inout UInt32, _ w1: UInt32, _ w9: UInt32, _ w14: UInt32) -> UInt32 {
    let small0 = rotate(w1, 7) ^ rotate(w1, 18) ^ w1 &>> 3
    let small1 = rotate(w14, 17) ^ rotate(w14, 19) ^ w14 &>> 10
    w0 = w0 &+ small0 &+ w9 &+ small1
    return w0
}

/// One round; the caller renames the registers in place of moving their contents.
@inline(__always)
private func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
    _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32,
    _ constant: UInt32, _ word: UInt32
) {
    let big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    let choice = g ^ (e & (f ^ g))
    let first = h &+ big1 &+ choice &+ constant &+ word
    let big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    let majority = (a & b) | (c & (a | b))
    d = d &+ first
    h = first &+ big0 &+ majority
}
