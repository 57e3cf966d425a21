import Glibc
import MDCPlatform

extension SHA256 {
    /// The digests of messages that begin with the same byte and go on with a part of some bytes each.
    ///
    /// Where the processor has instructions for it, several messages are hashed at once, which is faster than one after the
    /// other.
    ///
    /// - Parameters:
    ///   - prefix: the first byte of each message.
    ///   - bytes: what the messages are parts of.
    ///   - places: where the part of each message begins and where it ends, two numbers a message.
    /// - Returns: a digest for each message.
    package static func digests(prefix: UInt8, of bytes: [UInt8], _ places: [Int]) -> [Digest] {
        let count = places.count / 2
        var areInside = true
        for index in 0..<count {
            let (start, end) = (places[2 * index], places[2 * index + 1])
            areInside = areInside && start >= 0 && start <= end && end <= bytes.count
        }
        precondition(areInside, "a message lies outside of its bytes")
        var isDone = false
        // All places are within the bytes, and the buffer has room for a digest of each message; all are written, or none.
        let digests = unsafe [Digest](unsafeUninitializedCapacity: count) { digests, filled in
            let places = places.span
            unsafe isDone =
                bytes.withUnsafeBytes { bytes in
                    unsafe places.withUnsafeBufferPointer { places in
                        unsafe places.withMemoryRebound(to: UInt.self) { places in
                            guard let start = places.baseAddress, let text = bytes.baseAddress,
                                let result = digests.baseAddress
                            else { return count == 0 }
                            return unsafe cplatform_sha256_many(prefix, text, start, count, result) == 1
                        }
                    }
                }
            filled = isDone ? count : 0
        }
        if isDone { return digests }
        return (0..<count).map { index in
            var hash = SHA256()
            hash.update(prefix)
            hash.update(bytes[places[2 * index]..<places[2 * index + 1]])
            return hash.finish()
        }
    }

    /// The digests of a byte and two neighbouring digests each: of the first two, of the third and the fourth, and so on.
    package static func digests(prefix: UInt8, ofPairs digests: [Digest]) -> [Digest] {
        let count = digests.count / 2
        let size = 2 * Digest.byteCount
        // There is room for the bytes of all these digests, and all are written.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size * count) { bytes, filled in
            for index in 0..<2 * count {
                unsafe digests[index].store(in: UnsafeMutableRawBufferPointer(bytes), at: index * Digest.byteCount)
            }
            filled = size * count
        }
        var places: [Int] = []
        places.reserveCapacity(2 * count)
        for index in 0..<count {
            places.append(size * index)
            places.append(size * (index + 1))
        }
        return self.digests(prefix: prefix, of: bytes, places)
    }
}

extension [UInt8] {
    /// Whether the bytes from a place on are those of a part of others.
    package func has(_ other: [UInt8], _ part: Range<Int>, at place: Int) -> Bool {
        guard place >= 0, part.count <= count - place, part.lowerBound >= 0, part.upperBound <= other.count else {
            return false
        }
        // As many bytes are there in both, as was just looked at.
        return unsafe withUnsafeBytes { own in
            unsafe other.withUnsafeBytes { other in
                guard let own = own.baseAddress, let other = other.baseAddress else { return part.isEmpty }
                return unsafe memcmp(own + place, other + part.lowerBound, part.count) == 0
            }
        }
    }

    /// The first place of a byte from another place on; `nil` if there is none.
    package func place(of byte: UInt8, from start: Int) -> Int? {
        start >= 0 && start < count ? place(of: byte, in: start..<count) : nil
    }

    /// The first place of a byte within a range of the array; `nil` if there is none.
    package func place(of byte: UInt8, in range: Range<Int>) -> Int? {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "the range lies outside of the bytes")
        // The search begins and ends within the array.
        return unsafe withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress,
                let found = unsafe memchr(base + range.lowerBound, Int32(byte), range.count)
            else {
                return nil
            }
            return unsafe UnsafeRawPointer(found) - base
        }
    }
}
