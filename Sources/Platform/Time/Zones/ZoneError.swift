/// Why the rules of a time zone cannot be had.
package enum ZoneError: Error, Hashable, Sendable {
    /// A name that no zone can have.
    case invalidName(String)
    /// A zone's file that cannot be read, or is not trusted.
    case unreadable(TrustError)
    /// A link that leads out of the folder of zones; its path as people are shown it.
    case outside(path: String)
    /// A file that is not the one which was recorded, where nothing else may be believed; its path as people are shown it.
    case unrecorded(path: String)
    /// A file that is no TZif file, or a damaged one.
    case damaged(path: String, problem: ZoneFileError)

    /// Whether there simply is no such zone.
    package var isMissing: Bool {
        if case .unreadable(let error) = self { error.isMissing } else { false }
    }
}

extension ZoneError: CustomStringConvertible {
    /// The failure as a sentence without its full stop.
    package var description: String {
        switch self {
        case .invalidName(let name): "\(Printable.escape(name)) is no name of a time zone"
        case .unreadable(let error): error.description
        case .outside(let path): "\(Printable.escape(path)) leads out of the folder of time zones"
        case .unrecorded(let path): "\(Printable.escape(path)) is not what root's commands recorded of it"
        case .damaged(let path, let problem): "\(Printable.escape(path)) is damaged: \(problem)"
        }
    }
}
