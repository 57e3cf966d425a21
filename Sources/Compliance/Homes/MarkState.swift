import Engine
import Platform

/// What has become of a mark that root looks for in a user's state folder.
enum MarkState: Hashable, Sendable {
    /// It stands there, with words of this digest.
    case present(Digest)
    /// It is not there.
    case gone
    /// Another occasion stands in its place, which policy gave no reason for.
    case changed
}

extension MarkState {
    /// How many bytes a state has: what it is, and a digest or zeros.
    static let byteCount = 1 + Digest.byteCount

    /// The state as bytes.
    var bytes: [UInt8] {
        switch self {
        case .present(let words): [1] + words.bytes
        case .gone: [2] + [UInt8](repeating: 0, count: Digest.byteCount)
        case .changed: [3] + [UInt8](repeating: 0, count: Digest.byteCount)
        }
    }

    /// Reads what ``bytes`` wrote, at an offset of others; `nil` for anything else.
    init?(_ bytes: [UInt8], at offset: Int) {
        guard let words = Digest(bytes, at: offset + 1) else { return nil }
        switch bytes[offset] {
        case 1: self = .present(words)
        case 2: self = .gone
        case 3: self = .changed
        default: return nil
        }
    }
}
