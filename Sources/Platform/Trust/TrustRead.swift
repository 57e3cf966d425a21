import Glibc

/// Reads one file relative to a directory that is known to be trusted.
enum TrustRead {
    /// Opens, checks and reads; `nil` where the file changed meanwhile, ELOOP where the name is a link.
    static func file(
        _ name: String, in directory: Int32, rule: TrustRule, limit: Int, warnings: [String],
        shown: @autoclosure () -> String
    ) throws(TrustError) -> TrustedFile? {
        let descriptor = try TrustError.lifting { () throws(SystemError) in
            try FileDescriptor.open(name, in: directory, flags: OpenMode.read.flags | O_NOFOLLOW, shown: shown())
        }
        let raw = descriptor.raw
        let before = try TrustError.lifting { () throws(SystemError) in
            try FileDescriptor.status(of: raw, shown: shown())
        }
        if let objection = rule.objection(to: before) {
            throw .untrusted(path: shown(), reason: objection)
        }
        let result: (bytes: [UInt8], status: FileStatus)?
        do {
            result = try descriptor.readWhole(limit: limit, known: before, shown: shown())
        } catch {
            throw .system(error)
        }
        // Owner and mode belong to what must not change; ctime changes with both.
        guard let result, result.status == before else { return nil }
        let own = rule.warning(about: before, shown: shown()).map { [$0] } ?? []
        return TrustedFile(bytes: result.bytes, status: result.status, warnings: warnings + own)
    }
}
