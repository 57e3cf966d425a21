import Glibc

/// Text and the bytes that it is made of, compared without the generic code of the standard library, which costs a short
/// command several times the text.
extension String {
    /// The text of some bytes; `nil` where they are not valid UTF-8.
    package init?(exactly bytes: UnsafeRawBufferPointer) {
        // What is not valid is replaced; replaced text has other bytes.
        self = unsafe String(decoding: bytes, as: UTF8.self)
        // Plain ASCII is always valid.
        if unsafe bytes.contains(where: { $0 >= 0x80 }) {
            guard unsafe consists(of: bytes) else { return nil }
        }
    }

    /// Whether these are the text's bytes.
    package func consists(of bytes: UnsafeRawBufferPointer) -> Bool {
        var text = self
        // Both stretches have as many bytes as the other, and live during the comparison.
        return text.withUTF8 { own in
            guard own.count == bytes.count else { return false }
            guard let start = own.baseAddress, let other = bytes.baseAddress else { return true }
            return unsafe memcmp(start, other, bytes.count) == 0
        }
    }
}
