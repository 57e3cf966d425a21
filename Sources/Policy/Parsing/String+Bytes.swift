import Platform

extension String {
    /// Whether there is nothing in it that anybody could read.
    package var isBlank: Bool {
        unicodeScalars.allSatisfy { $0.properties.isWhitespace || Printable.isHidden($0) }
    }

    /// Whether each byte of the UTF-8 is as asked.
    ///
    /// Names are looked at by the hundred thousand; a view of the bytes would be asked for each byte whether it lends them.
    @inline(__always)
    func hasOnlyBytes(_ isFit: (UInt8) -> Bool) -> Bool {
        // The bytes are read while they are lent.
        let answer = unsafe utf8.withContiguousStorageIfAvailable { bytes in
            var index = 0
            while index < bytes.count, unsafe isFit(bytes[index]) { index += 1 }
            return index == bytes.count
        }
        return answer ?? utf8.allSatisfy(isFit)
    }
}
