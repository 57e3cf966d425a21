import Glibc

/// Texts and bytes on their way from C and to C.
enum CText {
    /// The most bytes of a name: of a key, a domain, a user, a path.
    static let nameLimit = 1 << 16
    /// The most bytes of a value.
    static let valueLimit = 1 << 26

    /// Reads a text; `nil` if there is none, it is longer than `limit` bytes, or it is not UTF-8.
    static func string(_ text: UnsafePointer<CChar>?, limit: Int = nameLimit) -> String? {
        // C promises that a text which is given ends with NUL; no byte beyond that, or beyond the limit, is read.
        guard let text = unsafe text else { return nil }
        let count = unsafe strnlen(text, limit + 1)
        guard count <= limit else { return nil }
        return unsafe text.withMemoryRebound(to: UInt8.self, capacity: count) { bytes in
            unsafe String(validating: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        }
    }

    /// Stores a copy of a text where C wants it; the caller frees it.
    ///
    /// - Returns: false if there is no memory; NULL is stored then.
    static func give(_ text: String, to place: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Bool {
        guard let place = unsafe place else { return true }
        guard let copy = unsafe copy(Array(text.utf8)) else {
            unsafe place.pointee = nil
            return false
        }
        // One byte is one character of C.
        unsafe place.pointee = copy.assumingMemoryBound(to: CChar.self)
        return true
    }

    /// Stores NULL where C wants a text.
    static func clear(_ place: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) {
        unsafe place?.pointee = nil
    }

    /// Copies bytes into memory of `malloc`, with a NUL behind them; `nil` if there is none.
    static func copy(_ bytes: [UInt8]) -> UnsafeMutableRawPointer? {
        guard let memory = unsafe malloc(bytes.count + 1) else { return nil }
        // The memory has room for the bytes and the NUL.
        unsafe bytes.withUnsafeBytes { source in
            if let base = source.baseAddress { unsafe memory.copyMemory(from: base, byteCount: source.count) }
        }
        unsafe memory.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
        return unsafe memory
    }

    /// Makes one block of memory of a head and the texts behind it, so that C frees all of it at once.
    ///
    /// - Parameters:
    ///   - size: the bytes of the head, which the caller fills.
    ///   - texts: the texts.
    /// - Returns: the block and the place of each text; `nil` if there is no memory.
    static func block(
        _ size: Int, _ texts: [String]
    ) -> (memory: UnsafeMutableRawPointer, places: [UnsafePointer<CChar>])? {
        let all = texts.reduce(size) { $0 + $1.utf8.count + 1 }
        // Memory of `malloc` is aligned for every type.
        guard let memory = unsafe malloc(all) else { return nil }
        var offset = size
        var places: [UnsafePointer<CChar>] = unsafe []
        for text in texts {
            let bytes = Array(text.utf8) + [0]
            // The block has room for every text and its NUL behind the head.
            let place = unsafe memory + offset
            unsafe bytes.withUnsafeBytes { source in
                if let base = source.baseAddress { unsafe place.copyMemory(from: base, byteCount: source.count) }
            }
            unsafe places.append(UnsafePointer(place.assumingMemoryBound(to: CChar.self)))
            offset += bytes.count
        }
        return unsafe (memory, places)
    }
}
