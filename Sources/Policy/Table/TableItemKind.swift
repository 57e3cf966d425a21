/// What a policy file says of a key, by the byte that stands for it in a group of a compiled table.
enum TableItemKind: UInt8 {
    /// A forced entry.
    case forced = 1
    /// An absent entry.
    case absent
    /// A recommended entry.
    case recommended
    /// An entry that is set once.
    case setOnce
    /// A constraint.
    case constraint
    /// The operator that joins forced entries.
    case combine
    /// A waiver.
    case waiver
    /// A seal, in the group of its domain and the empty key.
    case seal

    /// The kind of an entry of a level.
    init(_ level: Level) {
        switch level {
        case .forced: self = .forced
        case .absent: self = .absent
        case .recommended: self = .recommended
        case .setOnce: self = .setOnce
        }
    }

    /// The level of an entry of this kind; `nil` for what is no entry.
    var level: Level? {
        switch self {
        case .forced: .forced
        case .absent: .absent
        case .recommended: .recommended
        case .setOnce: .setOnce
        case .constraint, .combine, .waiver, .seal: nil
        }
    }

    /// Whether items of this kind decide whether a key is forced, and to what.
    var decidesForced: Bool { self != .recommended && self != .setOnce }
}
