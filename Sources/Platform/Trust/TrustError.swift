/// Why a trusted file could not be taken.
package enum TrustError: Error, Hashable, Sendable {
    /// It could not be reached or read.
    case system(SystemError)
    /// It, or a directory or link on its way, can be changed by somebody who must not; the path as people are shown it.
    case untrusted(path: String, reason: String)

    /// Whether somebody who must not can change it, or a directory or link on its way.
    package var isUntrusted: Bool {
        if case .untrusted = self { true } else { false }
    }

    /// Whether the file, or a directory on the way to it, is not there.
    package var isMissing: Bool {
        if case .system(let error) = self { error.isMissing } else { false }
    }
}

extension TrustError {
    /// Runs what can only fail in the kernel where trust can fail as well.
    static func lifting<Result: ~Copyable>(
        _ body: () throws(SystemError) -> Result
    ) throws(TrustError) -> Result {
        do {
            return try body()
        } catch {
            throw .system(error)
        }
    }
}

extension TrustError: CustomStringConvertible {
    /// The failure as a sentence without its full stop.
    package var description: String {
        switch self {
        case .system(let error): error.description
        case .untrusted(let path, let reason):
            "\(Printable.escape(path)) is not trusted: it \(Printable.escape(reason))"
        }
    }
}
