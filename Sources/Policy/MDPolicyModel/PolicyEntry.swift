package import MDPropertyList

/// One entry of a policy file.
package struct PolicyEntry: Sendable {
    /// How strongly the entry holds.
    package let level: Level
    package let domain: Key
    package let key: Key
    /// The value before variables are expanded; `nil` for an absent entry.
    package let value: Node?
    /// Whether a string of the value has a variable or an escaped one.
    package let hasVariables: Bool
    /// How often a set-once entry is written; without meaning for other levels.
    package let rule: SetOnceRule
    package let origin: Origin

    package init(
        level: Level, domain: Key, key: Key, value: Node?, hasVariables: Bool = false,
        rule: SetOnceRule = .eachVersion, origin: Origin
    ) {
        self.level = level
        self.domain = domain
        self.key = key
        self.value = value
        self.hasVariables = hasVariables
        self.rule = rule
        self.origin = origin
    }
}

/// How strongly an entry holds; the raw value is printed by `policy show --json`.
package enum Level: String, Sendable, Hashable, CaseIterable {
    /// Ahead of every user domain.
    case forced
    /// Behind every user domain and ahead of registration.
    case recommended
    /// Written into the user's own domain a single time.
    case setOnce
    /// A forced entry without a value.
    case absent

    /// Whether only the administrator changes the key: forced and absent are one level.
    package var isForcing: Bool { self == .forced || self == .absent }
}

/// The effect of a write to a forced key; the raw value is the word of the policy file.
package enum OverrideMode: String, Sendable, Hashable, CaseIterable {
    /// The write changes nothing.
    case refuse
    /// The value is stored in the user's domain and is hidden while the key is forced.
    case shadow
}

/// How often an entry of the level ``Level/setOnce`` is written into the user's own domain.
package enum SetOnceRule: Hashable, Sendable {
    /// Once for each identifier and version of the policy file.
    case eachVersion
    /// Once for each value of a stamp: `mcx_data_timestamp` of a profile, in RFC 3339.
    case eachStamp(String)
    /// Once in each login session: a profile's `Set-Once` without `mcx_data_timestamp`.
    case eachSession
}

extension SetOnceRule {
    /// The digits of a stamp that is a date, as a number; `nil` for any other stamp.
    ///
    /// If such a profile is converted, the policy file gets this number as its `Version`, with the same effect: users
    /// who have received the value keep their later choice.
    package static func version(ofStamp stamp: String) -> Int64? {
        let digits = stamp.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard stamp.utf8.count == 20, digits.count == 14, stamp.utf8.last == UInt8(ascii: "Z") else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    /// The condition under which an entry was written, in words; if the words change, the entry is written once more.
    ///
    /// - Parameter version: the version of the policy file.
    /// - Returns: the words, not escaped; `nil` for an entry that is written in each session.
    package func occasion(version: Integer?) -> String? {
        switch self {
        case .eachVersion: version.map { "version \($0)" } ?? "no version"
        case .eachStamp(let stamp): SetOnceRule.version(ofStamp: stamp).map { "version \($0)" } ?? "stamp \(stamp)"
        case .eachSession: nil
        }
    }
}

/// A domain whose every key is forced: keys without an entry are absent.
package struct Seal: Hashable, Sendable {
    package let domain: Key
    /// The place of the domain.
    package let origin: Origin

    package init(domain: Key, origin: Origin) {
        self.domain = domain
        self.origin = origin
    }
}

/// The combination operator of a key in a policy file.
package struct CombineEntry: Hashable, Sendable {
    package let domain: Key
    package let key: Key
    package let combine: CombineOperator
    /// The place of the key.
    package let origin: Origin

    package init(domain: Key, key: Key, combine: CombineOperator, origin: Origin) {
        self.domain = domain
        self.key = key
        self.combine = combine
        self.origin = origin
    }
}

/// How the forced entries of one key in several files are combined; the raw value is the word of the policy file.
package enum CombineOperator: String, Sendable, Hashable, CaseIterable {
    /// The winning entry alone.
    case replace
    /// Arrays: the elements of all entries, in order, each once.
    case union
    /// Dictionaries: the entries of all, recursively; for a key in several of them, the winner's value.
    case merge
    /// Numbers: the least one.
    case min
    /// Numbers: the greatest one.
    case max
    /// Booleans: whether all are true.
    case and
    /// Booleans: whether any is true.
    case or
}
