extension SHA256 {
    /// HMAC-SHA-256 of a message (RFC 2104).
    package static func hmac(key: [UInt8], _ message: [UInt8]) -> Digest {
        let size = 64
        let block = key.count > size ? hash(key).bytes : key
        let padded = block + [UInt8](repeating: 0, count: size - block.count)
        var inner = SHA256()
        inner.update(padded.map { $0 ^ 0x36 })
        inner.update(message)
        var outer = SHA256()
        outer.update(padded.map { $0 ^ 0x5c })
        outer.update(inner.finish())
        return outer.finish()
    }
}
